"""The spool holds what ended, whatever became of its writer."""

import errno
from pathlib import Path

import pytest

from agentlog.extensions.runs.infrastructure.exchanges.spool import (
    Header,
    SpoolReader,
    SpoolWriter,
    create_spool,
    held_spool,
)
from agentlog.projections.exchanges.exchange import Exchange


def _exchange(attempt: int, end: str = "complete") -> Exchange:
    return Exchange(
        attempt=attempt,
        method="POST",
        path="/v1/messages",
        request=b'{"n": \xff}',
        end=end,
        started_at=attempt,
        duration_ms=1.5,
        status=200,
        headers={"content-type": "x"},
        response=b"\x00answer",
        chunks=[(0, 1.0)],
        session="s",
    )


def _spool(tmp_path: Path) -> Path:
    return create_spool(tmp_path / "spool", Header("run", "thread", "name"))


def test_a_reader_follows_its_writer(tmp_path: Path) -> None:
    path = _spool(tmp_path)
    writer, reader = SpoolWriter(path), SpoolReader(path)
    first, second = _exchange(writer.next_attempt()), _exchange(writer.next_attempt())
    writer.begin(first)
    writer.begin(second)
    assert list(reader.read()) == []
    writer.end(second)
    assert list(reader.read()) == [second]
    writer.end(first)
    assert list(reader.read()) == [first]
    assert reader.header == Header("run", "thread", "name")
    assert path.stat().st_mode & 0o777 == 0o600


def test_attempts_without_an_end_died_with_their_recorder(tmp_path: Path) -> None:
    path = _spool(tmp_path)
    writer = SpoolWriter(path)
    writer.begin(_exchange(writer.next_attempt()))
    again = SpoolWriter(path)
    assert again.next_attempt() == 2
    again.begin(_exchange(2))
    reader = SpoolReader(path)
    assert [(e.attempt, e.end, e.response) for e in reader.read()] == [(1, "recorder_died", b"")]
    assert [(e.attempt, e.end) for e in reader.unfinished()] == [(2, "recorder_died")]


def test_a_spool_cut_at_any_byte_holds_what_stands_before(tmp_path: Path) -> None:
    path = _spool(tmp_path)
    writer = SpoolWriter(path)
    for attempt in (1, 2):
        writer.begin(_exchange(attempt))
        writer.end(_exchange(attempt))
    whole, known = path.read_bytes(), 0
    for size in [*range(0, len(whole), 7), len(whole)]:
        path.write_bytes(whole[:size])
        attempts = [exchange.attempt for exchange in SpoolReader(path).read()]
        assert attempts in ([1, 2][:known], [1, 2][: known + 1])
        known = len(attempts)
        again = SpoolWriter(path)  # the rest of a half line is no line
        again.begin(_exchange(9))
        again.end(_exchange(9))
        assert [exchange.attempt for exchange in SpoolReader(path).read()][-1] == 9
    assert known == 2


def test_that_a_spool_cannot_be_written_stops_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = _spool(tmp_path)
    writer = SpoolWriter(path)

    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, "no space left")

    monkeypatch.setattr("os.write", full)
    writer.begin(_exchange(1))
    writer.end(_exchange(1))
    assert writer.error is not None
    assert writer.error.errno == errno.ENOSPC


def test_one_process_has_a_spool(tmp_path: Path) -> None:
    path = _spool(tmp_path)
    lock = held_spool(path)
    assert lock is not None
    assert held_spool(path) is None
    lock.close()
    again = held_spool(path)
    assert again is not None
    again.close()
