"""What is appended to a branch for a checkpoint, or for the writes of a task; pure."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from langchain_core.messages import BaseMessage
from langgraph.checkpoint.base import (
    WRITES_IDX_MAP,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
)
from langgraph.checkpoint.serde.base import SerializerProtocol
from langgraph.checkpoint.serde.types import INTERRUPT, RESUME, TASKS
from langgraph.constants import START

from agentlog_client.adapters.langchain.messages import KINDS, Draft
from agentlog_client.adapters.langgraph.approvals import approval_requests, approval_responses
from agentlog_client.adapters.langgraph.branch import (
    CHECKPOINT,
    DELETED,
    WRITES,
    Branch,
    Ref,
    refs_in,
)
from agentlog_client.adapters.langgraph.cut import cut, digest_of, with_ids
from agentlog_client.adapters.langgraph.values import encoded
from agentlog_client.identifiers import derived_id
from agentlog_client.json_text import printed
from agentlog_client.operation import Json

_INPUTS = frozenset({START, TASKS})
"""Channels of what nodes are still to receive."""
_APART = frozenset({"id", "channel_values", "channel_versions", "versions_seen"})


def checkpoint_drafts(  # noqa: PLR0913, PLR0917 - what a saver is given
    branch: Branch,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    parent: str | None,
    new_versions: ChannelVersions,
    serde: SerializerProtocol,
) -> list[Draft]:
    """Return the messages of a checkpoint that the branch has not, and the checkpoint's entry.

    Values are stored of the channels that changed, and of those whose value the branch has not.
    Messages of an input stand after the entry: who goes on from the checkpoint otherwise, by a
    fork, has not received them.
    """
    cutter = _Cutter(branch, serde, f"checkpoint {checkpoint['id']}", writes=False)
    is_new = checkpoint["id"] not in branch.checkpoints
    before = branch.checkpoints.get(branch.tip or "") if is_new else None
    versions = checkpoint["channel_versions"]
    values: dict[str, Json] = {}
    channels = sorted(checkpoint["channel_values"].items(), key=lambda item: item[0] in _INPUTS)
    inputs: int | None = None
    for channel, value in channels:
        if inputs is None and channel in _INPUTS:
            inputs = len(cutter.drafts)
        version = versions.get(channel)
        if version is not None and (
            channel in new_versions or (channel, version) not in branch.values
        ):
            base = before and before.channel_versions.get(channel)
            known = None if base is None else branch.values.get((channel, base))
            values[channel] = _shortened(cutter.encoded(value, known), base, known)
    rest = {key: value for key, value in checkpoint.items() if key not in _APART}
    payload = {
        "id": checkpoint["id"],
        "parent": parent,
        **({} if before and before.id == parent else {"since": before and before.id}),
        "channelVersions": _changes(before.channel_versions if before else {}, versions),
        "versionsSeen": _changes(
            before.versions_seen if before else {}, checkpoint["versions_seen"]
        ),
        "values": values,
        "checkpoint": cutter.encoded(rest),
        "metadata": cutter.encoded(metadata),
    }
    before_entry, after_entry = (
        cutter.drafts[:inputs],
        cutter.drafts[inputs:] if inputs is not None else [],
    )
    return [*before_entry, _entry(CHECKPOINT, payload), *after_entry]


class TaskWrites(NamedTuple):
    """What a task wrote, each to a channel."""

    writes: Sequence[tuple[str, Any]]
    task: str
    path: str


def writes_drafts(
    branch: Branch, checkpoint: str, of_task: TaskWrites, serde: SerializerProtocol
) -> list[Draft]:
    """Return the messages of a task's writes that the branch has not, then the writes' entry.

    There are none if the branch has the writes: only those of special channels are overwritten.
    Messages are cut only at the branch's end, where its checkpoint is the last: another branch may
    have gone on from an earlier one.
    """
    writes, task, path = of_task
    places = [WRITES_IDX_MAP.get(channel, n) for n, (channel, _) in enumerate(writes)]
    kept = branch.writes.get(checkpoint, {})
    if all(place >= 0 and (task, place) in kept for place in places):
        return []
    cutter = _Cutter(branch, serde, f"writes {checkpoint} {task}", writes=True)
    at_end = branch.tip == checkpoint
    forms = [
        [
            place,
            channel,
            cutter.encoded(value) if at_end else encoded(value, serde, lambda _: None),
        ]
        for place, (channel, value) in zip(places, writes, strict=True)
    ]
    payload = {"checkpoint": checkpoint, "task": task, "path": path, "writes": forms}
    approvals = [
        draft
        for channel, value in (writes if at_end else ())
        for draft in _approvals(branch, channel, value)
    ]
    return [*cutter.drafts, *approvals, _entry(WRITES, payload)]


def _approvals(branch: Branch, channel: str, value: Any) -> list[Draft]:  # noqa: ANN401 - anything
    if channel == INTERRUPT:
        return approval_requests(value, branch.calls)
    return approval_responses(value, branch.waiting) if channel == RESUME else []


def deletion_draft(branch: Branch, checkpoints: Sequence[str] | None) -> Draft:
    """Return the entry that deletes checkpoints, all of them if None."""
    payload = {"checkpoints": checkpoints, "at": branch.version}
    return _entry(DELETED, payload)


def outdated(
    branches: Sequence[Branch], serde: SerializerProtocol
) -> list[tuple[Branch, list[str]]]:
    """Return the checkpoints of each branch that no read of its namespace's latest needs.

    Those before it are needed that its channels of differences are read from.
    """
    latest: dict[str, str] = {}
    for branch in branches:
        for stored in branch.live():
            latest[branch.namespace] = max(latest.get(branch.namespace, ""), stored.id)
    kept: set[tuple[str, str | None]] = set()
    for branch in branches:
        name = latest.get(branch.namespace)
        while name in branch.checkpoints:
            kept.add((branch.namespace, name))
            at = branch.checkpoints[name]
            metadata = branch.value(at.metadata, serde)
            name = at.parent if metadata.get("counters_since_delta_snapshot") else None
    return [
        (branch, [s.id for s in branch.live() if (branch.namespace, s.id) not in kept])
        for branch in branches
    ]


def _changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Json]:
    """Return the keys whose values changed; None where one is gone."""
    changed = {key: value for key, value in after.items() if before.get(key) != value}
    return {**changed, **{key: None for key in before if key not in after}}


def _entry(name: str, payload: Mapping[str, Json]) -> Draft:
    # the same entry again has the same id, and is kept once
    return {"id": derived_id(name, printed(payload).decode()), "type": name, "payload": payload}


def _shortened(form: Json, base: Any, before: Json) -> Json:  # noqa: ANN401 - a version
    """Return the form of a list of messages without those that it shares with the one before."""
    match form, before:
        case {"messages": refs}, {"messages": known}:
            count = next(
                (
                    n
                    for n, (ref, other) in enumerate(zip(refs, known, strict=False))
                    if ref != other
                ),
                min(len(refs), len(known)),
            )
            return {"messages": refs[count:], "after": [base, count]} if count else form
        case _:
            return form


class _Cutter:
    """Encodes the values of one entry; `drafts` are the messages to append before it."""

    def __init__(
        self, branch: Branch, serde: SerializerProtocol, scope: str, *, writes: bool
    ) -> None:
        self.drafts: list[Draft] = []
        self._branch, self._serde, self._scope, self._writes = branch, serde, scope, writes
        self._new: set[str] = set()
        self._taken: set[str] = set()
        self._before: dict[str, list[Ref]] = {}

    def encoded(self, value: Any, before: Json = None) -> Json:  # noqa: ANN401 - anything
        """Return the form of a value; `before` is that which the channel had."""
        self._before = {}
        for ref in refs_in(before):
            if isinstance(ref, str) and (digest := self._branch.digest(ref)):
                self._before.setdefault(digest, []).append(ref)
        return encoded(value, self._serde, self._form)

    def _form(self, value: Any) -> Json | None:  # noqa: ANN401 - anything
        if isinstance(value, KINDS):
            return {"message": self._ref(value)}
        if type(value) is list and value and all(isinstance(item, KINDS) for item in value):
            return {"messages": [self._ref(item) for item in value]}
        return None

    def _ref(self, message: BaseMessage) -> Ref:
        digest = digest_of(message, self._serde)
        given = message.id
        if given in self._branch.messages:  # one without a residue has our id
            known = self._branch.message(given, self._serde)
            if digest_of(known, self._serde) == digest:
                return given
        if given is not None:
            message_id = derived_id(given, digest)
            message_id, alias = self._branch.aliases.get(message_id, message_id), message_id
            if message_id in self._new or self._branch.has(message_id):
                return message_id if message_id == alias else [message_id, given]
        elif self._before.get(digest):
            return self._before[digest].pop(0)
        if (waiting := self._unclaimed(digest)) is not None:
            self._taken.add(waiting)
            return waiting if given is None else [waiting, given]
        if given is None:
            message_id = derived_id(self._scope, len(self._new), digest)
        self._new.add(message_id)
        noted = {"digest": digest} if given is None else {}
        self.drafts += with_ids(cut(message, self._serde), message_id, **noted)
        return message_id

    def _unclaimed(self, digest: str) -> str | None:
        """Return a message without an id that this may be: a write names what a value brought."""
        waiting = self._branch.unclaimed.get(digest, {})
        return next(
            (
                message_id
                for message_id, named in waiting.items()
                if message_id not in self._taken and (named == "values" or not self._writes)
            ),
            None,
        )
