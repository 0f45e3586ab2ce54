"""Errors of forks."""

from agentlog.domain.errors import InvalidInput


class ForkTooLong(InvalidInput):
    """There are more messages up to the point than a fork copies."""

    def __init__(self, thread_id: str, *, most: int) -> None:
        super().__init__(
            f"thread {thread_id!r} has more than {most} messages up to there: fork it at an "
            "earlier point"
        )
