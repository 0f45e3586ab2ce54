"""Lossless JSON numbers: decimals keep their digits, integers have any size."""

from typing import Self

from typing_extensions import override

_MAX_NATIVE_DIGITS = 18  # any integer of so many digits fits 64 bits, orjson's limit


class WrittenFloat(float):
    """A JSON number that keeps its text; its value is the nearest float."""

    __slots__ = ("text",)
    text: str

    def __new__(cls, text: str) -> Self:
        """Return the number for `text`."""
        self = super().__new__(cls, text)
        self.text = text
        return self

    @override
    def __reduce__(self) -> tuple[type["WrittenFloat"], tuple[str]]:
        return WrittenFloat, (self.text,)


def integer(text: str) -> int | WrittenFloat:
    """Return the integer for `text`: of any size; -0 keeps its sign."""
    if len(text) <= _MAX_NATIVE_DIGITS and text != "-0":
        return int(text)
    try:
        return int(text) if text != "-0" else WrittenFloat(text)
    except ValueError:  # longer than the interpreter's limit for int(): keep the digits
        return WrittenFloat(text)
