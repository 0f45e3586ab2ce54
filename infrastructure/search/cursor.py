"""Cursor of a search: which pass it is in, and how far it has come."""

import re
from typing import NamedTuple

from typing_extensions import override

from agentlog.domain.errors import InvalidCursor
from agentlog.domain.points_in_time import BIGGEST, number_of

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
