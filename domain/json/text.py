"""Strict, lossless JSON: parsing and printing keep numbers and characters as written.

Parsed with the standard library (its hooks receive each number as written), or with orjson where
that is lossless; printed with orjson (compact UTF-8). A decimal keeps its digits (`1.10`, `1e400`),
an integer has any size. Refused, with the place: NaN and infinities, duplicate keys, lone
surrogates, more than 128 levels.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum, auto
from math import isfinite
from types import NoneType
from typing import Final, Literal, Never

import orjson

from agentlog.domain.errors import InvalidJson
from agentlog.domain.json.numbers import WrittenFloat, integer
from agentlog.domain.json.places import first_refused, is_deeper, path, walk
from agentlog.domain.json.printed import PrintedArray
from agentlog.domain.json.values import JsonValue

MAX_DEPTH = 128
"""Levels of objects and arrays; orjson prints up to 254, so a message fits in its envelopes."""

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")

_SCALARS = frozenset({NoneType, bool, int, float, WrittenFloat, str})


def parse(text: bytes | str, *, place: str = "") -> JsonValue:
    """Return the value of a JSON text.

    Raises:
        InvalidJson: naming line and column, or the path of the offending value under `place`.
    """
    encoded = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    value = _as_printed(encoded)
    if value is not _OTHERWISE:
        if encoded.count(b"[") + encoded.count(b"{") > MAX_DEPTH:
            _refuse_depth(value, place)
        return value
    try:
        decoded = text if isinstance(text, str) else text.decode("utf-8")
        decoded = decoded.removeprefix("\ufeff")
        try:
            parsed: JsonValue = _STRICT.decode(decoded)
        except InvalidJson as error:
            raise _with_place(decoded, place) from error
    except UnicodeDecodeError as error:
        raise InvalidJson(f"not UTF-8 at byte {error.start}", place=place) from error
    except json.JSONDecodeError as error:
        reason = f"not JSON: {error.msg} at line {error.lineno}, column {error.colno}"
        raise InvalidJson(reason, place=place) from error
    except RecursionError as error:
        raise InvalidJson(f"nested deeper than {MAX_DEPTH} levels", place=place) from error
    if decoded.count("[") + decoded.count("{") > MAX_DEPTH:
        _refuse_depth(parsed, place)
    if "\\u" in decoded or not decoded.isascii():
        _refuse_lone_surrogates(parsed, place)
    return parsed


def parse_or(text: bytes | str, other: JsonValue = None) -> JsonValue:
    """Return the value of a JSON text, or `other` of any other text."""
    try:
        return parse(text)
    except InvalidJson:
        return other


def parse_stored(text: bytes) -> JsonValue:
    """Return the value of bytes printed by `print_bytes`, without most checks.

    Raises:
        ValueError: they are not JSON in UTF-8.
    """
    value = _as_printed(text)
    if value is not _OTHERWISE:
        return value
    stored: JsonValue = _STORED.decode(text.decode())
    return stored


def is_stored_object(text: bytes) -> bool:
    """Return whether bytes printed by `print_bytes` are an object, without parsing them."""
    try:
        return type(orjson.loads(text)) is dict
    except orjson.JSONDecodeError:  # so is a number beyond the range of floats
        try:
            return type(parse_stored(text)) is dict
        except ValueError:
            return False


def print_bytes(value: object, *, sort_keys: bool = False) -> bytes:
    """Return `value` as compact UTF-8 JSON, its numbers as they were written.

    Only for values from `parse` or our own: NaN would become null here. Use `print_checked` for any
    other value.

    Raises:
        InvalidJson: a string has a lone surrogate, a type has no JSON form, or it is nested too
        deep.
    """
    option = orjson.OPT_SORT_KEYS if sort_keys else None
    try:
        return orjson.dumps(value, default=_fragment, option=option)
    except TypeError:
        try:
            return orjson.dumps(_with_fragments(value), default=_fragment, option=option)
        except TypeError as error:
            _refuse_lone_surrogates(value, "")
            raise InvalidJson(str(error)) from error
        except (RecursionError, ValueError) as error:  # too deep, or an integer too long to print
            raise InvalidJson(str(error)) from error


def printed_json(text: bytes) -> orjson.Fragment:
    """Return a value that `print_bytes` prints as this text, which must be JSON."""
    return orjson.Fragment(text)


def print_checked(value: object) -> bytes:
    """Return what `print_bytes` returns, for an unchecked value.

    Raises:
        InvalidJson: also where a float is NaN or infinite.
    """
    printed = print_bytes(value)
    if b"null" in printed:  # orjson also prints it for NaN
        _refuse_non_finite(value)
    return printed


def print_to_keep(value: object) -> bytes:
    """Return what `print_bytes` returns, in a buffer of its exact size.

    orjson's result keeps its output buffer: 4 KiB for a few characters, ten times the size for
    many.
    """
    return b"%b" % print_bytes(value)


def print_text(value: object) -> str:
    """Return `value` as compact JSON text."""
    return print_bytes(value).decode()


def parse_mended(text: str) -> tuple[JsonValue, Counter[str]]:
    """Return the value of a JSON text as many programs write it, and what was mended how often.

    A lone surrogate becomes U+FFFD; NaN, Infinity and -Infinity become strings.

    Raises:
        InvalidJson: for every other flaw.
    """
    mended: Counter[str] = Counter()

    def as_string(constant: str) -> str:
        mended[f"{constant} as a string"] += 1
        return constant

    def mend_text(text: str) -> str:
        replaced, count = _LONE_SURROGATE.subn("\ufffd", text)
        if count:
            mended["lone surrogate replaced by U+FFFD"] += count
        return replaced

    def mend(value: JsonValue) -> JsonValue:
        match value:
            case str():
                return mend_text(value)
            case list():
                return [mend(item) for item in value]
            case dict():
                return {mend_text(key): mend(item) for key, item in value.items()}
            case _:
                return value

    try:
        value = _decoder(as_string).decode(text)
    except (json.JSONDecodeError, RecursionError) as error:
        raise InvalidJson(f"not JSON: {error}") from error
    _refuse_depth(value, "")
    return mend(value), mended


class _Printed(Enum):
    OTHERWISE = auto()


_OTHERWISE: Final = _Printed.OTHERWISE
_BLANKS = b" \t\r\n"


def _as_printed(text: bytes) -> JsonValue | Literal[_Printed.OTHERWISE]:
    """Return the value of a text that is printed as ours is; `_OTHERWISE` for any other.

    Equal bytes prove that no digit and no key was lost. Blanks do not count: those in strings go on
    both sides, and strings are never read wrongly.
    """
    try:
        value: JsonValue = orjson.loads(text)
        printed = orjson.dumps(value)
    except (orjson.JSONDecodeError, orjson.JSONEncodeError):
        return _OTHERWISE
    same = printed == text or printed.translate(None, _BLANKS) == text.translate(None, _BLANKS)
    return value if same else _OTHERWISE


def _refuse_constant(text: str) -> Never:
    raise InvalidJson(f"{text} is not JSON: use null or a string")


def _object_with_single_keys(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise InvalidJson("a key stands twice in one object")
    return members


def _refuse_stored_constant(text: str) -> Never:
    raise ValueError(f"{text} is not JSON")


def _decoder(parse_constant: Callable[[str], JsonValue]) -> json.JSONDecoder:
    return json.JSONDecoder(
        parse_float=WrittenFloat,
        parse_int=integer,
        parse_constant=parse_constant,
        object_pairs_hook=_object_with_single_keys,
    )


# making a decoder takes as long as reading a short message
_STRICT = _decoder(_refuse_constant)
_STORED = json.JSONDecoder(
    parse_float=WrittenFloat, parse_int=integer, parse_constant=_refuse_stored_constant
)


def _with_place(text: str, place: str) -> InvalidJson:
    """Return why and where `_STRICT` refuses `text`: its hooks receive no place."""
    here, reason = first_refused(text)
    return InvalidJson(reason, place=_LONE_SURROGATE.sub("\ufffd", _under(place, here)))


def _under(place: str, parts: Sequence[str | int]) -> str:
    return path((place, *parts)) if place else path(parts)


def _refuse_depth(value: JsonValue, place: str) -> None:
    if is_deeper(value, MAX_DEPTH):
        raise InvalidJson(f"nested deeper than {MAX_DEPTH} levels", place=place)


def _refuse_lone_surrogates(value: object, place: str) -> None:
    try:
        orjson.dumps(value, default=_fragment)
    except TypeError:
        for here, nested in walk(value, but=_SCALARS - {str}):
            texts = nested if isinstance(nested, dict) else (nested,)
            if any(isinstance(text, str) and _LONE_SURROGATE.search(text) for text in texts):
                raise InvalidJson(
                    "holds a lone surrogate, which is not Unicode: send U+FFFD in its place",
                    place=_under(place, here),
                ) from None


def _refuse_non_finite(value: object) -> None:
    for here, nested in walk(value, but=_SCALARS - {float}):
        if type(nested) is float and not isfinite(nested):
            raise InvalidJson(f"{nested} is not JSON: use null or a string", place=path(here))


def _fragment(value: object) -> orjson.Fragment:
    if isinstance(value, WrittenFloat):
        return orjson.Fragment(value.text)
    if isinstance(value, PrintedArray):
        return orjson.Fragment(bytes(value))
    raise TypeError(f"{type(value).__name__} is no JSON value")


def _with_fragments(value: object) -> object:
    """Return `value` with each integer beyond 64 bits in a form that orjson can print."""
    match value:
        case bool() | None | str() | float():
            return value
        case int():
            return value if -(2**63) <= value < 2**64 else orjson.Fragment(str(value))
        case dict():
            return {key: _with_fragments(item) for key, item in value.items()}
        case list() | tuple():
            return [_with_fragments(item) for item in value]
        case _ if is_dataclass(value):
            return {
                field.name: _with_fragments(getattr(value, field.name)) for field in fields(value)
            }
        case _:
            return value
