"""The checkpointer."""

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from secrets import randbits
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
from agentlog_client.adapters.langgraph.commits import Change, Commits
from agentlog_client.adapters.langgraph.family import Family, families
from agentlog_client.adapters.langgraph.plan import (
    TaskWrites,
    checkpoint_drafts,
    outdated,
    writes_drafts,
)
from agentlog_client.adapters.langgraph.tuples import config_of, tuple_of

_DRAWN = 20
"""Bits of a version that are drawn."""
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
        self._families: OrderedDict[str, tuple[Family, Commits]] = OrderedDict()
        self._lock = Lock()

    @override
    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        namespace, checkpoint = _namespace(config), get_checkpoint_id(config)
        family, commits = self._family(config)
        with family.lock:
            family.refresh(namespace)
            commits.settle()
            live = {stored.id: (branch, stored) for branch, stored in family.live(namespace)}
            name = max(live, default=None) if checkpoint is None else checkpoint
            return self._tuple(family, *live[name]) if name in live else None

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
        change = Change(
            _namespace(config),
            checkpoint["id"],
            lambda branch: checkpoint_drafts(
                branch, checkpoint, kept, change.parent, new_versions, self.serde
            ),
            is_checkpoint=True,
            parent=get_checkpoint_id(config),
        )
        kept = get_checkpoint_metadata(config, metadata)
        family, commits = self._family(config)
        commits.commit(change)
        return config_of(family.graph_thread, change.namespace, change.checkpoint)

    @override
    def put_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        of_task = TaskWrites(list(writes), task_id, task_path)
        checkpoint = str(get_checkpoint_id(config))
        change = Change(
            _namespace(config),
            checkpoint,
            lambda branch: writes_drafts(branch, checkpoint, of_task, self.serde),
        )
        self._family(config)[1].commit(change)

    @override
    def delete_thread(self, thread_id: str) -> None:
        family, _ = self._family({"configurable": {"thread_id": thread_id}})
        with family.lock:
            for branch in family.refresh():
                family.delete(branch, None)

    @override
    def delete_for_runs(self, run_ids: Sequence[str]) -> None:
        runs = set(run_ids)
        for graph_thread in list(families(self._client)) if runs else ():
            family, _ = self._family({"configurable": {"thread_id": graph_thread}})
            with family.lock:
                for branch in family.refresh():
                    family.delete(
                        branch,
                        [
                            stored.id
                            for stored in branch.live()
                            if branch.value(stored.metadata, self.serde).get("run_id") in runs
                        ],
                    )

    @override
    def copy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        family, _ = self._family({"configurable": {"thread_id": source_thread_id}})
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
            family, _ = self._family({"configurable": {"thread_id": thread_id}})
            with family.lock:
                for branch, checkpoints in outdated(family.refresh(), self.serde):
                    family.delete(branch, checkpoints)

    @override
    def get_next_version(self, current: int | None, channel: None) -> int:
        """Return a version that no other branch has: a count, and 20 bits that are drawn."""
        return ((current or 0) >> _DRAWN) + 1 << _DRAWN | randbits(_DRAWN)

    def _family(self, config: RunnableConfig) -> tuple[Family, Commits]:
        graph_thread = str(config["configurable"]["thread_id"])
        with self._lock:
            if graph_thread not in self._families:
                family = Family(self._client, graph_thread)
                self._families[graph_thread] = family, Commits(family)
            self._families.move_to_end(graph_thread)
            if len(self._families) > _MOST_FAMILIES:
                others = list(self._families.items())[:-1]
                idle = [name for name, (_, commits) in others if commits.is_idle]
                del self._families[idle[0] if idle else others[0][0]]
            return self._families[graph_thread]

    def _candidates(self, config: RunnableConfig | None) -> Iterator[tuple[Family, Branch, Stored]]:
        """Yield checkpoints, newest first; of one graph's thread after the other."""
        if config is None:
            for graph_thread in list(families(self._client)):
                yield from self._candidates({"configurable": {"thread_id": graph_thread}})
            return
        namespace = config["configurable"].get("checkpoint_ns")
        checkpoint = get_checkpoint_id(config)
        family, _ = self._family(config)
        with family.lock:
            family.refresh(namespace)
            checkpoints = {
                (stored.id, branch.namespace): (family, branch, stored)
                for branch, stored in family.live(namespace)
                if checkpoint in {None, stored.id}
            }
        yield from (checkpoints[key] for key in sorted(checkpoints, reverse=True))

    def _tuple(self, family: Family, branch: Branch, stored: Stored) -> CheckpointTuple:
        try:
            return tuple_of(family.graph_thread, branch, stored, self.serde)
        except UnknownMessage:  # another process may have put it into a thread around
            family.refresh()
            return tuple_of(family.graph_thread, branch, stored, self.serde)


def _namespace(config: RunnableConfig) -> str:
    return str(config["configurable"].get("checkpoint_ns", ""))
