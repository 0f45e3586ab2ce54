"""How requests are retried, pages go on and streams resume: once, for both clients.

A program is a generator. It yields what is to be done, and is sent what came of it; a client does
it, by threads or by asyncio. (httpx2's `Auth.auth_flow` is of this kind.)
"""

import re
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from itertools import islice
from random import SystemRandom
from typing import Any, TypeVar

from agentlog_client.errors import AgentlogError, ServiceAway, UnexpectedAnswer, problem_of
from agentlog_client.frames import FrameParser
from agentlog_client.operation import (
    Answer,
    Listing,
    Operation,
    Request,
    Stream,
    next_page,
    with_headers,
)

T = TypeVar("T")

_uniform = SystemRandom().uniform  # not of the generator that an agent may seed
_MOST_DIGITS = 9
_LONGEST_WAIT = 60.0
"""Seconds; a service that asks for more is not waited for."""


@dataclass(frozen=True, slots=True)
class Ask:
    """Send a request, and come back with an `Answer` or `Failed`."""

    request: Request


@dataclass(frozen=True, slots=True)
class Open:
    """The same, but leave the body of a success to be read."""

    request: Request


@dataclass(frozen=True, slots=True)
class Read:
    """Come back with the next bytes of what was opened, None at its end, or `Failed`."""


@dataclass(frozen=True, slots=True)
class Pause:
    """Wait so many seconds."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Emit:
    """Hand an item to the caller."""

    item: Any


@dataclass(frozen=True, slots=True)
class Failed:
    """No answer came from an address, or not a whole one."""

    url: str
    error: Exception


Command = Ask | Open | Read | Pause
Outcome = Answer | Failed | bytes | None
Program = Generator[Command, Outcome, T]
Emitter = Generator[Command | Emit, Outcome, None]


@dataclass(frozen=True, slots=True)
class Retries:
    """How often a request is sent, at most, and the pauses between: doubled up to `longest`."""

    attempts: int = 5
    first: float = 0.2
    longest: float = 5.0

    def pauses(self) -> Iterator[float]:
        """Yield seconds without end; drawn, so that many clients do not come back at once."""
        pause = self.first
        while True:
            yield pause * _uniform(0.5, 1)
            pause = min(2 * pause, self.longest)


def exchange(operation: Operation[T], retries: Retries) -> Program[T]:
    """Return what an operation answers.

    Raises:
        AgentlogError: it is refused, or nothing answers.
    """
    attempts = retries.attempts if operation.repeatable else 1
    answer = yield from _answered(Ask(operation.request), islice(retries.pauses(), attempts - 1))
    return _read(operation.read, answer)


def emitted(source: Listing[Any] | Stream[Any], retries: Retries) -> Emitter:
    """Emit the items of all pages of a list, or what a stream tells."""
    return _pages(source, retries) if isinstance(source, Listing) else _followed(source, retries)


def _pages(listing: Listing[Any], retries: Retries) -> Emitter:
    request = listing.first
    while True:
        answer = yield from _answered(Ask(request), islice(retries.pauses(), retries.attempts - 1))
        items, following = _read(listing.read, answer)
        for item in items:
            yield Emit(item)
        if following is None:
            return
        request = next_page(listing.first, following)


def _followed(stream: Stream[Any], retries: Retries) -> Emitter:
    """Where a stream breaks off, open it again after the last event, for as long as it takes.

    Raises:
        ServiceAway: nothing answers at first; or it broke off, and its view cannot be resumed.
    """
    place: str | None = None
    began = False
    pauses: Iterator[float] = islice(retries.pauses(), retries.attempts - 1)
    while True:
        yield from _answered(Open(with_headers(stream.request, Last_Event_ID=place)), pauses)
        parser = FrameParser()
        while isinstance(chunk := (yield Read()), bytes):
            for frame in parser.frames(chunk):
                began, place = True, frame.id or place
                if (item := stream.read(frame)) is not None:
                    yield Emit(item)
        if chunk is None and stream.finite:
            return
        pauses = retries.pauses()
        if began and place is None:
            raise ServiceAway("the stream broke off, and this view cannot be resumed: follow anew")
        yield Pause(retries.first)


def _answered(command: Ask | Open, pauses: Iterator[float]) -> Program[Answer]:
    """Return the first answer that is no error worth a retry; raise it if it is one."""
    while True:
        outcome = yield command
        if isinstance(outcome, Answer) and outcome.status < 400:  # noqa: PLR2004 - RFC 9110
            return outcome
        least = _wait_before_retry(outcome)
        pause = None if least is None else next(pauses, None)
        if pause is None or least is None:
            raise _error_of(command.request, outcome)
        yield Pause(max(least, pause))


def _wait_before_retry(outcome: Outcome) -> float | None:
    """Return the least seconds to wait; None where waiting does not help."""
    if not isinstance(outcome, Answer):
        return 0.0
    after = outcome.headers.get("retry-after", "")
    is_number = after.isascii() and after.isdecimal() and len(after) <= _MOST_DIGITS
    if outcome.status not in {429, 503} or not is_number or int(after) > _LONGEST_WAIT:
        return None
    return float(after)


def _read(read: Callable[[Answer], T], answer: Answer) -> T:
    try:
        return read(answer)
    except (ValueError, KeyError, TypeError) as error:
        start = answer.body[:200].decode("utf-8", "replace")
        raise UnexpectedAnswer(f"no answer of agentlog: {start!r} ({error})") from error


def _error_of(request: Request, outcome: Outcome) -> AgentlogError:
    match outcome:
        case Answer(status, _, body):
            try:
                return problem_of(status, outcome.json())
            except ValueError:  # another server's
                return problem_of(status, body.decode("utf-8", "replace"))
        case Failed(url, error):
            shown = re.sub("//[^/@]*@", "//", url)  # without a password
            away = ServiceAway(f"{request.method} {shown}: no answer ({error!r})")
            away.__cause__ = error
            return away
        case _:
            raise TypeError(outcome)
