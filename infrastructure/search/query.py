"""What a search asks for, whether a message matches, and the cursor of a page."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from typing import NamedTuple

from typing_extensions import override

from agentlog.domain.errors import InvalidCursor, InvalidInput
from agentlog.domain.json.values import JsonValue
from agentlog.domain.points_in_time import BIGGEST, number_of
from agentlog.infrastructure.search.json_path import Predicate
from agentlog.projections.filters.columns import ANY_NUMBER, columns_of
from agentlog.projections.filters.expression import (
    ALL,
    And,
    Expression,
    Or,
    Term,
    terms_in,
)
from agentlog.projections.filters.success import message_path
from agentlog.projections.readmodels.message_words import tenant_word, tool_word, type_word
from agentlog.projections.search.message_texts import types_of_role
from agentlog.projections.search.search_text import (
    Part,
    parts_of,
    phrase_of,
    query_of,
    quoted_lexeme,
)

MOST_TEXT = 1000
"""Characters of the longest search text."""


class InvalidSearch(InvalidInput):
    """Messages cannot be searched like that."""


@dataclass(frozen=True)
class Query:
    """A search: a message has to match every field that is not empty.

    `where` is a filter of messages. `threads` are ids; a message of any of them matches. `begin` is
    inclusive, `end` exclusive, both by the store's clock. `metadata` is the thread's, as it is now.

    Raises:
        InvalidSearch: on construction.
        InvalidJsonPath: on construction.
    """

    text: str = ""
    where: Expression = ALL
    threads: Sequence[str] = ()
    begin: datetime | None = None
    end: datetime | None = None
    metadata: Mapping[str, JsonValue] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if len(self.text) > MOST_TEXT:
            raise InvalidSearch(f"q: longer than {MOST_TEXT} characters")
        if self.begin is not None and self.end is not None and self.begin >= self.end:
            raise InvalidSearch("from: must be before to, which does not count in any more")
        _ = self.paths

    def among(self, threads: Expression) -> tuple["Query", Expression]:
        """Return the query of messages of the threads that a filter of a list names, and the rest.

        The rest is what the index of words does not know, `ALL` where it knows everything.
        """
        known = columns_of(threads, {"thread": ANY_NUMBER})
        query = replace(self, threads=known.values("thread"), metadata=known.metadata)
        return query, And(tuple(known.rest))

    @cached_property
    def parts(self) -> list[Part]:
        """The parts of the text."""
        return parts_of(self.text)

    @cached_property
    def as_phrase(self) -> "Query | None":
        """The same query for its text as one phrase; None where it is no list of words."""
        phrase = phrase_of(self.text)
        return None if phrase is None or len(phrase) > MOST_TEXT else replace(self, text=phrase)

    @cached_property
    def paths(self) -> dict[Term, Predicate]:
        """The JSONPaths, by their terms."""
        return {
            term: Predicate(message_path(term.key)[1])
            for term in terms_in(self.where)
            if term.key is not None
        }

    @property
    def narrows(self) -> bool:
        """Whether it may be answered from an index, other than by time."""
        return any((self.parts, _lexemes(self.where), self.threads, self.metadata))

    def tsquery(self, tenant: str) -> str:
        """Return the query for the words of rows; a row that it does not match has no hit."""
        wanted = [quoted_lexeme(tenant_word(tenant)), *filter(None, [_lexemes(self.where)])]
        return query_of(self.parts, *wanted)


def _lexemes(where: Expression) -> str | None:
    """Return the query for rows of which messages may match, None where any may."""
    match where:
        case Term(name="type", value=str(kind)):
            return f"{quoted_lexeme(type_word(kind))}{':*' if where.is_prefix else ''}"
        case Term(name="tool", value=str(tool)):
            return f"{quoted_lexeme(tool_word(tool))}{':*' if where.is_prefix else ''}"
        case Term(name="role", value=str(role)):
            return f"({' | '.join(quoted_lexeme(type_word(kind)) for kind in types_of_role(role))})"
        case And(parts=parts):
            return " & ".join(filter(None, map(_lexemes, parts))) or None
        case Or(parts=parts):
            known = [lexemes for part in parts if (lexemes := _lexemes(part)) is not None]
            return f"({' | '.join(known)})" if len(known) == len(parts) else None
        case _:
            return None


_FORM = re.compile(r"(phrase-)?(\d{1,19})(?:-(\d{1,19}))?")


class Cursor(NamedTuple):
    """A search goes on before a position.

    First come messages that hold the text as one phrase, in the pass `of_phrases`; then those that
    hold its parts anywhere, but for phrases at `phrases_from` or beyond, which have been found.
    """

    before: int = BIGGEST
    of_phrases: bool = True
    phrases_from: int = BIGGEST

    @classmethod
    def of(cls, text: str | None) -> "Cursor":
        """Return the cursor that a text stands for, the beginning for None.

        Raises:
            InvalidCursor: it is none.
        """
        if text is None:
            return cls()
        parts = _FORM.fullmatch(text)
        if parts is None:
            raise InvalidCursor(text)
        of_phrases, before, phrases_from = parts.groups()
        return cls(
            number_of(before),
            of_phrases is not None,
            BIGGEST if phrases_from is None else number_of(phrases_from),
        )

    @override
    def __str__(self) -> str:
        if self.of_phrases:
            return f"phrase-{self.before}"
        return f"{self.before}" + ("" if self.phrases_from == BIGGEST else f"-{self.phrases_from}")
