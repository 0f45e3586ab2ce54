"""JSONPath (RFC 9535) as a predicate of messages, bounded in time.

Regular expressions are refused: Python cannot interrupt one that takes long.
"""

from collections.abc import Callable, Iterator

from agentlog.domain.errors import InvalidInput
from agentlog.domain.json.places import Parts
from agentlog.domain.json.values import JsonValue
from agentlog.lazy import lazy_imports

with lazy_imports():
    from agentlog.infrastructure.search import ticking_path

MOST_CHARACTERS = 1000
"""Characters of the longest JSONPath."""

Tick = Callable[[], None]
"""Called at each step; raises when the time is over."""


class InvalidJsonPath(InvalidInput):
    """The JSONPath does not parse, or is not supported."""

    def __init__(self, text: str, reason: str, *, parameter: str) -> None:
        super().__init__(f"{parameter}: {text[:64]!r} is no JSONPath (RFC 9535): {reason}")


class PathTooSlow(InvalidInput):
    """A JSONPath takes too long on one message or state."""

    def __init__(self, parameter: str, thread_id: str, version: int, *, seconds: float) -> None:
        super().__init__(
            f"{parameter}: takes longer than {seconds:g} s on version {version} of thread "
            f"{thread_id!r}: use a simpler JSONPath, or leave that thread out"
        )


def timer(
    parameter: str, thread_id: str, version: int, *, seconds: float, clock: Callable[[], float]
) -> Tick:
    """Return what raises `PathTooSlow` when it is called after `seconds` from now."""
    until = clock() + seconds

    def tick() -> None:
        if clock() > until:
            raise PathTooSlow(parameter, thread_id, version, seconds=seconds)

    return tick


class Predicate:
    """A JSONPath: a message matches where it selects something.

    `parameter` is where it comes from.

    Raises:
        InvalidJsonPath: on construction.
    """

    def __init__(self, text: str, *, parameter: str = "where") -> None:
        if len(text) > MOST_CHARACTERS:
            reason = f"longer than {MOST_CHARACTERS} characters"
            raise InvalidJsonPath(text, reason, parameter=parameter)
        try:
            self._path = ticking_path.TickingPath(text)
        except ticking_path.Unsupported as error:
            raise InvalidJsonPath(text, str(error), parameter=parameter) from error

    @property
    def members(self) -> frozenset[str] | None:
        """The members of the root that it reads; None for all."""
        return self._path.members

    def matches(self, content: JsonValue, tick: Tick) -> Iterator[tuple[Parts, JsonValue]]:
        """Yield place and value of what it selects."""
        return self._path.matches(content, tick)
