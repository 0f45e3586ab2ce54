"""Rules of an API, each with its source; tests refuse by them what breaks one.

A source is the provider's document, or a public report that quotes its error 400: those of GitHub
as `owner/repository#number`.
"""

import re
from dataclasses import dataclass
from typing import Literal, NamedTuple

from agentlog.domain.json.text import is_stored_object


class Rule(NamedTuple):
    """What an API takes, in words, and where it says so."""

    says: str
    source: str


@dataclass(frozen=True, slots=True)
class Fit:
    """What a name or an id must be: its pattern, and the most characters."""

    pattern: re.Pattern[str]
    longest: int

    def takes(self, name: object) -> bool:
        """Return whether a value is such a name."""
        return (
            isinstance(name, str)
            and len(name) <= self.longest
            and self.pattern.fullmatch(name) is not None
        )


WORD = re.compile(r"[a-zA-Z0-9_-]+")
"""Letters, digits, `_` and `-`."""

IMAGES = frozenset({"image/jpeg", "image/png", "image/gif", "image/webp"})
"""The images that OpenAI's and Anthropic's models see."""

Scope = Literal["message", "conversation"]


@dataclass(frozen=True, slots=True)
class Limits:
    """An API's limits that are values: those that checks and repairs share.

    `unique` is where no two calls have one id; None where ids do not count. `cache_marks`: the most
    blocks with `cache_control`.
    """

    call_id: Fit
    tool_name: Fit
    unique: Scope | None
    images: frozenset[str] = IMAGES
    documents: frozenset[str] = frozenset({"application/pdf"})
    cache_marks: int | None = None


def is_object_text(text: object) -> bool:
    """Return whether a value is the text of a JSON object.

    Numbers may have any length, and keys may come twice: those of providers do.
    """
    try:
        return isinstance(text, str) and is_stored_object(text.encode("utf-8", "surrogatepass"))
    except RecursionError:
        return False
