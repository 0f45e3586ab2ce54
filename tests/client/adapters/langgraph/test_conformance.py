"""LangGraph's own suite for checkpointers, whole, for the awaited methods and for the others."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Any

import pytest
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver, CheckpointTuple
from langgraph.checkpoint.conformance import checkpointer_test, validate

from agentlog_client.adapters.langgraph import AgentlogSaver

TESTS = {
    "put": 17,
    "put_writes": 10,
    "get_tuple": 10,
    "list": 16,
    "delete_thread": 5,
    "delete_for_runs": 7,
    "copy_thread": 8,
    "prune": 8,
}


class Waiting(BaseCheckpointSaver[int]):
    """A saver whose awaited methods are the others of the saver under test: the suite awaits."""

    def __init__(self, saver: AgentlogSaver) -> None:
        super().__init__()
        self.saver = saver

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        return self.saver.get_tuple(config)

    async def alist(
        self, config: RunnableConfig | None, **which: Any
    ) -> AsyncIterator[CheckpointTuple]:
        for item in self.saver.list(config, **which):
            yield item

    async def aput(self, *of: Any) -> RunnableConfig:
        return self.saver.put(*of)

    async def aput_writes(self, *of: Any, **more: Any) -> None:
        self.saver.put_writes(*of, **more)

    async def adelete_thread(self, thread_id: str) -> None:
        self.saver.delete_thread(thread_id)

    async def adelete_for_runs(self, run_ids: Sequence[str]) -> None:
        self.saver.delete_for_runs(run_ids)

    async def acopy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        self.saver.copy_thread(source_thread_id, target_thread_id)

    async def aprune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        self.saver.prune(thread_ids, strategy=strategy)


@pytest.mark.parametrize("awaited", [True, False])
def test_langgraphs_own_suite_passes_and_nothing_is_skipped(
    saver: AgentlogSaver,
    *,
    awaited: bool,
) -> None:
    @checkpointer_test(name="AgentlogSaver")
    async def made() -> AsyncIterator[BaseCheckpointSaver[int]]:
        yield saver if awaited else Waiting(saver)

    report = asyncio.run(validate(made))
    results = report.results
    assert {name: result.failures for name, result in results.items() if result.failures} == {}
    assert {name: result.tests_passed for name, result in results.items()} == TESTS
    assert not any(result.tests_skipped for result in results.values())
