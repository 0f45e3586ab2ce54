"""Comparing two long threads: the reading of both, the alignment, and all of it over HTTP."""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import partial
from random import Random

from agentlog.infrastructure.comparison.comparer import SideAsked
from agentlog.infrastructure.threads import Threads
from agentlog.projections.comparison.alignment import align
from agentlog.projections.readers.draft import Draft
from agentlog.projections.registry import choose_view
from benchmarks.harness import floor
from benchmarks.harness.databases import connected, new_database, store_on
from benchmarks.harness.figures import Case, Figure, sample_in_turn
from benchmarks.harness.service import serving
from benchmarks.harness.workload import Workload

LENGTH = 10_000
"""Messages of each thread."""

_EDITS = 0.05
_BATCH = 1000
_LIMIT = 2.0
_PATH = "/v1/compare?a=a&b=b"


def measure_comparison(server: str, workload: Workload, *, runs: int, times: int) -> Case:
    """Return what the comparison of two threads takes, of which one is the other with edits."""
    view = choose_view("kernel")
    with ExitStack() as stack:
        url = stack.enter_context(new_database(server))
        service = stack.enter_context(store_on(url))
        drafts = workload.drafts(LENGTH)
        _append(service.threads, "a", drafts)
        _append(service.threads, "b", _edited(drafts))
        connection = stack.enter_context(connected(url))
        floor.make_table(connection)
        floor.copy_all(connection, floor.stored_bodies(url))
        client = stack.enter_context(serving(url))
        comparer = service.own.comparer
        sides = [SideAsked("a"), SideAsked("b")]
        a, b = (side.history.steps for side in comparer.compare(sides, view).sides)
        actions: list[tuple[Figure, Callable[[], object]]] = [
            (
                Figure("SELECT of the bodies of both by psycopg, in process", "floor"),
                lambda: [floor.select_thread(connection, thread) for thread in ("a", "b")],
            ),
            (
                Figure("the view kernel of both, in process", "agentlog"),
                lambda: [service.views.view(thread, view) for thread in ("a", "b")],
            ),
            (Figure("their alignment, in process", "agentlog"), partial(align, a, b)),
            (
                Figure("their comparison, in process", "agentlog"),
                partial(comparer.compare, sides, view),
            ),
            (
                Figure(f"GET {_PATH}, the first page", "agentlog", limit=_LIMIT),
                partial(client.get, _PATH),
            ),
        ]
        for _ in range(runs):
            sample_in_turn(actions, times=times, warmups=1)
    return Case(
        f"Comparing two threads of {LENGTH:,} messages",
        f"One is the other with {_EDITS:.0%} of its messages removed, changed, or followed by "
        f"another. Milliseconds; {runs} runs of {times} each, in turn; the service remembers the "
        "view of both.",
        [figure for figure, _ in actions],
    )


def _append(threads: Threads, thread_id: str, drafts: Sequence[Draft]) -> None:
    threads.start(thread_id, {"policy": "record"})
    for begin in range(0, len(drafts), _BATCH):
        threads.append(thread_id, drafts[begin : begin + _BATCH])


def _edited(drafts: Sequence[Draft]) -> list[Draft]:
    """Return the messages with edits, the same at every run."""
    random = Random(LENGTH)  # noqa: S311 - nothing secret
    edited: list[Draft] = []
    for number, draft in enumerate(drafts):
        new: Draft = {"type": "log", "text": f"edit {number}"}
        match random.choice(["remove", "change", "insert"]) if random.random() < _EDITS else "":
            case "remove":
                pass
            case "change":
                edited.append(
                    {**draft, "text": f"{draft['text']} ({number})"} if "text" in draft else new
                )
            case "insert":
                edited += [draft, new]
            case _:
                edited.append(draft)
    return edited
