"""Errors of requests to erase."""

from agentlog.domain.errors import InvalidInput, NotThere, Refused


class NotRedactable(Refused):
    """A fact of the thread is not erased by itself."""

    def __init__(self, thread_id: str, message_id: str, type_name: str) -> None:
        way_out = (
            "it says what was erased and why, and stays"
            if type_name == "thread.redacted"
            else "redact the whole thread"
        )
        super().__init__(
            f"{message_id} is the {type_name} of thread {thread_id!r}, which cannot be redacted by "
            f"itself: {way_out}"
        )


class UnknownFile(NotThere):
    """No message holds that file."""

    def __init__(self, digest: str) -> None:
        super().__init__(
            f"no message holds a file of SHA-256 {digest[:64]!r}: files of fewer than 512 "
            "characters in base64 stand inside their message, as do texts, so redact that message"
        )


class NothingToRedact(InvalidInput):
    """A request to erase that names nothing, or too much."""
