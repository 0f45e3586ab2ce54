"""Runs of LangSmith in hostile shapes: work grows as the request does."""

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any
from uuid import UUID

import pytest

from agentlog.api.http.request.limits import USUAL, TooManyParts
from agentlog.domain.errors import InvalidInput
from agentlog.extensions.traces.api.langsmith.multipart import read_multipart
from agentlog.extensions.traces.api.langsmith.operations import Operations
from agentlog.extensions.traces.api.otlp.work import Work
from agentlog.extensions.traces.projections.readers.placement import Tree, in_conversations
from agentlog.extensions.traces.projections.readers.recorder import recorded
from agentlog.extensions.traces.projections.readers.runs.parts import completed, part_of
from agentlog.extensions.traces.projections.readers.runs.run import WIRE
from agentlog.extensions.traces.projections.readers.thread import SpanThread
from agentlog.projections.view import Item
from tests.bounds.counted import lines_of, peak_bytes_of

TYPE = "multipart/form-data; boundary=b"
TRACE = str(UUID(int=1))


def _id(number: int) -> str:
    return str(UUID(int=number))


def _run(number: int, **more: Any) -> bytes:
    run = {"run_type": "llm", "trace_id": TRACE, "end_time": "2026-01-05T12:00:00Z", **more}
    return _part(f"post.{_id(number)}", json.dumps(run).encode())


def _part(name: str, data: bytes) -> bytes:
    return b'--b\r\nContent-Disposition: form-data; name="%b"\r\n\r\n%b\r\n' % (name.encode(), data)


def _body(*parts: bytes) -> bytes:
    return b"".join(parts) + b"--b--\r\n"


def _said(count: int, first: str = "x") -> Item:
    return {"messages": [{"role": "user", "content": first}] + [{"role": "user"}] * count}


SHAPES: Mapping[str, Callable[[int], bytes]] = {
    "runs": lambda n: _body(*(_run(m) for m in range(1, n + 1))),
    "a chain of parents": lambda n: _body(
        *(_run(m, parent_run_id=_id(m - 1)) for m in range(2, n + 1))
    ),
    "a chain of parents below a name": lambda n: _body(
        _run(1, extra={"metadata": {"thread_id": "t"}}),
        *(_run(m, parent_run_id=_id(m - 1)) for m in range(2, n + 1)),
    ),
    "a circle of parents": lambda n: _body(
        *(_run(m, parent_run_id=_id(m % n + 1)) for m in range(1, n + 1))
    ),
    "ends of one run": lambda n: _body(
        *(_part(f"patch.{TRACE}", b'{"outputs":{"n":%d}}' % m) for m in range(n))
    ),
    "fields of one run": lambda n: _body(
        *(_part(f"post.{TRACE}.f{m}", b"{}") for m in range(n)), _run(1)
    ),
    "files of one run": lambda n: _body(*(_part(f"attachment.{TRACE}.{m}", b"") for m in range(n))),
    "contexts": lambda n: _body(*(_run(m, inputs=_said(1, str(m))) for m in range(1, n + 1))),
    "a long context": lambda n: _body(_run(1, inputs=_said(n)), _run(2, inputs=_said(n, "y"))),
    "empty parts": lambda n: b"--b\r\n\r\n" * n + b"--b--\r\n",
    "headers of a part": lambda n: _body(b"--b\r\n" + b"Content-Type: a\r\n" * n + b"\r\n"),
}


def _take(body: bytes, work: Work) -> int:
    operations = Operations(USUAL, work)
    read_multipart(body, TYPE, operations)
    parts = [part_of(run, trace_id=TRACE) for run in operations.runs]
    tree = Tree({part.key: (part.trace_id, part.parent_id) for part in parts})
    thread = SpanThread(WIRE)
    spans = [
        completed(placed.span, thread.runs, lambda _: {})
        for placed in in_conversations(parts, {}, tree, lambda _: False)
    ]
    return len(recorded(thread, spans))


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_eight_times_the_request_is_about_eight_times_the_work(
    shape: Callable[[int], bytes],
) -> None:
    def lines(size: int) -> int:
        body = shape(size)

        def take() -> None:
            with suppress(InvalidInput):
                _take(body, Work(most_parts=10**9, most_bytes=10**9, most_records=10**9))

        return lines_of(take)

    assert lines(256) <= 12 * lines(32) + 1000


@pytest.mark.parametrize("part", [b"\r\n--b", b"\r\n--b\r\n\r\n"])
def test_very_many_parts_are_refused_before_they_are_taken_apart(part: bytes) -> None:
    body = part * 2**20

    def take() -> None:
        with pytest.raises(TooManyParts):
            _take(body, Work.allowed(2**16, USUAL, most_bytes=2**24))

    assert peak_bytes_of(take) < 2**20
