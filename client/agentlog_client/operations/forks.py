"""Forks: a copy of a thread up to a point, and what is known of it."""

from collections.abc import Mapping, Sequence

from agentlog_client.identifiers import new_id
from agentlog_client.models import Fork, Hazards, Tree
from agentlog_client.operation import Json, Moment, Operation, as_model, parameter_text, request


def fork(  # noqa: PLR0913 - what a fork consists of
    thread_id: str,
    *,
    at: Moment | None = None,
    as_thread: str | None = None,
    goal: str | None = None,
    metadata: Mapping[str, Json] | None = None,
    edits: Sequence[Mapping[str, Json]] | None = None,
) -> Operation[Fork]:
    """Start a thread with a copy of another's messages up to a point; doing so again is safe.

    An edit is `{"drop": 4}`, or `replace` or `insert` with a version and a `message`.
    """
    facts = {
        "at": None if at is None else parameter_text(at),
        "goal": goal,
        "metadata": metadata,
        "edits": edits,
    }
    body = {"threadId": as_thread or new_id()} | {k: v for k, v in facts.items() if v is not None}
    return Operation(request("POST", "/v1/threads/{}/fork", thread_id, body=body), as_model(Fork))


def forks(thread_id: str, *, hidden: bool = False) -> Operation[Tree]:
    """Read the tree of forks that a thread stands in."""
    asked = request("GET", "/v1/threads/{}/forks", thread_id, query={"hidden": hidden or None})
    return Operation(asked, as_model(Tree))


def hazards(thread_id: str, *, begin: int | None = None) -> Operation[Hazards]:
    """List recorded calls that a replay from a version on may make again."""
    asked = request("GET", "/v1/threads/{}/hazards", thread_id, query={"from": begin})
    return Operation(asked, as_model(Hazards))
