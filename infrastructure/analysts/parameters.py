"""Query parameters: `:name` in the text becomes `$1`, and values become PostgreSQL's text format.

Values never become part of the query: a name that is parsed wrongly here leads to a syntax error,
not to another query.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile

from agentlog.domain.json.numbers import WrittenFloat
from agentlog.domain.json.text import print_text
from agentlog.domain.json.values import JsonValue
from agentlog.infrastructure.analysts.errors import InvalidQuery

MOST_CHARACTERS = 100_000
MOST_PARAMETERS = 1000

Parameters = Mapping[str, JsonValue] | Sequence[JsonValue]

_TOKEN = re.compile(
    r"""
      '(?:[^']|'')*(?:'|\Z)                      # a string
    | (?<![\w$])[eE]'(?:[^'\\]|''|\\.)*(?:'|\Z)  # with escapes
    | "(?:[^"]|"")*(?:"|\Z)                      # a name
    | (?<![\w$])(?P<tag>\$(?:[^\W\d]\w*)?\$)    # a string in dollars
    | --[^\r\n]*
    | ::                                         # a cast
    | (?P<comment>/\*)
    | :(?P<name>[^\W\d]\w*)
    """,
    re.VERBOSE | re.DOTALL,
)
_COMMENT = re.compile(r"/\*|\*/")


@dataclass(frozen=True, slots=True)
class SqlQuery:
    """A query with PostgreSQL's placeholders, and its values in PostgreSQL's text format."""

    text: str
    values: tuple[bytes | None, ...]
    written: str
    moved: tuple[tuple[int, int], ...]

    def place(self, position: int) -> tuple[int, int, int]:
        """Return position, line and column in the original query, from 1, of a place in `text`."""
        moves = takewhile(lambda move: move[0] < position - 1, self.moved)
        index = min(position - 1 + sum(by for _, by in moves), len(self.written))
        before = self.written[:index]
        return index + 1, before.count("\n") + 1, index - (before.rfind("\n") + 1) + 1


def query_of(written: str, parameters: Parameters) -> SqlQuery:
    """Return a query with its parameters: by name, or by number (`$1`) if they are a list.

    As in psql, `:name` in a string or a comment is not replaced, nor one without a value.

    Raises:
        InvalidQuery: too many values or characters, or a value that PostgreSQL cannot hold.
    """
    _check(written, place="sql", longest=MOST_CHARACTERS)
    if len(parameters) > MOST_PARAMETERS:
        raise InvalidQuery(f"parameters: more than {MOST_PARAMETERS}")
    text = written.rstrip(" \t\r\n\f;")
    if not isinstance(parameters, Mapping):
        values = (_value(given, f"parameters[{i}]") for i, given in enumerate(parameters))
        return SqlQuery(text, tuple(values), written, ())
    numbers: dict[str, int] = {}
    parts, moved, done, length = [], [], 0, 0
    for start, end, name in _names(text):
        if name not in parameters:
            continue
        number = numbers.setdefault(name, len(numbers) + 1)
        parts += [text[done:start], f"${number}"]
        length += start - done + len(parts[-1])
        moved.append((length - 1, end - start - len(parts[-1])))
        done = end
    unused = set(parameters) - set(numbers)
    if unused:
        raise InvalidQuery(f"parameters: the query has no :{min(unused)[:64]}")
    values = (_value(parameters[name], f"parameters.{name}") for name in numbers)
    return SqlQuery("".join([*parts, text[done:]]), tuple(values), written, tuple(moved))


def _names(text: str) -> list[tuple[int, int, str]]:
    """Return each `:name` outside of strings and comments: begin, end, name."""
    places, place = [], 0
    while token := _TOKEN.search(text, place):
        place = token.end()
        if token["tag"]:
            _, _, rest = text[place:].partition(token["tag"])
            place = len(text) - len(rest)
        elif token["comment"]:
            place = _end_of_comment(text, place)
        elif token["name"]:
            places.append((token.start(), place, token["name"]))
    return places


def _end_of_comment(text: str, place: int) -> int:
    depth = 1
    for mark in _COMMENT.finditer(text, place):  # comments nest
        depth += 1 if mark[0] == "/*" else -1
        if depth == 0:
            return mark.end()
    return len(text)


def _value(value: JsonValue, place: str) -> bytes | None:
    """Return a value as a quoted literal's text; PostgreSQL infers its type from the context.

    A list is an array, an object is JSON.
    """
    match value:
        case None:
            return None
        case list():
            text = f"{{{','.join(_element(element) for element in value)}}}"
        case _:
            text = _scalar(value)
    _check(text, place=place)
    return text.encode()


def _scalar(value: JsonValue) -> str:
    match value:
        case str():
            return value
        case bool():
            return "true" if value else "false"
        case WrittenFloat():
            return value.text
        case _:
            return print_text(value)


def _element(value: JsonValue) -> str:
    match value:
        case None:
            return "NULL"
        case list():
            return f"{{{','.join(map(_element, value))}}}"
        case _:
            escaped = _scalar(value).replace("\\", "\\\\").replace('"', '\\"')
            return f'"{escaped}"'


def _check(text: str, *, place: str, longest: int | None = None) -> None:
    if longest is not None and len(text) > longest:
        raise InvalidQuery(f"{place}: longer than {longest} characters")
    if "\x00" in text:
        raise InvalidQuery(f"{place}: holds NUL, which PostgreSQL's texts cannot")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InvalidQuery(f"{place}: not Unicode at character {error.start + 1}") from error
