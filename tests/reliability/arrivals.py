"""Spans that an exporter sends and files that are imported, each again until it is in."""

import http.client
import json
import random
import signal
import subprocess
import tempfile
import threading
from collections import Counter
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlsplit

from agentlog.domain.json.text import parse
from agentlog.extensions.traces.projections.export.otlp import export_request
from agentlog.infrastructure.postgres.database import Database
from tests.command_line import started
from tests.extensions.traces.spans import story
from tests.infrastructure.appends import fetch

PREFIXES = "^(spans|import)-"
"""What the names of their threads begin with."""
_PAUSE_SECONDS = 0.1
_GIVE_UP_SECONDS = 180
_TOLD = ["system", "input", "tool_calls", "tool_results", "reply"]


class Arrivals:
    """An exporter that sends each span by itself, and an importer that is killed now and then."""

    def __init__(self, address: str, url: str) -> None:
        self._where = urlsplit(address)
        self._url = url
        self._ending = threading.Event()
        self._threads = [
            threading.Thread(target=work, daemon=True) for work in (self._export, self._import)
        ]
        self.spans: list[tuple[str, str]] = []
        """Thread and id of those that were acknowledged."""
        self.imports: dict[str, list[str]] = {}
        """Texts by thread, of those that said they were done."""
        self.kills = 0

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._ending.set()
        for thread in self._threads:
            thread.join(_GIVE_UP_SECONDS)
        assert not any(thread.is_alive() for thread in self._threads)

    def _export(self) -> None:
        for number in count(1):
            if self._ending.is_set():
                return
            thread_id = f"spans-{number}"
            for span in story(trace=f"{number:032x}"):
                span["attributes"]["gen_ai.conversation.id"] = thread_id
                while not self._is_taken(span):
                    self._ending.wait(_PAUSE_SECONDS)
                self.spans.append((thread_id, span["spanId"]))

    def _is_taken(self, span: Any) -> bool:
        connection = http.client.HTTPConnection(self._where.hostname or "", self._where.port)
        try:
            body = json.dumps(export_request([span]))
            connection.request(
                "POST", "/otlp/v1/traces", body, {"Content-Type": "application/json"}
            )
            answer = connection.getresponse()
            return (answer.status, answer.read()) == (200, b"{}")
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()

    def _import(self) -> None:
        rng = random.Random(3)  # noqa: S311 - moments of a test
        with tempfile.TemporaryDirectory() as folder:
            for number in count(1):
                if self._ending.is_set():
                    return
                texts = [f"{number}-{n}" for n in range(rng.randrange(20, 200))]
                file = Path(folder) / f"import-{number}.json"
                file.write_text(json.dumps([{"role": "user", "content": text} for text in texts]))
                while not self._is_imported(file, rng.choice([None, rng.random() * 3])):
                    pass
                self.imports[file.stem] = texts

    def _is_imported(self, file: Path, seconds: float | None) -> bool:
        """Import a file, or kill that after some seconds; return whether it is in."""
        with started("import", file, "--thread-id", "{stem}", url=self._url) as process:
            try:
                process.communicate(timeout=seconds)
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
                process.communicate()
                self.kills += 1
        return process.returncode == 0


def check_arrivals(database: Database, arrivals: Arrivals) -> str:
    """See that what arrived is there once and in its order; return what was looked at, in words."""
    rows = fetch(
        database,
        "SELECT thread_id, type, agentlog.body_of(tenant, body, cuts) FROM agentlog.events "
        "WHERE thread_id ~ %s ORDER BY position",
        PREFIXES,
    )
    bodies: dict[str, list[Any]] = {}
    for thread_id, kind, body in rows:
        bodies.setdefault(thread_id, []).append((kind, parse(bytes(body))))
    spans = Counter(
        (thread_id, body["payload"]["spanId"])
        for thread_id, events in bodies.items()
        for kind, body in events
        if kind == "otel.span"
    )
    assert not set(arrivals.spans) - set(spans), "acknowledged, and not in the log"
    assert set(spans.values()) <= {1}
    for thread_id, events in bodies.items():
        kinds = [kind for kind, _ in events if kind in _TOLD]
        if thread_id in arrivals.imports:
            texts = [body["text"] for kind, body in events if kind == "input"]
            assert texts == arrivals.imports[thread_id]
        else:
            assert kinds == _TOLD
    messages = sum(map(len, arrivals.imports.values()))
    return (
        f"{len(arrivals.spans):,} spans acknowledged, {len(arrivals.imports)} imports of "
        f"{messages:,} messages done, killed {arrivals.kills} times before: each there once and "
        "in its place"
    )
