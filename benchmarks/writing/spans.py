"""Spans of agents over HTTP, beside the same histories by `POST /v1/log`."""

import time
from collections.abc import Iterator, Sequence
from itertools import islice
from statistics import median
from urllib.request import Request, urlopen

from agentlog.domain.json.text import print_bytes
from agentlog.extensions.traces.projections.export.otlp_protobuf import printed
from agentlog.extensions.traces.projections.export.spans import spans_of
from agentlog.projections.readers.draft import sample_event
from agentlog.projections.readers.messages import chat
from agentlog.projections.view import Item
from benchmarks.harness.databases import connected, new_database
from benchmarks.harness.rates import Aim, Rate, Run, aims_table, rate_table
from benchmarks.harness.service import served
from benchmarks.harness.table import Table
from benchmarks.harness.workload import Workload

_SPANS = 512
"""Spans of a batch, as OpenTelemetry's exporters send them."""
_LINES = 20


def measure_spans(server: str, workload: Workload, *, runs: int) -> list[Table]:
    """Return how many events and spans a second the service takes, each into an empty log."""
    logged = Rate("`POST /v1/log`, a thread a line: events", "floor")
    written = Rate("`POST /otlp/v1/traces`, protobuf: events", "agentlog")
    taken = Rate("`POST /otlp/v1/traces`, protobuf: spans", "agentlog")
    spans, lines = _spans(workload), list(_lines(workload))
    batches = [printed(spans[n : n + _SPANS]) for n in range(0, len(spans), _SPANS)]
    bodies = [b"".join(lines[n : n + _LINES]) for n in range(0, len(lines), _LINES)]
    for _ in range(runs):
        events, seconds = _sent(server, "/v1/log", "application/x-ndjson", bodies)
        logged.runs.append(Run(events / seconds))
        events, seconds = _sent(server, "/otlp/v1/traces", "application/x-protobuf", batches)
        written.runs.append(Run(events / seconds))
        taken.runs.append(Run(len(spans) / seconds))
    about = (
        f"`{workload.name}`: {len(spans):,} spans, each model call with all that came before it, "
        f"in batches of {_SPANS}. One connection, {runs} runs, in turn."
    )
    return [
        rate_table("Spans", about, [logged, written, taken], beside={"`/v1/log`": logged}),
        aims_table(
            "What is asked of spans",
            [Aim("events by OTLP", median(written.times(logged)), 0.5, 1.0, "times `/v1/log`")],
        ),
    ]


def _lines(workload: Workload) -> Iterator[bytes]:
    for number, drafts in enumerate(_threads(workload)):
        yield print_bytes({"threadId": f"airline-{number}", "messages": drafts}) + b"\n"


def _spans(workload: Workload) -> list[Item]:
    """Return the spans of all threads."""
    items: list[Item] = []
    for number, drafts in enumerate(_threads(workload)):
        events = [sample_event(draft, n) for n, draft in enumerate(drafts, 1)]
        whole, *others = spans_of(f"airline-{number}", events)
        for n, other in enumerate(others):  # the sample events share one id
            other["spanId"] = f"{n + 1:016x}"
            other["startTimeUnixNano"] = other["endTimeUnixNano"] = (n + 1) * 1_000_000
        items += [*others, whole]
    return items


def _threads(workload: Workload) -> Iterator[Sequence[Item]]:
    for items in islice(workload.histories(), len(workload.records)):
        yield list(chat.READER.read(items))


def _sent(server: str, path: str, media_type: str, bodies: Sequence[bytes]) -> tuple[int, float]:
    """Return how many events were written, and the seconds that it took."""
    with new_database(server) as url, served(url) as where:
        began = time.perf_counter()
        for body in bodies:
            request = Request(
                f"http://{where.host}:{where.port}{path}", body, {"Content-Type": media_type}
            )
            with urlopen(request) as answer:  # noqa: S310 - as above
                answer.read()
        seconds = time.perf_counter() - began
        with connected(url) as connection:
            row = connection.execute("SELECT count(*) FROM agentlog.events").fetchone()
        return (0 if row is None else int(row[0])), seconds
