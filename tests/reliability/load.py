"""Clients that append over HTTP, each message again and again until it is acknowledged."""

import http.client
import json
import random
import threading
import time
from collections.abc import Sequence
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlsplit

from ulid import ULID

from tests.reliability.ledger import Ledger

GIVE_UP_SECONDS = 90.0
_PAUSE_SECONDS = 0.1  # a client is polite to a server that is not there
_PROMPTS = [f"You are agent {number}. " + "Be kind. " * 100 for number in range(5)]

Append = tuple[str, list[Any]]


class Load:
    """So many clients at once, on threads of their own and on those that all share.

    `timeout`: seconds after which a client takes an answer for lost. `pause`: seconds between the
    appends of a client. `turn`: acknowledgements after which all go on to new threads.
    """

    def __init__(  # noqa: PLR0913 - named, and all but two have their default
        self,
        address: str,
        ledger: Ledger,
        *,
        clients: int = 6,
        seed: int = 1,
        timeout: float = 30.0,
        pause: float = 0.0,
        turn: int | None = None,
    ) -> None:
        self._turn = turn
        self._where = urlsplit(address)
        self._ledger = ledger
        self._timeout, self._pause = timeout, pause
        self._ending = threading.Event()
        self._clients = [
            threading.Thread(target=self._work, args=(f"{seed}-{number}",), daemon=True)
            for number in range(clients)
        ]

    @property
    def threads(self) -> list[str]:
        """Threads that all clients append to now."""
        return [f"shared-{number}{self._suffix}" for number in range(3)]

    @property
    def _suffix(self) -> str:
        return "" if self._turn is None else f"-{self._ledger.count // self._turn}"

    def __enter__(self) -> Self:
        for client in self._clients:
            client.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Let each client get its last message acknowledged, and end."""
        self._ending.set()
        for client in self._clients:
            client.join(GIVE_UP_SECONDS * 2)
        assert not any(client.is_alive() for client in self._clients)

    def _work(self, name: str) -> None:
        rng = random.Random(name)  # noqa: S311 - what to send next is no secret
        number = 0
        while not self._ending.is_set():
            number += 1
            own = [f"own-{name}-{number}{self._suffix}" for number in range(2)]
            threads = [*self.threads, *own]
            many = rng.random() < 0.1
            appends = [
                (thread_id, drawn(rng, f"{name}-{number}-{line}"))
                for line, thread_id in enumerate(rng.sample(threads, 4 if many else 1))
            ]
            if not send(self._where, self._ledger, appends, timeout=self._timeout):
                return
            if self._pause:
                self._ending.wait(self._pause)


def drawn(rng: random.Random, mark: str) -> list[Any]:
    """Return messages to be appended together; `mark` is in their texts."""
    kind = rng.random()
    if kind < 0.2:
        call = f"call-{mark}"
        return [
            _message("tool_calls", calls=[{"id": call, "name": "look", "args": {"at": mark}}]),
            _message("tool_results", results=[{"callId": call, "output": mark * 20}]),
        ]
    if kind < 0.3:
        return [_message("system", text=rng.choice(_PROMPTS)), _message("input", text=mark)]
    size = 40_000 if kind < 0.33 else rng.randrange(600)
    return [_message("reply", text=f"{mark} " + "x" * size)]


def send(where: Any, ledger: Ledger, appends: Sequence[Append], *, timeout: float) -> bool:
    """Send appends, together where there are many, until all are acknowledged.

    Returns whether they were; what is refused is no way to go on.
    """
    for thread_id, messages in appends:
        ledger.sending(thread_id, messages)
    until = time.monotonic() + GIVE_UP_SECONDS
    while time.monotonic() < until:
        began = time.monotonic()
        try:
            status, answers = _posted(where, appends, timeout)
        except (OSError, http.client.HTTPException, json.JSONDecodeError) as error:
            # also where no more came than a status and some headers
            ledger.came(type(error).__name__)
        else:
            for answer in answers:
                ledger.acknowledged(answer)
            ledger.came(status)
            if status == "acknowledged":
                kind = "append" if len(appends) == 1 else "bulk append"
                ledger.times[kind].append((began, 1000 * (time.monotonic() - began)))
                return True
            if status != "503":
                return False
        time.sleep(_PAUSE_SECONDS)
    ledger.came("given up")
    return False


def _posted(where: Any, appends: Sequence[Append], timeout: float) -> tuple[str, list[Any]]:
    """Return what came of one try: in a word, and the acknowledgements that there were."""
    connection = http.client.HTTPConnection(where.hostname, where.port, timeout=timeout)
    try:
        if len(appends) == 1:
            ((thread_id, messages),) = appends
            connection.request("POST", f"/v1/threads/{thread_id}/messages", json.dumps(messages))
            answer = connection.getresponse()
            body = answer.read()
            if answer.status in {200, 201}:
                return "acknowledged", [json.loads(body)]
            return _refusal(answer.status, body.decode()), []
        lines = [json.dumps({"threadId": item[0], "messages": item[1]}) for item in appends]
        connection.request("POST", "/v1/log", "\n".join(lines))
        answer = connection.getresponse()
        body = answer.read()
        if answer.status != http.client.OK:
            return _refusal(answer.status, body.decode()), []
        told = [json.loads(line) for line in body.splitlines()]
        done = [line["appended"] for line in told if "appended" in line]
        refused = [line["problem"] for line in told if "problem" in line]
        words = {_refusal(problem["status"], problem["detail"]) for problem in refused}
        if len(told) < len(appends):
            words.add("503")
        return (max(words) if words else "acknowledged"), done
    finally:
        connection.close()


def _refusal(status: int, detail: str) -> str:
    return "503" if status == http.client.SERVICE_UNAVAILABLE else f"{status} {detail}"


def _message(type_name: str, **fields: Any) -> dict[str, Any]:
    return {"id": str(ULID()), "type": type_name, **fields}
