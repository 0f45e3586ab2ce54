"""Counts the parts of a JSON text before it is parsed.

The cost of parsing depends on the number of values more than on bytes: 15 MB in one string are
cheap, 15 MB of empty arrays take half a gigabyte. This makes a few passes over the bytes, none of
which holds the interpreter lock for long.
"""

from typing import Literal

_SIGNS = b"[]{}:,"
_MESSAGES, _MARK = b'"messages"', b"m"  # the mark occurs in no number and no literal
_NO_PARTS = bytes(set(range(256)) - set(_SIGNS + b'"'))
_NO_SIGNS = bytes(set(range(256)) - set(_SIGNS + _MARK))
_IN_AN_OBJECT = 2  # levels


def exceeded(text: bytes, *, parts: int, messages: int) -> Literal["parts", "messages"] | None:
    """Return the limit that a JSON text exceeds, or None.

    Parts are brackets, colons, commas and strings. Messages are the items of the outermost array,
    or of that under the key `messages` of the outermost object; a key that is spelled with escapes
    is not found. In a text that is not JSON, all before its first flaw counts.
    """
    candidates = text.translate(None, _NO_PARTS)
    if len(candidates) <= parts and candidates.count(b",") < messages:
        return None  # even if all of them count
    text = text.replace(rb"\\", b"").replace(rb"\"", b"")  # no quote is escaped from here on
    strings = text.count(b'"') // 2
    if strings > parts:
        return "parts"
    outside = b"".join(text.replace(_MESSAGES, _MARK).split(b'"')[::2])
    signs = outside.translate(None, _NO_SIGNS)
    if strings + len(signs) - signs.count(_MARK) > parts:
        return "parts"
    return "messages" if _has_more_messages(signs, messages) else None


def _has_more_messages(signs: bytes, most: int) -> bool:
    if signs.count(b",") < most:
        return False
    depth, counted, items = 0, -1, 0
    for sign in signs.replace(b"m:[", b"M").decode():  # one letter marks the array of messages
        if sign in "[{M":
            depth += 1
            if (depth == 1 and sign == "[") or (depth == _IN_AN_OBJECT and sign == "M"):
                counted, items = depth, 1
        elif sign in "]}":
            if depth == counted:
                counted = -1
            depth -= 1
        elif sign == "," and depth == counted:
            items += 1
            if items > most:
                return True
    return False
