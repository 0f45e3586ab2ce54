"""Readers that go on where they left off: none may miss anything, or get it twice."""

import threading
import time
from collections.abc import Callable
from typing import Any

import httpx2
import psycopg
from typing_extensions import override

from tests.api.listeners import _frames
from tests.clients import TLS
from tests.reliability.postgres import OwnPostgres
from tests.waiting import WAIT_SECONDS

END = "the end"
"""The text of the last message of each thread that is followed, and of the log."""
LAST_THREAD = "the-end"
"""The thread of the log's last message."""

_PAUSE_SECONDS = 0.05


class Reader(threading.Thread):
    """Reads on in a thread of its own until it has read the end; `ids` are messages in order."""

    def __init__(self, name: str) -> None:
        super().__init__(name=name, daemon=True)
        self.ids: list[str] = []
        self.broke = True
        """Whether something broke, where it is not the end."""
        self.breaks = 0
        """How often it had to begin again after it had read something."""
        self.statuses: set[int] = set()
        """What it was answered in place of what it asked for."""

    def wait(self) -> None:
        """Wait until it has read the end."""
        self.join(WAIT_SECONDS)
        assert not self.is_alive(), f"{self.name}: {len(self.ids)} read, and no end in sight"

    @override
    def run(self) -> None:
        read = 0
        while not self.go_on():
            self.breaks += self.broke and len(self.ids) > read
            read = len(self.ids)
            time.sleep(_PAUSE_SECONDS)

    def go_on(self) -> bool:
        """Read until the end, or until something breaks; return whether it was the end."""
        raise NotImplementedError


class Follower(Reader):
    """Follows the log, or a thread as the kernel view has it, by server-sent events."""

    def __init__(self, address: str, thread_id: str | None = None) -> None:
        super().__init__(f"follower of {thread_id or 'the log'}")
        self._url = address + (f"/v1/threads/{thread_id}/events" if thread_id else "/v1/log/events")
        self.thread_id = thread_id
        self._last_id: str | None = None

    @override
    def go_on(self) -> bool:
        headers = {} if self._last_id is None else {"Last-Event-ID": self._last_id}
        try:
            with (
                httpx2.Client(timeout=WAIT_SECONDS, trust_env=False, verify=TLS) as client,
                client.stream("GET", self._url, headers=headers) as response,
            ):
                if response.status_code != httpx2.codes.OK:
                    self.statuses.add(response.status_code)
                    return False
                for frame in _frames(response.iter_raw()):
                    self._last_id = frame.id or self._last_id
                    if frame.data is not None and self._ends(frame.value):
                        return True
        except httpx2.TransportError:
            pass
        return False

    def _ends(self, value: Any) -> bool:
        message = value.get("message", value)
        self.ids.append(message["id"])
        ours = self.thread_id is not None or value["threadId"] == LAST_THREAD
        return bool(ours and message.get("text") == END)


class Tail(Reader):
    """Asks again and again for what lies beyond the last position that it has seen."""

    def __init__(self, name: str, read: Callable[[int], list[tuple[int, str, str]]]) -> None:
        super().__init__(name)
        self._read = read
        self.positions = [0]

    @override
    def go_on(self) -> bool:
        self.broke = True
        try:
            rows = self._read(self.positions[-1])
        except httpx2.HTTPStatusError as error:
            self.statuses.add(error.response.status_code)
            return False
        except (psycopg.OperationalError, httpx2.TransportError):
            return False
        for position, message_id, thread_id in rows:
            self.positions.append(position)
            self.ids.append(message_id)
            if thread_id == LAST_THREAD:
                return True
        self.broke = False
        return False


def tail_of_table(postgres: OwnPostgres) -> Tail:
    """Return a tail that asks the database itself."""
    return Tail(
        "tail of the table",
        lambda after: postgres.fetch(
            "SELECT position, message_id, thread_id FROM agentlog.events "
            "WHERE position > %(after)s ORDER BY position LIMIT 50",
            after=after,
        ),
    )


def tail_of_log(address: str) -> Tail:
    """Return a tail that asks the service."""

    def read(after: int) -> list[tuple[int, str, str]]:
        answer = httpx2.get(
            f"{address}/v1/log?after={after}&limit=50",
            timeout=WAIT_SECONDS,
            trust_env=False,
            verify=TLS,
        )
        answer.raise_for_status()
        items = answer.json()["items"]
        return [(item["position"], item["message"]["id"], item["threadId"]) for item in items]

    return Tail("tail of GET /v1/log", read)
