"""Forks and their trees as JSON, for HTTP and the command line, and as lines."""

from collections.abc import Iterator, Sequence
from typing import Any, Literal, NotRequired

from typing_extensions import TypedDict

from agentlog.api.shapes.shape import shaped
from agentlog.domain.json.answers import TimeText, time_text
from agentlog.domain.json.values import integer_at, text_at
from agentlog.domain.threads import Status
from agentlog.infrastructure.eventlog.thread_heads import Head
from agentlog.infrastructure.eventlog.thread_trees import ThreadInTree
from agentlog.infrastructure.forks import forker


class ForkEdit(TypedDict):
    """A change to the copied messages; `sha256` is of the message put in, in canonical JSON."""

    kind: Literal["drop", "replace", "insert"]
    version: int
    sha256: NotRequired[str]


class Origin(TypedDict):
    """The thread that a fork was copied from, up to a version whose link was this."""

    thread: str
    version: int
    link: str
    edits: list[ForkEdit]


class Fork(TypedDict):
    """A fork, and where it stands."""

    threadId: str
    version: int
    position: int
    forkedFrom: Origin
    replayed: bool


class ReplayOutcome(TypedDict):
    """What a replay changed in its fork, and what came of it; null is not known, or not yet.

    `unmet` counts the changes that the run never came to, `check` is what `--check` said.
    """

    changes: str | None
    liveCalls: int | None
    unmet: int | None
    check: Literal["passed", "failed"] | None


class TreeNode(TypedDict):
    """A thread of a tree of forks; `depth` counts the forks above it.

    `replay` is null unless a replay made the fork.
    """

    threadId: str
    depth: int
    version: int
    status: Status
    goal: str | None
    forkedFrom: Origin | None
    replay: ReplayOutcome | None
    startedAt: TimeText
    updatedAt: TimeText


class Tree(TypedDict):
    """A tree of forks: each thread before its forks. `truncated`: there are more."""

    items: list[TreeNode]
    truncated: bool


def origin_of(head: Head) -> Origin | None:
    """Return where a fork comes from, None of a thread that is no fork."""
    origin: Any = head.read_facts().get("forkedFrom")
    if origin is not None:
        origin = {"edits": [], **origin}
    return origin  # type: ignore[no-any-return] # as the fact's model has it


def fork_json(fork: forker.Forked) -> Fork:
    """Return a fork."""
    origin = fork.origin.model_dump(mode="json", exclude_none=True)
    return shaped(Fork, fork, forkedFrom=origin)


def tree_json(threads: Sequence[ThreadInTree], *, truncated: bool) -> Tree:
    """Return a tree of forks."""
    return {"items": [_node(thread) for thread in threads], "truncated": truncated}


def _node(thread: ThreadInTree) -> TreeNode:
    depth, head = thread
    return shaped(
        TreeNode,
        head,
        depth=depth,
        forkedFrom=origin_of(head),
        replay=_replay_of(head),
        startedAt=time_text(head.started_at),
        updatedAt=time_text(head.updated_at),
    )


def _replay_of(head: Head) -> ReplayOutcome | None:
    """Return what a fork's metadata say of the replay that made it."""
    metadata = head.metadata
    if head.origin is None or metadata.get("source") != "replay":
        return None
    check: Any = metadata.get("check")
    return {
        "changes": text_at(metadata, "changes"),
        "liveCalls": integer_at(metadata, "liveCalls"),
        "unmet": integer_at(metadata, "unmet"),
        "check": check if check in ("passed", "failed") else None,
    }


def tree_lines(tree: Tree) -> Iterator[str]:
    """Yield a line a thread, each before its forks, whose rules are longer."""
    for node in tree["items"]:
        origin = node["forkedFrom"]
        place = "" if origin is None else f" @{origin['version']} {_changes(node)}→ "
        stands = ", ".join([f"version {node['version']}", node["status"], *_outcome(node)])
        yield f"{'──' * node['depth']}{place}{node['threadId']}  {stands}"
    if tree["truncated"]:
        yield "… there are more"


def _changes(node: TreeNode) -> str:
    origin, replay = node["forkedFrom"], node["replay"]
    edits = () if origin is None else origin["edits"]
    changes = [f"{edit['kind']} {edit['version']}" for edit in edits]
    if replay is not None and replay["changes"] is not None:
        changes.append(replay["changes"])
    return "".join(f"{change} " for change in changes)


def _outcome(node: TreeNode) -> Iterator[str]:
    """Yield what came of a replay, as far as it is known."""
    replay = node["replay"]
    if replay is None:
        return
    if replay["liveCalls"] is not None:
        yield f"live calls: {replay['liveCalls']}"
    if replay["unmet"]:
        yield f"unmet changes: {replay['unmet']}"
    if replay["check"] is not None:
        yield f"check {replay['check']}"
