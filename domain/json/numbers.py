"""Numbers of JSON that lose nothing: decimals as they were written, integers of any size."""

from typing import Self

from typing_extensions import override

_MAX_NATIVE_DIGITS = 18  # any integer of so many digits fits 64 bits, which orjson prints itself


class Decimal(float):
    """A JSON number that remembers how it was written; as a float it is the nearest one."""

    __slots__ = ("text",)
    text: str

    def __new__(cls, text: str) -> Self:
        """Return the number that `text` writes."""
        self = super().__new__(cls, text)
        self.text = text
        return self

    @override
    def __reduce__(self) -> tuple[type["Decimal"], tuple[str]]:
        return Decimal, (self.text,)


def integer(text: str) -> int | Decimal:
    """Return the integer that `text` writes: of any size, and with its sign where it is -0."""
    if len(text) <= _MAX_NATIVE_DIGITS and text != "-0":
        return int(text)
    try:
        return int(text) if text != "-0" else Decimal(text)
    except ValueError:  # longer than the interpreter's limit for int(): keep the digits themselves
        return Decimal(text)
