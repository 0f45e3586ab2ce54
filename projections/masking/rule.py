"""The rule of a tenant that says what is masked: detectors, keys, words and patterns.

A pattern is a sequence of characters and classes, each with a bounded count that gives nothing
back: no groups, no alternatives, no way to search for long.
"""

import re
import tomllib
from collections.abc import Iterator
from functools import lru_cache
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from agentlog.domain.errors import InvalidInput
from agentlog.domain.json.text import parse, print_text
from agentlog.projections.masking.mask import Mask, plain_key
from agentlog.projections.masking.shapes import (
    PASSWORDS,
    PERSONAL,
    SECRET_KEYS,
    SECRETS,
    Shape,
)

_MOST_BYTES = 2**16
_MOST, _MOST_PATTERNS, _WIDEST = 1000, 50, 1024
_REPEATED = 64
"""Characters that `+` and `*` stand for at most."""
_ATOM = re.compile(
    r"(?P<atom>\\[bdDwWsS.+*?^$()\[\]{}|/\\-]|\[\^?(?:[^\]\[\\]|\\[dwsDWS\]\[\\^-])+\]|[^\\\[\](){}*+?|^$])"
    r"(?P<count>\{(?P<least>[0-9]{1,3})(?:,(?P<most>[0-9]{1,3}))?\}|[?+*])?"
)


class InvalidMask(InvalidInput):
    """A text says no rule for masking."""

    def __init__(self, reason: str) -> None:
        super().__init__(
            f'mask: {reason}; the rule is TOML or JSON, as detectors = ["secrets", "passwords", '
            '"personal"], keys = ["ssn"], words = ["Falcon"], patterns = ["EMP-[0-9]{6}"]; or '
            'mode = "structure"'
        )


_Line = Annotated[str, StringConstraints(min_length=3, max_length=200)]


class MaskRule(BaseModel):
    """What is masked; in the mode `structure` all that is content."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    mode: Literal["matches", "structure"] = "matches"
    detectors: list[Literal["secrets", "passwords", "personal"]] = Field(default_factory=list)
    keys: Annotated[list[_Line], Field(max_length=_MOST)] = Field(default_factory=list)
    words: Annotated[list[_Line], Field(max_length=_MOST)] = Field(default_factory=list)
    patterns: Annotated[list[_Line], Field(max_length=_MOST_PATTERNS)] = Field(default_factory=list)


@lru_cache(maxsize=1000)
def parse_mask(text: str) -> Mask:
    """Return the mask of a rule: JSON if it begins with a brace, else TOML.

    Raises:
        InvalidMask: it says none.
    """
    if len(text.encode(errors="replace")) > _MOST_BYTES:
        raise InvalidMask(f"more than {_MOST_BYTES:,} bytes")
    try:
        rule = MaskRule.model_validate(
            parse(text) if text.lstrip().startswith("{") else tomllib.loads(text)
        )
    except ValidationError as error:
        first = error.errors()[0]
        raise InvalidMask(f"{'.'.join(map(str, first['loc']))}: {first['msg']}") from error
    except RecursionError as error:  # of tomllib
        raise InvalidMask("too many levels") from error
    except (InvalidInput, ValueError) as error:
        raise InvalidMask(str(error)) from error
    keys = {plain_key(key) for key in rule.keys}
    if "passwords" in rule.detectors:
        keys |= SECRET_KEYS
    printed = print_text(rule.model_dump(exclude_defaults=True, exclude={"words"}))
    mask = Mask(tuple(_shapes_of(rule)), frozenset(keys), rule.mode == "structure", printed, text)
    if not (mask.shapes or mask.keys or mask.is_structure_only):
        raise InvalidMask("it masks nothing: name detectors, keys, words or patterns")
    return mask


def _shapes_of(rule: MaskRule) -> Iterator[Shape]:
    for pattern in _patterns_of(rule.patterns):
        yield Shape("pattern", ("",), re.compile(pattern))
    if rule.words:
        words = sorted(rule.words, key=len, reverse=True)
        yield Shape("word", ("",), re.compile("|".join(map(re.escape, words)), re.IGNORECASE))
    known = {"secrets": SECRETS, "passwords": PASSWORDS, "personal": PERSONAL}
    for name, shapes in known.items():
        if name in rule.detectors:
            yield from shapes


def _patterns_of(patterns: list[str]) -> Iterator[str]:
    """Yield patterns whose counts are bounded and possessive."""
    width = 0
    for pattern in patterns:
        place, parts = 0, list[str]()
        while place < len(pattern):
            atom = _ATOM.match(pattern, place)
            if atom is None:
                raise InvalidMask(
                    f"patterns: {pattern[place:][:40]!r} is more than a pattern may have: "
                    "characters, classes as [0-9] or \\d, and counts as {6} or {2,8}"
                )
            count = _count(atom)
            width += count[1]
            parts.append(
                f"{atom['atom']}{{{count[0]},{count[1]}}}+" if atom["count"] else atom["atom"]
            )
            place = atom.end()
        try:
            compiled = re.compile("".join(parts))
        except re.error as error:
            raise InvalidMask(f"patterns: {pattern!r}: {error}") from error
        if compiled.match("") is not None:
            raise InvalidMask(f"patterns: {pattern!r} matches nothing at all, and so everywhere")
        yield compiled.pattern
    if width > _WIDEST:
        raise InvalidMask(f"patterns: together they take {width} characters: at most {_WIDEST}")


def _count(atom: re.Match[str]) -> tuple[int, int]:
    match atom["count"]:
        case None:
            return 1, 1
        case "?":
            return 0, 1
        case "*":
            return 0, _REPEATED
        case "+":
            return 1, _REPEATED
        case _:
            least = int(atom["least"])
            return least, int(atom["most"] or least)
