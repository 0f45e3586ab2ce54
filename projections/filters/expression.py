"""What a filter asks for, and its text."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from agentlog.domain.json.text import print_text
from agentlog.domain.json.values import JsonValue
from agentlog.projections.filters.terms import METADATA, TERMS

Operator = Literal["", ":", ">", ">=", "<", "<="]
"""How a term compares; nothing, where it only has to be there."""

KEYWORDS = frozenset({"and", "or", "not"})
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")

_SIMPLE = re.compile(r"[^\s()\"=<>:$*-][^\s()\"=<>:*]*")
_NAMES = TERMS.keys() | KEYWORDS
_SCALARS = frozenset({"true", "false", "null"})


@dataclass(frozen=True, slots=True)
class Term:
    """One condition.

    `key` is the metadata's key or the JSONPath. `value` is a text, a figure (durations in
    milliseconds) or, of metadata and paths, any scalar. `is_prefix`: a text that begins so.
    """

    name: str
    operator: Operator = ":"
    value: JsonValue = None
    key: str | None = None
    is_prefix: bool = False


@dataclass(frozen=True, slots=True)
class Not:
    """The part does not hold."""

    part: "Expression"


@dataclass(frozen=True, slots=True)
class And:
    """All parts hold; of no parts, anything matches."""

    parts: tuple["Expression", ...] = ()


@dataclass(frozen=True, slots=True)
class Or:
    """One of the parts holds."""

    parts: tuple["Expression", ...]


Expression: TypeAlias = Term | Not | And | Or

ALL = And()


def terms_in(expression: Expression) -> Iterator[Term]:
    """Yield the terms of an expression, in order."""
    match expression:
        case Term():
            yield expression
        case Not(part=part):
            yield from terms_in(part)
        case And(parts=parts) | Or(parts=parts):
            for part in parts:
                yield from terms_in(part)


def conjuncts(expression: Expression) -> Iterator[Expression]:
    """Yield the parts of an expression that must all hold."""
    if isinstance(expression, And):
        for part in expression.parts:
            yield from conjuncts(part)
    else:
        yield expression


def evaluate(expression: Expression, holds: Callable[[Term], bool | None]) -> bool | None:
    """Return whether an expression holds, by its terms; None where that is not known.

    Kleene's logic: what is not known decides nothing, but need not be known where others do.
    """
    match expression:
        case Term():
            return holds(expression)
        case Not(part=part):
            value = evaluate(part, holds)
            return None if value is None else not value
        case And(parts=parts):
            return _first(parts, holds, decisive=False)
        case Or(parts=parts):
            return _first(parts, holds, decisive=True)


def _first(
    parts: Sequence[Expression], holds: Callable[[Term], bool | None], *, decisive: bool
) -> bool | None:
    is_known = True
    for part in parts:
        value = evaluate(part, holds)
        if value is decisive:
            return decisive
        is_known = is_known and value is not None
    return (not decisive) if is_known else None


def compare(term: Term, value: JsonValue) -> bool:
    """Return whether a value is as a term wants it; numbers and texts have no order between them.

    A term without operator matches any value.
    """
    wanted = term.value
    if term.operator == "":
        return True
    if term.operator == ":":
        if term.is_prefix:
            return isinstance(value, str) and value.startswith(str(wanted))
        return _is_number(value) == _is_number(wanted) and value == wanted
    if _is_number(value) != _is_number(wanted):
        return False
    if isinstance(value, str) and isinstance(wanted, str):
        return _ordered(term.operator, (value > wanted) - (value < wanted))
    if isinstance(value, int | float) and isinstance(wanted, int | float):
        return _ordered(term.operator, (value > wanted) - (value < wanted))
    return False


def _ordered(operator: Operator, order: int) -> bool:
    match operator:
        case ">":
            return order > 0
        case ">=":
            return order >= 0
        case "<":
            return order < 0
        case _:
            return order <= 0


def _is_number(value: JsonValue) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def print_filter(expression: Expression) -> str:
    """Return the text of an expression, which parses as the same."""
    match expression:
        case Term():
            return _term_text(expression)
        case Not(part=part):
            return f"-{_within(part)}"
        case And(parts=parts):
            return " ".join(map(_within, parts))
        case Or(parts=parts):
            return " or ".join(map(_within, parts))


def _within(part: Expression) -> str:
    text = print_filter(part)
    return f"({text})" if isinstance(part, And | Or) else text


def _term_text(term: Term) -> str:
    match term:
        case Term(name="words", value=str(text)):
            is_name = text.lower() in _NAMES or text.startswith(f"{METADATA}.")
            shown = quoted(text) if is_name else _text(text)
            return f"{shown}*" if term.is_prefix else shown
        case Term(name="$", key=str(path)):
            return path if term.operator == "" else f"{path}{term.operator}{_scalar(term)}"
        case Term(name="metadata", key=str(key)):
            return f"metadata.{_text(key)}{term.operator}{_scalar(term)}"
        case Term(operator=""):
            return term.name
        case Term(value=int() | float() as number):
            unit = "ms" if TERMS[term.name].kind == "duration" else ""
            return f"{term.name}{term.operator}{print_text(number)}{unit}"
        case _:
            return f"{term.name}{term.operator}{_value(term)}"


def _scalar(term: Term) -> str:
    if not isinstance(term.value, str):
        return print_text(term.value)
    is_scalar = term.value in _SCALARS or NUMBER.fullmatch(term.value) is not None
    return quoted(term.value) if is_scalar and not term.is_prefix else _value(term)


def _value(term: Term) -> str:
    return f"{_text(str(term.value))}{'*' if term.is_prefix else ''}"


def _text(text: str) -> str:
    return text if _SIMPLE.fullmatch(text) else quoted(text)


def quoted(text: str) -> str:
    """Return a text in double quotes."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
