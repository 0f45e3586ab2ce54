"""Recorded runs as files."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlog.domain.json.text import parse, print_bytes
from agentlog.domain.json.values import object_of
from agentlog.extensions.runs.projections.tapes.cassette import (
    InvalidCassette,
    RecordedRun,
    cassette_lines,
    read_cassette,
)
from agentlog.extensions.runs.projections.tapes.changes import Changes
from agentlog.projections.exchanges.exchange import payload_of
from tests.projections.exchanges.test_exchange import EXCHANGES

RUNS = st.lists(EXCHANGES, max_size=4).map(
    lambda exchanges: RecordedRun(
        "run",
        [object_of(parse(print_bytes(payload_of(exchange, "run")))) for exchange in exchanges],
        {"cwd": "/here"},
    )
)
FORKS = st.builds(
    replace,
    RUNS,
    origin=st.none() | RUNS,
    mcp_payloads=st.lists(st.dictionaries(st.text(), st.text(), max_size=2), max_size=2),
    changes=st.builds(
        Changes,
        model=st.none() | st.text(),
        system=st.none() | st.text(),
        without_tools=st.lists(st.text(), max_size=2).map(tuple),
        fields=st.dictionaries(st.text(), st.none() | st.text(), max_size=2),
        results=st.dictionaries(st.text(), st.text(), max_size=2),
    ),
)


def _written(run: RecordedRun) -> list[bytes]:
    return [print_bytes(line) + b"\n" for line in cassette_lines(run)]


@given(FORKS)
def test_a_run_is_read_as_it_was_written(run: RecordedRun) -> None:
    assert read_cassette(_written(run)) == run


@given(RUNS)
def test_pieces_of_requests_stand_once(run: RecordedRun) -> None:
    pieces = [
        line
        for line in _written(RecordedRun("run", [*run.payloads] * 2, {}))
        if b'{"piece"' in line[:9]
    ]
    assert len(pieces) == len(set(pieces))


@given(st.lists(st.binary(max_size=20), max_size=3))
def test_any_file_is_read_or_refused(lines: list[bytes]) -> None:
    with pytest.raises(InvalidCassette, match=r"^line \d+ is none of a cassette: "):
        read_cassette(lines)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"{}", "it has neither piece nor exchange"),
        (b'{"exchange": {"request": {"pieces": [0]}}}', "there is no piece 0"),
        (b'{"exchange": {"request": {"pieces": ["x"]}}}', "there is no piece x"),
        (b"[", ""),
    ],
)
def test_a_line_that_is_off_is_named(line: bytes, reason: str) -> None:
    with pytest.raises(InvalidCassette, match=f"line 2 is none of a cassette: {reason}"):
        read_cassette([b'{"cassette": 1}', line])
