"""The awaited methods of a checkpointer: each is the method of its name, done in a thread."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import Any, TypeVar

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
)
from typing_extensions import override

T = TypeVar("T")

_WORKERS = 32


class Awaited(BaseCheckpointSaver[int]):
    """A checkpointer whose methods may be awaited, in any event loop."""

    @override
    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        return await self._aside(lambda: self.get_tuple(config))

    @override
    async def alist(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[CheckpointTuple]:
        tuples = self.list(config, filter=filter, before=before, limit=limit)
        while (item := await self._aside(lambda: next(tuples, None))) is not None:
            yield item

    @override
    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        return await self._aside(lambda: self.put(config, checkpoint, metadata, new_versions))

    @override
    async def aput_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        await self._aside(lambda: self.put_writes(config, writes, task_id, task_path))

    @override
    async def adelete_thread(self, thread_id: str) -> None:
        await self._aside(lambda: self.delete_thread(thread_id))

    @override
    async def adelete_for_runs(self, run_ids: Sequence[str]) -> None:
        await self._aside(lambda: self.delete_for_runs(run_ids))

    @override
    async def acopy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        await self._aside(lambda: self.copy_thread(source_thread_id, target_thread_id))

    @override
    async def aprune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        await self._aside(lambda: self.prune(thread_ids, strategy=strategy))

    async def _aside(self, work: Callable[[], T]) -> T:
        """Do it in a thread: a write that was begun is finished, even if its task is cancelled."""
        return await asyncio.get_running_loop().run_in_executor(self._workers, work)

    @cached_property
    def _workers(self) -> ThreadPoolExecutor:
        # of its own: LangGraph runs nodes in the loop's
        return ThreadPoolExecutor(_WORKERS, "agentlog-saver")
