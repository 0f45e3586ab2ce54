"""Files as they come when something went wrong: bytes and trees of JSON, spoiled by a seed."""

import json
import re
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

Mutation = Callable[[Random, bytes], bytes]

_NUMBERS = ["1e400", "-0", "1" + "0" * 30, "9" * 5000, "1e-400", "0.1E+1", "NaN", "01"]
_ESCAPES = [
    r"\ud800",
    r"\udfff",
    r"\udc00\ud800",
    r"\u0000",
    r"\ud83d\ude00",
    r"\x",
    "\x00",
    "\x1f",
]
_DEPTHS = [1, 60, 120, 127, 128, 129, 300, 5_000, 100_000]
_ODD: Sequence[Any] = (
    None,
    True,
    0,
    -1,
    1.5,
    2**70,
    "",
    "x",
    "\x00",
    "thread.closed",
    [],
    {},
    [[]],
    [None],
    {"a": []},
    {"type": "tick"},
    {"": ""},
)
_KEY = re.compile(rb'"(?:[^"\\]|\\.)*"\s*:')
_SCALAR = re.compile(
    rb'(?<=[:\[,])\s*("(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|true|false|null)(?=\s*[,\]}])'
)


def spoiled(data: bytes, seed: int) -> tuple[bytes, str]:
    """Return a file with one to three things wrong with it, and what they are."""
    random = Random(seed)  # noqa: S311 - to be drawn again, not to be secret
    chosen = random.choices(list(MUTATIONS), k=random.choice([1, 1, 1, 2, 3]))
    for name in chosen:
        data = MUTATIONS[name](random, data)
    return data, " + ".join(chosen)


def spoiled_value(random: Random, value: Any) -> Any:
    """Return a JSON value with something else at one place of it."""
    copy = json.loads(json.dumps(value))
    places = list(_places(copy))
    if not places:
        return random.choice(_ODD)
    parent, key = random.choice(places)
    match random.randrange(6):
        case 0 | 1 | 2:
            parent[key] = random.choice(_ODD)
        case 3:
            del parent[key]
        case 4:
            other, place = random.choice(places)
            parent[key] = json.loads(json.dumps(other[place]))  # which may hold what it replaces
        case _ if isinstance(parent, list):
            parent.insert(random.randrange(len(parent) + 1), parent[key])
        case _:
            parent[f"{key}_"] = parent.pop(key)
    return copy


def _places(value: Any) -> list[tuple[Any, Any]]:
    places: list[tuple[Any, Any]] = []
    waiting = [value]
    while waiting:
        popped = waiting.pop()
        keys = range(len(popped)) if isinstance(popped, list) else list(popped)
        for key in keys:
            places.append((popped, key))
            if isinstance(popped[key], list | dict):
                waiting.append(popped[key])
    return places


def _tree(random: Random, data: bytes) -> bytes:
    try:
        lines = [json.loads(data)]
    except (ValueError, RecursionError):
        try:
            lines = [json.loads(line) for line in data.splitlines() if line.strip()]
        except (ValueError, RecursionError):
            return data
    if not lines:
        return data
    at = random.randrange(len(lines))
    try:
        lines[at] = spoiled_value(random, lines[at])
        return b"\n".join(json.dumps(line).encode() for line in lines)
    except RecursionError:
        return data


def _flip(random: Random, data: bytes) -> bytes:
    changed = bytearray(data)
    for _ in range(random.choice([1, 1, 4, 32]) if data else 0):
        changed[random.randrange(len(data))] ^= 1 << random.randrange(8)
    return bytes(changed)


def _truncate(random: Random, data: bytes) -> bytes:
    at = random.randrange(len(data) + 1)
    return random.choice([data[:at], data[at:]])


def _cut(random: Random, data: bytes) -> bytes:
    begin, end = sorted(random.choices(range(len(data) + 1), k=2))
    return data[:begin] + data[end:]


def _splice(random: Random, data: bytes) -> bytes:
    begin = random.randrange(len(data) + 1)
    piece = data[begin : begin + random.randrange(400)]
    return _inserted(random, data, piece)


def _byte(random: Random, data: bytes) -> bytes:
    odd = [b"\x00", b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\n", b"\r", b"\x1a", b'"']
    return _inserted(random, data, random.choice(odd))


def _inserted(random: Random, data: bytes, piece: bytes) -> bytes:
    at = random.randrange(len(data) + 1)
    return data[:at] + piece + data[at:]


def _mark(random: Random, data: bytes) -> bytes:
    return random.choice([b"\xef\xbb\xbf", b"\xef\xbb\xbf" * 2, b"\xff\xfe", b"\n\n  "]) + data


def _encode(random: Random, data: bytes) -> bytes:
    encoding = random.choice(["utf-16", "utf-16-be", "utf-32", "latin-1", "utf-7", "cp037"])
    return data.decode(errors="replace").encode(encoding, errors="replace")


def _twice(random: Random, data: bytes) -> bytes:
    return data + random.choice([b"", b"\n", b",", b"\x00"]) + data


def _duplicate_key(random: Random, data: bytes) -> bytes:
    def doubled(key: bytes) -> bytes:
        return random.choice([key + b"null," + key, key + b'"x",' + key])

    return _replaced(random, data, _KEY, doubled)


def _scalar(random: Random, data: bytes, text: bytes) -> bytes:
    return _replaced(random, data, _SCALAR, lambda _: text)


def _number(random: Random, data: bytes) -> bytes:
    return _scalar(random, data, random.choice(_NUMBERS).encode())


def _nest(random: Random, data: bytes) -> bytes:
    depth = random.choice(_DEPTHS)
    opening, closing = random.choice([(b"[", b"]"), (b'{"a":', b"}")])
    inside = b"1" if opening != b"[" else b""
    return _scalar(random, data, opening * depth + inside + closing * depth)


def _escape(random: Random, data: bytes) -> bytes:
    text = random.choice(_ESCAPES).encode()
    return _replaced(random, data, re.compile(rb'"(?=\w)'), lambda quote: quote + text)


def _long(random: Random, data: bytes) -> bytes:
    size = random.choice([600, 10_000, 1_000_000])
    return _scalar(random, data, b'"' + random.choice([b"a", b"\xc3\xa9", b"\\n"]) * size + b'"')


def _replaced(
    random: Random, data: bytes, pattern: re.Pattern[bytes], by: Callable[[bytes], bytes]
) -> bytes:
    matches = list(pattern.finditer(data))
    if not matches:
        return data
    match = random.choice(matches)
    return data[: match.start()] + by(match.group()) + data[match.end() :]


MUTATIONS: dict[str, Mutation] = {
    "another value": _tree,
    "another value again": _tree,
    "another value once more": _tree,
    "bits flipped": _flip,
    "cut off": _truncate,
    "a piece missing": _cut,
    "a piece twice": _splice,
    "an odd byte": _byte,
    "a mark in front": _mark,
    "another encoding": _encode,
    "all of it twice": _twice,
    "a key twice": _duplicate_key,
    "an odd number": _number,
    "nested deep": _nest,
    "an odd escape": _escape,
    "a long text": _long,
}
