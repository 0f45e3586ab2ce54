"""Whatever is put, the saver has what LangGraph's own saver has, in this process and in another."""

from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, RemoveMessage, ToolMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver, Checkpoint, CheckpointTuple
from langgraph.checkpoint.base.id import uuid6
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Send

from agentlog_client import Client
from agentlog_client.adapters.langgraph import AgentlogSaver
from agentlog_client.identifiers import new_id

CHANNELS = ["messages", "notes", "__start__", "count"]
NAMESPACES = ["", "inner:1", "inner:1|deep:2"]
MESSAGES: list[BaseMessage] = [
    HumanMessage("hi"),
    HumanMessage("hi", id="a"),
    AIMessage("hi", id="a"),
    AIMessage("", tool_calls=[{"name": "f", "args": {"x": 1}, "id": "c"}], id="b"),
    ToolMessage("done", tool_call_id="c"),
    RemoveMessage("a"),
]
_MESSAGE = st.sampled_from(MESSAGES).map(lambda message: message.model_copy())
_VALUE = st.one_of(
    st.integers(0, 3),
    _MESSAGE,
    st.lists(_MESSAGE, max_size=4),
    st.fixed_dictionaries({"messages": st.lists(_MESSAGE | st.just(["user", "hi"]))}),
    st.builds(Send, st.just("node"), st.lists(_MESSAGE, max_size=2)),
    st.binary(),
)
_PLACE = st.integers(0, 30)
_STEP = st.one_of(
    st.tuples(
        st.just("put"),
        st.sampled_from(NAMESPACES),
        st.none() | _PLACE,
        st.dictionaries(st.sampled_from(CHANNELS), _VALUE | st.none()),
    ),
    st.tuples(
        st.just("writes"),
        _PLACE,
        st.lists(st.tuples(st.sampled_from([*CHANNELS, "__interrupt__", "__error__"]), _VALUE)),
        st.sampled_from(["t", "u"]),
        st.sampled_from(["", "~path"]),
    ),
    st.tuples(st.just("delete")),
    st.tuples(st.just("forget")),
)


class Run:
    """Savers that are given the same."""

    def __init__(self, client: Client) -> None:
        self.client, self.thread_id = client, new_id()
        self.model = InMemorySaver()
        self.saver = AgentlogSaver(client)
        self.put: list[tuple[RunnableConfig, Checkpoint]] = []

    def do(self, step: tuple[Any, ...]) -> None:
        match step:
            case "put", namespace, parent, values:
                self._put(namespace, parent, values)
            case "writes", place, writes, task, path if self.put:
                config = self.put[place % len(self.put)][0]
                for saver in self._savers():
                    saver.put_writes(config, writes, task, path)
            case ("delete",):
                for saver in self._savers():
                    saver.delete_thread(self.thread_id)
                self.put.clear()
            case ("forget",):
                self.saver = AgentlogSaver(self.client)
            case _:
                pass

    def _savers(self) -> list[BaseCheckpointSaver[int]]:
        return [self.model, self.saver]

    def _put(self, namespace: str, place: int | None, values: dict[str, Any]) -> None:
        own = [item for item in self.put if item[0]["configurable"]["checkpoint_ns"] == namespace]
        config: RunnableConfig = {
            "configurable": {"thread_id": self.thread_id, "checkpoint_ns": namespace}
        }
        before: Any = {"channel_values": {}, "channel_versions": {}}
        if place is not None and own:
            config, before = own[-1 - place % len(own)]  # the last is the likeliest
        new = {
            channel: self.saver.get_next_version(before["channel_versions"].get(channel), None)
            for channel in values
        }
        checkpoint = Checkpoint(
            v=4,
            id=str(uuid6()),
            ts="2026-11-26T00:00:00+00:00",
            channel_values={
                channel: value
                for channel, value in {**before["channel_values"], **values}.items()
                if value is not None
            },
            channel_versions={**before["channel_versions"], **new},
            versions_seen={"node": new},
            updated_channels=sorted(new),
        )
        stored = [
            saver.put(config, checkpoint, {"source": "loop", "step": len(self.put)}, new)
            for saver in self._savers()
        ]
        assert stored[0] == stored[1]
        self.put.append((stored[0], checkpoint))

    def states(self, saver: BaseCheckpointSaver[int]) -> list[CheckpointTuple]:
        return [
            item
            for namespace in NAMESPACES
            for item in saver.list(
                {"configurable": {"thread_id": self.thread_id, "checkpoint_ns": namespace}}
            )
        ]

    def check(self) -> None:
        expected = self.states(self.model)
        assert self.states(self.saver) == expected
        assert self.states(AgentlogSaver(self.client)) == expected
        for config, _ in self.put:
            read = self.saver.get_tuple(config)
            theirs = self.model.get_tuple(config)
            assert read == theirs


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])  # a thread each
@given(steps=st.lists(_STEP, max_size=14))
def test_it_has_what_the_saver_in_memory_has(client: Client, steps: list[Any]) -> None:
    run = Run(client)
    for step in steps:
        run.do(step)
    run.check()
