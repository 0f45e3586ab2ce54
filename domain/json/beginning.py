"""Beginnings of texts, as long as read models and folds without contents get of a long one."""

import orjson

BEGINNING_BYTES = 1024
"""Most bytes of a beginning, as JSON prints it without quotes."""

_LONGEST_ESCAPE = 6  # bytes that a printed character takes at most
_ALWAYS_WHOLE = BEGINNING_BYTES // _LONGEST_ESCAPE


def bytes_beyond(characters: int) -> int:
    """Return how long a beginning shows whether a text has more characters than these."""
    return (characters + 1) * _LONGEST_ESCAPE


def readable(beginning: bytes) -> bytes:
    """Return the longest prefix of a JSON text without a partial character or escape."""
    text = beginning.decode("utf-8", "ignore").encode()
    escape = text.rfind(b"\\", -_LONGEST_ESCAPE)
    if escape < 0:
        return text
    head, rest = text[: escape + 1], text[escape + 1 :]
    begins_escape = (len(head) - len(head.rstrip(b"\\"))) % 2
    is_partial = not rest or (rest[:1] == b"u" and len(rest) < _LONGEST_ESCAPE - 1)
    return text[:escape] if begins_escape and is_partial else text


def beginning_of(text: str) -> str:
    """Return the beginning of a text: the same of the text and of its beginning."""
    if len(text) <= _ALWAYS_WHOLE:
        return text
    written = orjson.dumps(text[:BEGINNING_BYTES])[1:-1]
    beginning: str = orjson.loads(b'"%b"' % readable(written[:BEGINNING_BYTES]))
    return beginning
