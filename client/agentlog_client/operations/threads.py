"""Threads: start, list, read, close, annotate, remark, and their summaries."""

from collections.abc import Mapping, Sequence
from typing import Literal

from agentlog_client.identifiers import new_id
from agentlog_client.models import Appended, Thread, ThreadSummaries, WorkerTree
from agentlog_client.operation import (
    Json,
    Listing,
    Operation,
    as_model,
    as_page,
    request,
)

Policy = Literal["strict", "record"]


def start_thread(  # noqa: PLR0913 - what a thread starts with
    thread_id: str | None = None,
    *,
    goal: str | None = None,
    parent: str | None = None,
    policy: Policy | None = None,
    limits: Mapping[str, int] | None = None,
    metadata: Mapping[str, Json] | None = None,
) -> Operation[Appended]:
    """Start a thread, by default under a new id. Starting it again the same way is safe."""
    facts = {
        "goal": goal,
        "parent": parent,
        "policy": policy,
        "limits": limits,
        "metadata": metadata,
    }
    body = {"threadId": thread_id or new_id()} | {k: v for k, v in facts.items() if v is not None}
    return Operation(request("POST", "/v1/threads", body=body), as_model(Appended))


def threads(
    *,
    filter: str | None = None,  # noqa: A002 - its name everywhere
    hidden: bool = False,
    limit: int | None = None,
    wait: int | None = None,
) -> Listing[Thread]:
    """List threads, the last changed first; `limit` is that of a page.

    `filter` has words, `status:`, `open`, `parent:` and `metadata.KEY:`, as `refund status:open`;
    `summaries` takes every filter.
    """
    asked = request(
        "GET",
        "/v1/threads",
        query={"filter": filter, "hidden": hidden or None, "limit": limit, "wait": wait},
    )
    return Listing(asked, as_page(Thread))


def thread(thread_id: str, *, hidden: bool = False, wait: int | None = None) -> Operation[Thread]:
    """Where a thread stands."""
    asked = request(
        "GET", "/v1/threads/{}", thread_id, query={"hidden": hidden or None, "wait": wait}
    )
    return Operation(asked, as_model(Thread))


def close_thread(thread_id: str, *, reason: str | None = None) -> Operation[Appended]:
    """Close a thread: nothing follows."""
    body = {} if reason is None else {"reason": reason}
    asked = request("POST", "/v1/threads/{}/close", thread_id, body=body)
    return Operation(asked, as_model(Appended), repeatable=False)


def annotate_thread(thread_id: str, metadata: Mapping[str, Json]) -> Operation[Appended]:
    """Add to a thread's metadata; a None removes a key."""
    asked = request("POST", "/v1/threads/{}/annotate", thread_id, body={"metadata": metadata})
    return Operation(asked, as_model(Appended))


def note(
    thread_id: str,
    text: str | None = None,
    *,
    on: int | None = None,
    replaces: int | None = None,
    by: str | None = None,
) -> Operation[Appended]:
    """Comment on a thread, or on the event of version `on`.

    `replaces` is the version of a note of yours to change; without a text it is taken back. `by` is
    who says so.
    """
    fields = {"text": text, "on": on, "replaces": replaces}
    return _remark(thread_id, "thread.noted", fields, by)


def label(
    thread_id: str,
    *labels: str,
    remove: Sequence[str] = (),
    by: str | None = None,
) -> Operation[Appended]:
    """Give a thread labels, and take some away."""
    return _remark(thread_id, "thread.labelled", {"add": labels, "remove": remove}, by)


def judge(  # noqa: PLR0913 - one parameter a field
    thread_id: str,
    verdict: str | None = None,
    *,
    score: float | None = None,
    criterion: str | None = None,
    comment: str | None = None,
    on: int | None = None,
    by: str | None = None,
) -> Operation[Appended]:
    """Judge a thread, or the event of version `on`, by a criterion.

    A later judgement by that criterion replaces it; with neither verdict nor score there is none
    any more.
    """
    fields = {
        "criterion": criterion,
        "verdict": verdict,
        "score": score,
        "comment": comment,
        "on": on,
    }
    return _remark(thread_id, "thread.judged", fields, by)


def _remark(
    thread_id: str, kind: str, fields: Mapping[str, Json], by: str | None
) -> Operation[Appended]:
    metadata = {} if by is None else {"actor": by}
    body = {"type": kind, "id": new_id(), **fields, "metadata": metadata}
    asked = request("POST", "/v1/threads/{}/remarks", thread_id, body=body)
    return Operation(asked, as_model(Appended))


def summaries(  # noqa: PLR0913 - one parameter a choice
    *,
    filter: str | None = None,  # noqa: A002 - its name everywhere
    hidden: bool = False,
    sort: str | None = None,
    offset: int | None = None,
    limit: int | None = None,
    wait: int | None = None,
) -> Operation[ThreadSummaries]:
    """List threads with their counts and sums.

    `filter` is as `failed cost>0.5`; `sort` a column, `-column` or `metadata.KEY`.
    """
    asked = request(
        "GET",
        "/v1/summaries",
        query={
            "filter": filter,
            "hidden": hidden or None,
            "sort": sort,
            "offset": offset,
            "limit": limit,
            "wait": wait,
        },
    )
    return Operation(asked, as_model(ThreadSummaries))


def workers(
    thread_id: str, *, hidden: bool = False, wait: int | None = None
) -> Operation[WorkerTree]:
    """Read the tree of workers that a thread stands in, with sums upward."""
    asked = request(
        "GET", "/v1/threads/{}/workers", thread_id, query={"hidden": hidden or None, "wait": wait}
    )
    return Operation(asked, as_model(WorkerTree))
