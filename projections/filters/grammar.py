"""Parses filters: `type:reply took>5s (tool:book or tool:pay) -"a phrase"`.

    filter = conjunction { "or" conjunction }
    conjunction = part { ["and"] part }
    part = ("-" | "not") part | "(" filter ")" | term
    term = flag | text | name ":" value | name ("=" | ">" | ">=" | "<" | "<=") value

A text is a word or stands in double quotes, where a backslash comes before `"` and itself; a `*`
after it makes it a beginning. A JSONPath is a name, and a term by itself: `$.args.amount`, or
`tool_calls$.calls[0].name` of one type of messages. Other names are those of `terms`; words that
are none are searched for.
"""

import re
from collections.abc import Mapping
from functools import reduce

from agentlog.domain.errors import InvalidInput
from agentlog.domain.json.values import JsonValue
from agentlog.projections.filters.expression import (
    ALL,
    KEYWORDS,
    NUMBER,
    And,
    Expression,
    Not,
    Operator,
    Or,
    Term,
)
from agentlog.projections.filters.success import keys_of, message_path
from agentlog.projections.filters.terms import (
    METADATA,
    PATH,
    PLACES,
    TERMS,
    WORDS,
    Place,
    TermKind,
    shown,
    terms_of,
)

MOST_CHARACTERS = 2000
MOST_TERMS = 100
MOST_LEVELS = 20

_SPACE = re.compile(r"\s*")
_WORD = re.compile(r"[^\s()\"=<>:]+")
_VALUE = re.compile(r"[^\s()\"]+")
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)
_OPERATOR = re.compile(r":|=|>=|<=|>|<")
_IN_BRACKETS = r"""[^\]\["']|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'"""
_BRACKETS = reduce(lambda inner, _: rf"\[(?:{_IN_BRACKETS}|{inner})*\]", range(4), r"\[[^\]\[]*\]")
_PATH = re.compile(
    rf"(?:[A-Za-z][\w.-]*)?\$(?=[.\[])(?:[^\s()\"'\[\]=<>:]|{_BRACKETS})*", re.DOTALL
)
_EXACT_DIGITS = 1000  # of an integer that an index of metadata has
_ESCAPED = re.compile(r'\\(["\\])')
_QUANTITY = re.compile(r"\$?(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)([kKM]?)")
_DURATION = re.compile(r"(\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)(ms|s|m|h|d)")
_THOUSANDS = {"": 1, "k": 1e3, "K": 1e3, "M": 1e6}
_MILLISECONDS = {"ms": 1, "s": 1e3, "m": 6e4, "h": 3.6e6, "d": 8.64e7}
_SCALARS: dict[str, JsonValue] = {"true": True, "false": False, "null": None}


class InvalidFilterText(InvalidInput):
    """The filter cannot be read at its character `at`, counted from 1."""

    def __init__(self, text: str, at: int, reason: str, parameter: str) -> None:
        super().__init__(f"{parameter}: {reason}, at character {at} of {_around(text, at)!r}")
        self.text, self.at, self.reason = text, at, reason


def parse_filter(
    text: str, place: Place | Mapping[str, TermKind], *, parameter: str = "filter"
) -> Expression:
    """Return what a filter asks for at a place, or in some terms; of an empty text, anything.

    Raises:
        InvalidFilterText: naming the `parameter`, the character and what is allowed there.
    """
    return _Parser(text, place, parameter).parse()


class _Parser:
    """Reads a text from left to right."""

    def __init__(self, text: str, place: Place | Mapping[str, TermKind], parameter: str) -> None:
        self._text = text
        self._parameter = parameter
        self._terms = terms_of(place) if isinstance(place, str) else place
        self._place = place
        self._at = 0
        self._levels = 0
        self._count = 0

    def parse(self) -> Expression:
        if len(self._text) > MOST_CHARACTERS:
            raise self._error(f"longer than {MOST_CHARACTERS} characters", MOST_CHARACTERS)
        self._skip()
        if self._at == len(self._text):
            return ALL
        expression = self._any()
        if self._at < len(self._text):
            raise self._error("a parenthesis closes that none opened")
        return expression

    def _any(self) -> Expression:
        parts = [self._all()]
        while self._takes("or"):
            parts.append(self._all())
        return parts[0] if len(parts) == 1 else Or(tuple(parts))

    def _all(self) -> Expression:
        parts = [self._part()]
        while self._at < len(self._text) and self._text[self._at] != ")" and not self._is("or"):
            self._takes("and")
            parts.append(self._part())
        return parts[0] if len(parts) == 1 else And(tuple(parts))

    def _part(self) -> Expression:
        self._levels += 1
        if self._levels > MOST_LEVELS:
            raise self._error(f"nested deeper than {MOST_LEVELS} levels")
        if self._at >= len(self._text) or self._text[self._at] == ")":
            raise self._error("a term is missing")
        if self._takes("not") or self._takes_sign("-"):
            part: Expression = Not(self._part())
        elif self._takes_sign("("):
            part = self._any()
            if not self._takes_sign(")"):
                raise self._error('a ")" is missing')
        else:
            part = self._term()
        self._levels -= 1
        return part

    def _term(self) -> Term:
        self._count += 1
        if self._count > MOST_TERMS:
            raise self._error(f"more than {MOST_TERMS} terms")
        begin = self._at
        character = self._text[begin]
        if character == '"':
            return self._words(begin, *self._value())
        path = _PATH.match(self._text, begin)
        if path is not None or character == "$":
            return self._path(begin, path)
        word = _WORD.match(self._text, begin)
        if word is None:
            raise self._error(f"a term begins with a name or a text, not with {character!r}")
        name = word[0]
        if name.lower() in KEYWORDS:
            raise self._error(f"{name!r} joins terms; in quotes it is a text")
        if name.startswith(f"{METADATA}."):
            return self._metadata(begin)
        self._at = word.end()
        operator = self._operator()
        kind = self._terms.get(name)
        if operator is None:
            return self._bare(name, kind, begin)
        if kind is None or name in {WORDS, PATH, METADATA}:
            raise self._unknown(name, begin)
        return self._compared(kind, operator, begin)

    def _bare(self, name: str, kind: TermKind | None, begin: int) -> Term:
        match kind:
            case TermKind(kind="flag"):
                return Term(name, "")
            case TermKind(kind="name" | "quantity" | "duration"):
                reason = f"{name!r} is compared, as {shown(kind)}…; in quotes it is a text"
                raise self._error(reason, begin)
            case _:
                return self._words(begin, name.removesuffix("*"), name.endswith("*"))

    def _words(self, begin: int, text: str, is_prefix: bool) -> Term:  # noqa: FBT001 - of _value
        self._skip()
        if WORDS not in self._terms:
            raise self._unknown(text, begin)
        if not text.strip():
            raise self._error("a text is empty", begin)
        return Term(WORDS, ":", text, is_prefix=is_prefix)

    def _path(self, begin: int, path: re.Match[str] | None) -> Term:
        if PATH not in self._terms:
            raise self._unknown(PATH, begin)
        if path is None:
            raise self._error("a JSONPath names a field, as $.args.amount", begin)
        message_type, keys = message_path(path[0])
        self._at = path.end()
        operator = self._operator()
        if self._place == "success" and not (message_type and keys_of(keys) and operator):
            raise self._error(
                "name a type, one field of it and a value, as inspect.score$.score.value:C", begin
            )
        if operator is None:
            return Term(PATH, "", key=path[0])
        value, is_prefix = self._scalar(operator)
        return Term(PATH, operator, value, key=path[0], is_prefix=is_prefix)

    def _metadata(self, begin: int) -> Term:
        if METADATA not in self._terms:
            raise self._unknown(METADATA, begin)
        self._at += len(METADATA) + 1
        key = _QUOTED.match(self._text, self._at) or _WORD.match(self._text, self._at)
        if key is None or not key[0].strip('"'):
            raise self._error("name the key, as in metadata.team:red")
        name = _unescaped(key[1]) if key[0].startswith('"') else key[0]
        self._at = key.end()
        operator = self._operator()
        if operator is None:
            raise self._error("compare the metadata, as in metadata.team:red or metadata.reward<1")
        value, is_prefix = self._scalar(operator)
        return Term(METADATA, operator, value, key=name, is_prefix=is_prefix)

    def _compared(self, kind: TermKind, operator: Operator, begin: int) -> Term:
        at = self._at
        if kind.kind == "flag":
            raise self._error(f"{kind.name} has no value; -{kind.name} is its opposite", begin)
        value, is_prefix = self._value()
        if kind.kind in {"name", "words"}:
            if operator != ":":
                raise self._error(f"{kind.name} has no order: write {kind.name}:{value}", begin)
            if not value.strip():
                raise self._error("a text is empty", at)
            if kind.values and (is_prefix or value not in kind.values):
                raise self._error(f"{kind.name} is one of {', '.join(kind.values)}", at)
            return Term(kind.name, ":", value, is_prefix=is_prefix)
        units = _DURATION if kind.kind == "duration" else _QUANTITY
        figure = units.fullmatch(value)
        if figure is None or is_prefix:
            form = "a time, as 5s, 300ms or 2h" if kind.kind == "duration" else "a number, as 10k"
            raise self._error(f"{kind.name} is compared with {form}", at)
        scales = _MILLISECONDS if kind.kind == "duration" else _THOUSANDS
        number = float(figure[1]) * scales[figure[2]]
        if number == float("inf"):
            raise self._error("the number is too large", at)
        return Term(kind.name, operator, int(number) if number.is_integer() else number)

    def _operator(self) -> Operator | None:
        """Read an operator, which may stand between spaces unless it is a colon."""
        space = _SPACE.match(self._text, self._at)
        at = self._at if space is None else space.end()
        sign = _OPERATOR.match(self._text, at)
        if sign is None or (sign[0] == ":" and at != self._at):
            self._skip()
            return None
        self._at = sign.end()
        if sign[0] != ":":
            self._skip()
        operators: dict[str, Operator] = {">": ">", ">=": ">=", "<": "<", "<=": "<="}
        return operators.get(sign[0], ":")

    def _value(self) -> tuple[str, bool]:
        """Read a text: in quotes or not, and whether a `*` makes it a beginning."""
        text = _QUOTED.match(self._text, self._at)
        if text is not None:
            self._at = text.end()
            is_prefix = self._text.startswith("*", self._at)
            self._at += is_prefix
            self._skip()
            return _unescaped(text[1]), is_prefix
        if self._text.startswith('"', self._at):
            raise self._error("a quote is not closed")
        word = _VALUE.match(self._text, self._at)
        if word is None:
            raise self._error("a value is missing")
        self._at = word.end()
        self._skip()
        return word[0].removesuffix("*"), word[0].endswith("*")

    def _scalar(self, operator: Operator) -> tuple[JsonValue, bool]:
        is_quoted = self._text.startswith('"', self._at)
        at = self._at
        text, is_prefix = self._value()
        if is_prefix and operator != ":":
            raise self._error("a beginning has no order", at)
        if is_quoted or is_prefix:
            return text, is_prefix
        if text in _SCALARS:
            return _SCALARS[text], False
        return (_number(text) if NUMBER.fullmatch(text) else text), False

    def _is(self, keyword: str) -> bool:
        word = _WORD.match(self._text, self._at)
        return word is not None and word[0].lower() == keyword and not self._compares(word.end())

    def _compares(self, at: int) -> bool:
        return self._text.startswith(":", at)

    def _takes(self, keyword: str) -> bool:
        if not self._is(keyword):
            return False
        self._at += len(keyword)
        self._skip()
        return True

    def _takes_sign(self, sign: str) -> bool:
        if not self._text.startswith(sign, self._at):
            return False
        self._at += 1
        self._skip()
        return True

    def _skip(self) -> None:
        space = _SPACE.match(self._text, self._at)
        self._at = self._at if space is None else space.end()

    def _unknown(self, name: str, at: int) -> InvalidFilterText:
        allowed = ", ".join(map(shown, self._terms.values()))
        if name in TERMS:
            where = " and ".join(of for place, of in PLACES.items() if place in TERMS[name].places)
            return self._error(f"{name!r} is a term of {where}; here are {allowed}", at)
        return self._error(f"no term {name[:40]!r}; there are {allowed}; texts need quotes", at)

    def _error(self, reason: str, at: int | None = None) -> InvalidFilterText:
        at = (self._at if at is None else at) + 1
        return InvalidFilterText(self._text, at, reason, self._parameter)


def _unescaped(text: str) -> str:
    return _ESCAPED.sub(r"\1", text)


def _number(text: str) -> JsonValue:
    """Return a number; the text itself, where a float cannot hold it."""
    if text.lstrip("-").isdecimal() and len(text) <= _EXACT_DIGITS:
        return int(text)
    number = float(text)
    return text if number in {float("inf"), float("-inf")} else number


def _around(text: str, at: int) -> str:
    """Return the text around a place."""
    begin = max(0, at - 20)
    return text[begin : begin + 40]
