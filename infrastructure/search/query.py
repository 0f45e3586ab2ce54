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
from agentlog.projections.readmodels.message_words import tenant_word, tool_word, type_word
from agentlog.projections.search.message_texts import ROLES, types_of_role
from agentlog.projections.search.search_text import Part, parts_of, phrase_of, query_of

MOST_TEXT = 1000
"""Characters of the longest search text."""

MOST_PREDICATES = 8

_NO_TYPE = ""


class InvalidSearch(InvalidInput):
    """Messages cannot be searched like that."""


@dataclass(frozen=True)
class Query:
    """A search: a message has to match every field that is given, and any value of a list.

    `begin` is inclusive, `end` exclusive, both by the store's clock. `metadata` is the thread's, as
    it is now. Each JSONPath in `where` has to select something.

    Raises:
        InvalidSearch: on construction.
        InvalidJsonPath: on construction.
    """

    text: str = ""
    types: Sequence[str] = ()
    tools: Sequence[str] = ()
    roles: Sequence[str] = ()
    threads: Sequence[str] = ()
    begin: datetime | None = None
    end: datetime | None = None
    metadata: Mapping[str, JsonValue] = field(default_factory=dict)
    where: Sequence[str] = ()

    def __post_init__(self) -> None:
        if len(self.text) > MOST_TEXT:
            raise InvalidSearch(f"q: longer than {MOST_TEXT} characters")
        if len(self.where) > MOST_PREDICATES:
            raise InvalidSearch(f"where: more than {MOST_PREDICATES}")
        unknown = [role for role in self.roles if role not in ROLES]
        if unknown:
            raise InvalidSearch(f"role: {unknown[0][:64]!r} is none of {', '.join(ROLES)}")
        if self.begin is not None and self.end is not None and self.begin >= self.end:
            raise InvalidSearch("from: must be before to, which does not count in any more")
        _ = self.predicates

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
    def predicates(self) -> list[Predicate]:
        """The JSONPaths."""
        return [Predicate(path) for path in self.where]

    @cached_property
    def wanted_types(self) -> Sequence[str] | None:
        """The types of messages that may match, None for all."""
        if not self.roles:
            return self.types or None
        of_roles = [kind for role in self.roles for kind in types_of_role(role)]
        return [kind for kind in of_roles if not self.types or kind in self.types] or [_NO_TYPE]

    @property
    def narrows(self) -> bool:
        """Whether it may be answered from an index, other than by time."""
        given = (self.parts, self.wanted_types, self.tools, self.threads, self.metadata)
        return any(given)

    def tsquery(self, tenant: str) -> str:
        """Return the query for the words of rows; a row that it does not match has no hit."""
        types = [] if self.wanted_types is None else [map(type_word, self.wanted_types)]
        tools = [map(tool_word, self.tools)] if self.tools else []
        return query_of(self.parts, of=[[tenant_word(tenant)], *types, *tools])


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
