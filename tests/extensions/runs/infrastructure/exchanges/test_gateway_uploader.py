"""Whatever cannot be uploaded is put aside and tried again; it holds up no thread and no tenant."""

import json
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlog.api.composition import Service, open_service
from agentlog.domain.errors import InvalidInput, UnknownThread
from agentlog.domain.identifiers import Ulids, derived_message_id
from agentlog.domain.json.values import integer_at, object_of
from agentlog.domain.messages import CustomMessage
from agentlog.extensions.runs.infrastructure.exchanges.gateway_files import GatewayFiles
from agentlog.extensions.runs.infrastructure.exchanges.gateway_uploader import GatewayUploader
from agentlog.extensions.runs.infrastructure.exchanges.spool import (
    Header,
    SpoolWriter,
    create_spool,
)
from agentlog.extensions.runs.infrastructure.exchanges.spools_aside import aside_in
from agentlog.extensions.runs.infrastructure.exchanges.uploader import upload_left
from agentlog.extensions.runs.projections.recordings.conversations import PREFIX
from agentlog.infrastructure.postgres.errors import (
    DatabaseUnavailable,
    LockNotGranted,
    StatementTooLong,
    TenantElsewhere,
    TenantMoving,
)
from agentlog.infrastructure.settings import Settings
from agentlog.infrastructure.threads import Threads
from agentlog.projections.exchanges.exchange import TYPE, Exchange

TENANTS, THREADS = ("a", "b"), ("x", "y")
ERRORS: tuple[Callable[[], Exception], ...] = (
    RecursionError,
    MemoryError,
    OSError,
    KeyError,
    psycopg.errors.InternalError,
    lambda: InvalidInput("refused"),
    lambda: TenantElsewhere("a", "there"),
    lambda: TenantMoving("a", "there"),
    lambda: StatementTooLong("slow"),
    lambda: LockNotGranted("slow"),
    lambda: DatabaseUnavailable("away"),
)
PLACES = ("append", "start", "messages", "heads")
DEEP = b'{"model":"m","messages":' + b"[" * 2000 + b"]" * 2000 + b"}"


@dataclass(slots=True)
class Fault:
    """What a call fails with, of a tenant and of a thread if it is named, while it lasts."""

    error: Callable[[], Exception]
    place: str
    tenant: str
    thread: str | None
    times: int | None

    def meet(self, place: str, tenant: str, thread: str) -> None:
        if (place, tenant) != (self.place, self.tenant) or self.thread not in {None, thread}:
            return
        if self.times is None or self.times > 0:
            self.times = None if self.times is None else self.times - 1
            raise self.error()


@dataclass(slots=True)
class Failing:
    """Threads whose calls fail as faults say; a real log has the others."""

    threads: Any
    tenant: str
    faults: list[Fault]
    names: dict[str, str]

    def _call(self, place: str, thread: object, *args: Any, **more: Any) -> Any:
        named = next((name for name, real in self.names.items() if real == thread), "")
        for fault in self.faults:
            fault.meet(place, self.tenant, named)
        return getattr(self.threads, place)(thread, *args, **more)

    def append(self, *args: Any, **more: Any) -> Any:
        return self._call("append", *args, **more)

    def start(self, *args: Any, **more: Any) -> Any:
        return self._call("start", *args, **more)

    def messages(self, *args: Any, **more: Any) -> Any:
        return self._call("messages", *args, **more)

    def heads(self, *args: Any, **more: Any) -> Any:
        return self._call("heads", *args, **more)


@pytest.fixture(name="service", scope="module")
def _service(shared_database_url: str) -> Iterator[Service]:
    with open_service(Settings(database_url=shared_database_url)) as service:
        yield service


NUMBERS = count()


@dataclass
class World:
    """A gateway's folder, and uploaders of it one after another, in time that a test moves."""

    service: Service
    folder: Path
    faults: list[Fault]
    now: float = 1000.0
    ids: Ulids = field(default_factory=lambda: Ulids(lambda: next(NUMBERS), lambda bits: bits))
    run: int = field(default_factory=lambda: next(NUMBERS))

    def __post_init__(self) -> None:
        self.names = {name: f"{name}-{self.run}" for name in THREADS}
        self.restart()

    def restart(self) -> None:
        self.uploader = GatewayUploader(
            self.folder,
            self.threads_of,
            new_run=self.ids,
            clock=lambda: int(self.now * 1000),
            ticks=lambda: self.now,
        )

    def threads_of(self, tenant: str) -> Threads:
        real = self.service.tenants[tenant].threads
        return cast("Threads", Failing(real, tenant, self.faults, self.names))

    def write(self, tenant: str, thread: str, number: int, request: bytes | None = None) -> None:
        files = GatewayFiles(self.folder, tenant, new_id=self.ids)
        texts = ("do it", f"text {number}")
        body = {"model": "m", "messages": [{"role": "user", "content": text} for text in texts]}
        exchange = Exchange(
            attempt=files.next_attempt(),
            method="POST",
            path="/v1/chat/completions",
            request=json.dumps(body).encode() if request is None else request,
            end="complete",
            started_at=number,
            duration_ms=1.0,
            status=200,
            response=b"{}",
            thread=self.names[thread],
        )
        files.begin(exchange)
        files.end(exchange)

    def pass_time(self, seconds: float) -> None:
        end = self.now + seconds
        while self.now < end:
            with suppress(DatabaseUnavailable):
                self.uploader.upload()
            self.now += 5.0

    def recorded(self, tenant: str, thread: str) -> list[int]:
        """Return the numbers of a thread's exchanges in the log, also where it refuses them."""
        threads = self.service.tenants[tenant].threads
        real = self.names[thread]
        numbers: list[int] = []
        for name in (real, f"{PREFIX}{derived_message_id(real, 'instead')}"):
            with suppress(UnknownThread):
                numbers += [
                    integer_at(object_of(event.message.payload), "startedAt") or 0
                    for event in threads.messages(name, types=[TYPE])
                    if isinstance(event.message, CustomMessage)
                ]
        return numbers


FAULTS = st.builds(
    Fault,
    st.sampled_from(ERRORS),
    st.sampled_from(PLACES),
    st.sampled_from(TENANTS),
    st.sampled_from([None, *THREADS]),
    st.sampled_from([1, 2, 5, None]),
)
STEPS = st.lists(
    st.tuples(st.sampled_from(TENANTS), st.sampled_from(THREADS))
    | st.sampled_from(["restart", "wait"]),
    min_size=1,
    max_size=8,
)


@given(faults=st.lists(FAULTS, max_size=3), steps=STEPS)
def test_a_failure_holds_up_nothing_else_and_nothing_is_lost(
    service: Service, faults: list[Fault], steps: list[Any]
) -> None:
    with TemporaryDirectory() as folder:
        world = World(service, Path(folder), faults)
        written = defaultdict[tuple[str, str], list[int]](list)
        for number, step in enumerate(steps):
            if step == "restart":
                world.restart()
            elif step == "wait":
                world.pass_time(5)
            else:
                tenant, thread = step
                world.write(tenant, thread, number)
                written[tenant, thread].append(number)
        concerned = {
            (fault.tenant, thread)
            for fault in faults
            for thread in THREADS
            if fault.thread in {None, thread} or fault.place == "heads"
        }
        world.pass_time(150)
        for (tenant, thread), numbers in written.items():
            if (tenant, thread) not in concerned:
                assert world.recorded(tenant, thread) == numbers
        world.faults.clear()
        world.pass_time(700)  # what was put aside is tried again by itself
        for (tenant, thread), numbers in written.items():
            assert sorted(world.recorded(tenant, thread)) == numbers
        assert [*world.folder.iterdir()] == []


def test_what_cannot_be_uploaded_lies_aside_with_a_note(service: Service, tmp_path: Path) -> None:
    fault = Fault(MemoryError, "append", "a", "x", None)
    world = World(service, tmp_path, [fault])
    world.write("a", "x", 1)
    world.pass_time(60)
    (aside,) = aside_in(tmp_path)
    note = aside.with_name(f"{aside.name}.txt")
    assert "MemoryError" in note.read_text()
    assert note.stat().st_mode & 0o777 == 0o600
    fault.times = 0
    world.restart()
    world.pass_time(60)
    assert world.recorded("a", "x") == [1]
    assert [*tmp_path.iterdir()] == []


def test_a_request_that_is_nested_too_deep_is_on_record_alone(
    service: Service, tmp_path: Path
) -> None:
    world = World(service, tmp_path, [])
    world.write("a", "x", 1, DEEP)
    world.write("a", "y", 2)
    world.pass_time(30)
    assert world.recorded("a", "x") == [1]
    assert world.recorded("a", "y") == [2]


def test_a_file_that_is_too_large_holds_up_no_other(service: Service, tmp_path: Path) -> None:
    world = World(service, tmp_path, [])
    with (tmp_path / "0.spool").open("wb") as file:
        file.truncate(2**27 + 1)
    world.write("a", "x", 1)
    world.pass_time(30)
    assert world.recorded("a", "x") == [1]
    assert "AGENTLOG_MAX_BODY_BYTES" in (tmp_path / "0.spool.aside.txt").read_text()


def test_a_file_that_cannot_be_read_holds_up_no_other(service: Service, tmp_path: Path) -> None:
    world = World(service, tmp_path, [])
    (tmp_path / "0.spool").mkdir()
    world.write("a", "x", 1)
    world.pass_time(30)
    assert world.recorded("a", "x") == [1]
    assert [path.name for path in aside_in(tmp_path)] == ["0.spool.aside"]


@pytest.mark.parametrize("error", [RecursionError, lambda: TenantElsewhere("a", "there")])
def test_a_recording_that_cannot_be_uploaded_holds_up_no_other(
    service: Service, tmp_path: Path, error: Callable[[], Exception]
) -> None:
    world = World(service, tmp_path / "none", [Fault(error, "append", "a", "x", None)])
    threads = world.threads_of("a")
    for number, thread in enumerate(THREADS):
        writer = SpoolWriter(create_spool(tmp_path, Header(f"{number}", world.names[thread])))
        writer.keep(Exchange(1, "GET", "/", b"", "complete", number, status=200))
    uploads = [*upload_left(tmp_path, threads)]
    assert [failure is None for _, failure in uploads] == [False, True]
    assert world.recorded("a", "y") == [1]
    world.faults.clear()
    assert [failure for _, failure in upload_left(tmp_path, threads)] == [None]
    assert world.recorded("a", "x") == [0]
    assert [*tmp_path.iterdir()] == []
