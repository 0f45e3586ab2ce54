"""JSON Patch (RFC 6902) over documents that are shared: an operation copies what it changes.

Operations are applied one by one; one that does not apply is told and passed over, and the others
stand. Work and size are bounded, whatever the patch: see `Bounds`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from agentlog.domain.json.places import is_deeper
from agentlog.domain.json.text import print_bytes
from agentlog.domain.json.values import JsonValue, array_of, object_of

MOST_LEVELS = 64
"""Levels of a document; what would be deeper is not applied."""

_PLACE = 8
"""The work of copying a place of an object or array, in bytes."""

_LONGEST_INDEX = 9
_OPERATIONS = frozenset({"add", "remove", "replace", "move", "copy", "test"})


class NotApplied(Exception):
    """An operation does not apply; its text says why."""


class Failure(NamedTuple):
    """An operation that was passed over: its path, and why."""

    path: str
    reason: str


@dataclass(slots=True)
class Bounds:
    """What is left to a document and to the work on it.

    `size` are the bytes that the document may still grow by, `work` those that may still be
    measured for it: what is put in, copied or taken out is printed to know its size.
    """

    size: int
    work: int

    def measured(self, value: JsonValue) -> int:
        """Return the bytes of a value as JSON; raises `NotApplied` where the work is used up."""
        self.spend(0)
        count = len(print_bytes(value))
        self.spend(count)
        return count

    def spend(self, work: int) -> None:
        """Take from the work; raises `NotApplied` where none was left."""
        if self.work <= 0:
            raise NotApplied("the patch is too large")
        self.work -= work

    def grow(self, by: int) -> None:
        """Take bytes from the size; raises `NotApplied` where there are too few."""
        if by > self.size:
            raise NotApplied("the state would be too large")
        self.size -= by


@dataclass(slots=True)
class _Draft:
    """A document in the making; `own` are the containers that this patch has copied already."""

    document: JsonValue
    bounds: Bounds
    own: dict[int, JsonValue] = field(default_factory=dict)

    def at(self, tokens: Sequence[str]) -> JsonValue:
        value = self.document
        for token in tokens:
            value = _member(value, token)
        return value

    def put(self, tokens: Sequence[str], value: JsonValue, *, is_new: bool) -> None:
        """Put a value in a place; one that is new moves the others of an array on."""
        if len(tokens) >= MOST_LEVELS or is_deeper(value, MOST_LEVELS - len(tokens)):
            raise NotApplied(f"deeper than {MOST_LEVELS} levels")
        if not tokens:
            self.bounds.grow(self.bounds.measured(value) - self.bounds.measured(self.document))
            self.document = value
            return
        parent, key = self.at(tokens[:-1]), tokens[-1]
        is_there = not is_new or (isinstance(parent, dict) and key in parent)
        size = self._size_of(key, value) - (self._size_of(key, self.at(tokens)) if is_there else 0)
        match self._own_container(tokens[:-1]):
            case dict() as parent:
                self.bounds.grow(size)
                parent[key] = value
            case list() as parent:
                end = len(parent)
                index = end if key == "-" and is_new else _place(key, end + is_new)
                self.bounds.grow(size)
                parent[index : index if is_new else index + 1] = [value]
            case _:
                raise NotApplied("its parent is no object and no array")

    def remove(self, tokens: Sequence[str]) -> None:
        """Take a value out of an object or an array."""
        if not tokens:
            raise NotApplied("the whole document cannot be removed")
        size = self._size_of(tokens[-1], self.at(tokens))
        match self._own_container(tokens[:-1]):
            case dict() as parent:
                del parent[tokens[-1]]
            case list() as parent:
                del parent[_place(tokens[-1], len(parent))]
            case _:
                pass
        self.bounds.size += size

    def _size_of(self, key: str, value: JsonValue) -> int:
        return self.bounds.measured(value) + len(key)

    def _own_container(self, tokens: Sequence[str]) -> JsonValue:
        """Return the container at a path, after copies of it and of those around it."""
        value = self.document = self._copy(self.document)
        for token in tokens:
            inner = self._copy(_member(value, token))
            match value:
                case dict():
                    value[token] = inner
                case list():
                    value[_place(token, len(value))] = inner
                case _:
                    pass
            value = inner
        return value

    def _copy(self, value: JsonValue) -> JsonValue:
        if not isinstance(value, dict | list) or id(value) in self.own:
            return value
        self.bounds.spend(_PLACE * len(value))
        copied = value.copy()
        self.own[id(copied)] = copied  # kept: its id stays its own
        return copied


def patched(
    document: JsonValue, patch: Sequence[JsonValue], bounds: Bounds
) -> tuple[JsonValue, list[Failure]]:
    """Return a document after a patch, and the operations that do not apply.

    The document itself stays as it was. Never fails.
    """
    draft, failures = _Draft(document, bounds), list[Failure]()
    for operation_json in patch:
        operation = object_of(operation_json)
        try:
            _apply(draft, operation)
        except NotApplied as reason:
            failures.append(Failure(str(operation.get("path")), str(reason)))
    return draft.document, failures


def tokens_of(pointer: JsonValue) -> list[str]:
    """Return the tokens of a JSON Pointer (RFC 6901); raises `NotApplied` where it is none."""
    if not isinstance(pointer, str) or (pointer and not pointer.startswith("/")):
        raise NotApplied("its path is no JSON Pointer")
    return [token.replace("~1", "/").replace("~0", "~") for token in pointer.split("/")[1:]]


def touched(patch: Sequence[JsonValue]) -> Iterator[str]:
    """Yield the pointers that operations of a patch change."""
    for operation in map(object_of, patch):
        names = ("path", "from") if operation.get("op") == "move" else ("path",)
        yield from (path for name in names if isinstance(path := operation.get(name), str))


def _apply(draft: _Draft, operation: dict[str, JsonValue]) -> None:
    kind = operation.get("op")
    if kind not in _OPERATIONS:
        raise NotApplied("an unknown operation")
    tokens = tokens_of(operation.get("path"))
    if kind in {"add", "replace", "test"} and "value" not in operation:
        raise NotApplied("its value is not on record")
    match kind:
        case "add" | "replace":
            draft.put(tokens, operation["value"], is_new=kind == "add")
        case "remove":
            draft.remove(tokens)
        case "test":
            if not _equal(draft, draft.at(tokens), operation["value"]):
                raise NotApplied("the value there is another")
        case "copy":
            value = draft.at(tokens_of(operation.get("from")))
            draft.own = {}  # what is in two places is no longer the patch's own
            draft.put(tokens, value, is_new=True)
        case _:
            _move(draft, tokens_of(operation.get("from")), tokens)


def _move(draft: _Draft, source: Sequence[str], tokens: Sequence[str]) -> None:
    if tokens == source:
        draft.at(source)
        return
    if tokens[: len(source)] == source:
        raise NotApplied("it moves a value into itself")
    value, before, size = draft.at(source), draft.document, draft.bounds.size
    draft.own = {}  # so that the document before stays as it was
    draft.remove(source)
    try:
        draft.put(tokens, value, is_new=True)
    except NotApplied:
        draft.document, draft.bounds.size = before, size
        raise


def _equal(draft: _Draft, one: JsonValue, other: JsonValue) -> bool:
    draft.bounds.measured(one)
    return print_bytes(one, sort_keys=True) == print_bytes(other, sort_keys=True)


def _member(value: JsonValue, token: str) -> JsonValue:
    match value:
        case dict() if token in value:
            return value[token]
        case list():
            return value[_place(token, len(array_of(value)))]
        case _:
            raise NotApplied(f"there is no {token!r}"[:200])


def _place(token: str, count: int) -> int:
    """Return the index that a token names in an array of `count` places."""
    is_index = token.isascii() and token.isdecimal() and len(token) <= _LONGEST_INDEX
    if not is_index or int(token) >= count:
        raise NotApplied(f"there is no place {token!r}"[:200])
    return int(token)
