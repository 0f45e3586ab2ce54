"""A server that people follow, and clients that read its server-sent events as they come."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import httpx2
from fastapi import FastAPI

from agentlog.domain.json.text import parse
from agentlog.domain.json.values import JsonValue
from tests.api.servers import running
from tests.clients import TLS
from tests.waiting import WAIT_SECONDS


@dataclass(frozen=True, slots=True)
class Frame:
    """One frame; `id` is None where it gave none. Comments are frames of their own."""

    event: str | None
    id: str | None
    data: str | None
    comment: str | None = None

    @property
    def value(self) -> JsonValue:
        """The data as JSON."""
        assert self.data is not None
        return parse(self.data)


@contextmanager
def followed(app: FastAPI) -> Iterator[str]:
    """Serve an application; yield its address."""
    with running(app) as (_, address):
        yield address


class Listening:
    """One open stream; frames are read one by one, as they come."""

    def __init__(self, response: httpx2.Response) -> None:
        assert response.status_code == 200, response.read()
        assert response.headers["content-type"].startswith("text/event-stream")
        self._pieces = response.iter_raw()
        self._frames = _frames(self._pieces)

    def next(self) -> Frame:
        """Return the next frame that is no heartbeat."""
        return next(frame for frame in self._frames if frame.comment is None)

    def take(self, count: int) -> list[Frame]:
        """Return so many frames."""
        return [self.next() for _ in range(count)]

    def any(self) -> Frame:
        """Return the next frame, be it a heartbeat."""
        return next(self._frames)

    def line(self) -> bytes:
        """Return the next piece of the stream as it comes, in place of frames."""
        return next(self._pieces)

    def rest(self) -> list[Frame]:
        """Return all frames until the stream ends."""
        return [frame for frame in self._frames if frame.comment is None]


@contextmanager
def listening(address: str, path: str, **asked: Any) -> Iterator[Listening]:
    """Yield an open stream."""
    with (
        httpx2.Client(
            base_url=address, timeout=WAIT_SECONDS, trust_env=False, verify=TLS
        ) as client,
        client.stream("GET", path, **asked) as response,
    ):
        yield Listening(response)


def heard(address: str, path: str, **asked: Any) -> list[Frame]:
    """Return all frames of a stream that ends."""
    with listening(address, path, **asked) as stream:
        return stream.rest()


def _frames(pieces: Iterator[bytes]) -> Iterator[Frame]:
    held = b""
    for chunk in pieces:
        held += chunk
        *whole, held = held.split(b"\n\n")
        for text in whole:
            yield _frame(text.decode())


def _frame(text: str) -> Frame:
    fields: dict[str, str] = {}
    for line in text.split("\n"):
        name, _, value = line.partition(":")
        fields[name] = value.removeprefix(" ")
    only_comment = set(fields) == {""}
    return Frame(
        fields.get("event"),
        fields.get("id"),
        fields.get("data"),
        fields[""] if only_comment else None,
    )
