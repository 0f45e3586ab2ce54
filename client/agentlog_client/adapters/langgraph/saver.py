"""The checkpointer."""

import random
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from threading import Lock
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    get_checkpoint_id,
    get_checkpoint_metadata,
)
from langgraph.checkpoint.serde.base import SerializerProtocol
from typing_extensions import override

from agentlog_client import Client
from agentlog_client.adapters.langgraph.asynchronous import Awaited
from agentlog_client.adapters.langgraph.branch import Branch, Stored, UnknownMessage
from agentlog_client.adapters.langgraph.family import Family, families
from agentlog_client.adapters.langgraph.plan import (
    TaskWrites,
    checkpoint_drafts,
    deletion_draft,
    outdated,
    writes_drafts,
)
from agentlog_client.adapters.langgraph.tuples import config_of, tuple_of
from agentlog_client.errors import VersionConflict

_MOST_FAMILIES = 256
"""Threads of graphs that are remembered; others are read again."""


class AgentlogSaver(Awaited):
    """Keeps checkpoints in agentlog, and their messages as messages of the thread, once.

    A write returns when the log has it. The errors are those of the client: a graph does not go on
    where its state could not be kept. May be used by several threads and event loops.
    """

    def __init__(
        self, client: Client | None = None, *, serde: SerializerProtocol | None = None
    ) -> None:
        super().__init__(serde=serde)
        self._client = client or Client()
        self._families: OrderedDict[str, Family] = OrderedDict()
        self._lock = Lock()

    @override
    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        namespace, checkpoint = _namespace(config), get_checkpoint_id(config)
        family = self._family(config)
        with family.lock:
            branches = self._refreshed(family, namespace)
            if checkpoint is None:
                live = (stored.id for branch in branches for stored in branch.live())
                checkpoint = max(live, default=None)
            if checkpoint is None:
                return None
            home = family.home(namespace, checkpoint)
            if home is None or checkpoint in home.deleted:
                return None
            return self._tuple(family, home, home.checkpoints[checkpoint])

    @override
    def list(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> Iterator[CheckpointTuple]:
        bound = get_checkpoint_id(before) if before else None
        count = 0
        for family, branch, stored in self._candidates(config):
            if bound is not None and stored.id >= bound:
                continue
            if limit is not None and count >= limit:
                return
            with family.lock:
                item = self._tuple(family, branch, stored)
            if all(item.metadata.get(key) == value for key, value in (filter or {}).items()):
                count += 1
                yield item

    @override
    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        namespace, parent = _namespace(config), get_checkpoint_id(config)
        metadata = get_checkpoint_metadata(config, metadata)
        name = checkpoint["id"]
        family = self._family(config)
        with family.lock:
            while True:
                home = family.home(namespace, name)
                branch = home or family.after(namespace, parent, name)
                drafts = checkpoint_drafts(
                    branch, checkpoint, metadata, parent, new_versions, self.serde
                )
                try:
                    family.append(branch, drafts, at_end=home is None)
                    break
                except VersionConflict:
                    family.refresh(namespace)
                    if family.home(namespace, name):  # this, whose answer was lost
                        break
            self._append_held(family, namespace, branch, name)
        return config_of(family.graph_thread, namespace, name)

    @override
    def put_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        namespace, checkpoint = _namespace(config), str(get_checkpoint_id(config))
        family = self._family(config)
        with family.lock:
            # LangGraph saves in the background: a quick task is done before its checkpoint is put.
            # Without the checkpoint its writes are nothing, so they wait for it.
            held = family.held.setdefault((namespace, checkpoint), [])
            held.append(TaskWrites(list(writes), task_id, task_path))
            home = family.home(namespace, checkpoint)
            if home is not None:
                self._append_held(family, namespace, home, checkpoint)

    @override
    def delete_thread(self, thread_id: str) -> None:
        family = self._family({"configurable": {"thread_id": thread_id}})
        with family.lock:
            for branch in family.refresh():
                self._delete(family, branch, None)

    @override
    def delete_for_runs(self, run_ids: Sequence[str]) -> None:
        runs = set(run_ids)
        for graph_thread in list(families(self._client)) if runs else ():
            family = self._family({"configurable": {"thread_id": graph_thread}})
            with family.lock:
                for branch in family.refresh():
                    self._delete(
                        family,
                        branch,
                        [
                            stored.id
                            for stored in branch.live()
                            if branch.value(stored.metadata, self.serde).get("run_id") in runs
                        ],
                    )

    @override
    def copy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        family = self._family({"configurable": {"thread_id": source_thread_id}})
        with family.lock:
            family.copy(target_thread_id)

    @override
    def prune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        if strategy == "delete":
            for thread_id in thread_ids:
                self.delete_thread(thread_id)
            return
        if strategy != "keep_latest":
            raise ValueError(f"strategy {strategy!r}: there are 'keep_latest' and 'delete'")
        for thread_id in thread_ids:
            family = self._family({"configurable": {"thread_id": thread_id}})
            with family.lock:
                for branch, checkpoints in outdated(family.refresh(), self.serde):
                    self._delete(family, branch, checkpoints)

    @override
    def get_next_version(self, current: str | None, channel: None) -> str:
        """Return a version that no other branch has: 8 digits that count, and 6 that are drawn."""
        count = 0 if current is None else int(str(current).split(".")[0])
        return f"{count + 1:08}.{random.getrandbits(24):06x}"

    def _family(self, config: RunnableConfig) -> Family:
        graph_thread = str(config["configurable"]["thread_id"])
        with self._lock:
            family = self._families.get(graph_thread)
            if family is None:
                family = self._families[graph_thread] = Family(self._client, graph_thread)
            self._families.move_to_end(graph_thread)
            if len(self._families) > _MOST_FAMILIES:
                idle = (name for name, known in self._families.items() if not known.held)
                del self._families[next(idle)]
            return family

    def _refreshed(self, family: Family, namespace: str | None) -> Sequence[Branch]:
        branches = family.refresh(namespace)
        for of_namespace, checkpoint in list(family.held):
            home = family.home(of_namespace, checkpoint)
            if home is not None:
                self._append_held(family, of_namespace, home, checkpoint)
        return branches

    def _append_held(self, family: Family, namespace: str, branch: Branch, checkpoint: str) -> None:
        held = family.held.get((namespace, checkpoint), [])
        while held:
            drafts = writes_drafts(branch, checkpoint, held[0], self.serde)
            family.append(branch, drafts, at_end=False)
            del held[0]
        family.held.pop((namespace, checkpoint), None)

    def _candidates(self, config: RunnableConfig | None) -> Iterator[tuple[Family, Branch, Stored]]:
        """Yield checkpoints, newest first; of one graph's thread after the other."""
        if config is None:
            for graph_thread in list(families(self._client)):
                yield from self._candidates({"configurable": {"thread_id": graph_thread}})
            return
        namespace = config["configurable"].get("checkpoint_ns")
        checkpoint = get_checkpoint_id(config)
        family = self._family(config)
        with family.lock:
            checkpoints = {
                (stored.id, branch.namespace): (family, home, home.checkpoints[stored.id])
                for branch in self._refreshed(family, namespace)
                for stored in branch.live()
                if checkpoint in {None, stored.id}
                and (home := family.home(branch.namespace, stored.id)) is not None
            }
        yield from (checkpoints[key] for key in sorted(checkpoints, reverse=True))

    def _tuple(self, family: Family, branch: Branch, stored: Stored) -> CheckpointTuple:
        try:
            return tuple_of(family.graph_thread, branch, stored, self.serde)
        except UnknownMessage:  # another process may have put it into a thread around
            family.refresh()
            return tuple_of(family.graph_thread, branch, stored, self.serde)

    def _delete(self, family: Family, branch: Branch, checkpoints: Sequence[str] | None) -> None:
        if checkpoints is None or checkpoints:
            family.append(branch, [deletion_draft(branch, checkpoints)], at_end=False)


def _namespace(config: RunnableConfig) -> str:
    return str(config["configurable"].get("checkpoint_ns", ""))
