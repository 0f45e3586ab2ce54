"""Redactions as JSON."""

from agentlog.api.shapes.shape import Shape


class Redaction(Shape):
    """The place of the fact that says what was erased.

    `messages` is null for all of the thread, `events` counts whose content went; with it went
    `exchanges` of recorded runs that held it, and `others` that say the same: copies in forks too.
    """

    thread_id: str
    version: int
    position: int
    messages: list[str] | None
    events: int
    exchanges: int
    others: int
    replayed: bool


class FileRedaction(Shape):
    """Which file was erased, and from which messages."""

    sha256: str
    threads: list[Redaction]
    replayed: bool
