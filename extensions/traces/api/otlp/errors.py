"""Errors of bodies that exporters send: InvalidOtlp, UnknownMediaType, UnknownCoding."""

from collections.abc import Sequence

from agentlog.domain.errors import InvalidInput


class InvalidOtlp(InvalidInput, kind="unreadable"):
    """Not a body of OTLP."""


class UnknownMediaType(InvalidInput, kind="unsupported"):
    """The body is of a kind that this route does not read."""

    def __init__(self, media_type: str, *, takes: Sequence[str]) -> None:
        super().__init__(f"Content-Type {media_type[:64]!r} is none of {', '.join(takes)}")


class UnknownCoding(InvalidInput, kind="unsupported"):
    """The body is compressed in a way that this route does not read."""

    def __init__(self, coding: str) -> None:
        super().__init__(f"Content-Encoding {coding[:64]!r}: send gzip, zstd or no coding")
