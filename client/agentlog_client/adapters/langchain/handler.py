"""The callback handler."""

import time
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import RLock
from typing import Any
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, LLMResult
from typing_extensions import override

from agentlog_client.adapters.langchain.conversation import Conversation
from agentlog_client.adapters.langchain.messages import Draft
from agentlog_client.adapters.langchain.plain import readable
from agentlog_client.identifiers import thread_id
from agentlog_client.recorder import Recorder

_THREAD_KEYS = ("thread_id", "session_id", "conversation_id")
_MOST_THREADS = 1000
"""Threads that are remembered; what another says again has the ids of before."""


@dataclass(slots=True)
class _Thread:
    recorder: Recorder
    conversation: Conversation = field(default_factory=Conversation)


@dataclass(slots=True)
class _Run:
    """A run that goes on: its thread and namespace, its outermost run, and when it began."""

    thread: tuple[str, str]
    outermost: UUID
    began: float
    name: str = ""
    call_id: str | None = None


class AgentlogCallbackHandler(BaseCallbackHandler):
    """Records what models and tools of LangChain are asked and answer; never stops them.

    A run belongs to the thread of its metadata's `thread_id`, `session_id` or `conversation_id`,
    else to one of its outermost run's id. A model of a subgraph of LangGraph has a thread of its
    own. `url`, `key` and `spool` are those of a `Recorder`.
    """

    run_inline = True  # in the order of events; a recorder returns at once

    def __init__(
        self,
        url: str | None = None,
        *,
        key: str | None = None,
        spool: Path | str | None = None,
    ) -> None:
        super().__init__()
        self._where: dict[str, Any] = {"url": url, "key": key, "spool": spool}
        self._first: Recorder | None = None
        self._threads: OrderedDict[tuple[str, str], _Thread] = OrderedDict()
        self._runs: dict[UUID, _Run] = {}
        self._failed: set[UUID] = set()
        self._lock = RLock()

    def flush(self, timeout: float = 5.0) -> bool:
        """Wait up to so many seconds; return whether the log has all that was recorded."""
        return self._first is None or self._first.flush(timeout)

    def close(self, timeout: float = 5.0) -> None:
        """Send what waits, for so many seconds; it happens by itself at the end of the process."""
        if self._first is not None:
            self._first.close(timeout)

    @override
    def on_chain_start(
        self,
        serialized: dict[str, Any],
        inputs: dict[str, Any],
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        metadata: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        self._begin(run_id, parent_run_id, metadata)

    @override
    def on_chain_end(self, outputs: dict[str, Any], *, run_id: UUID, **kwargs: Any) -> None:
        self._end(run_id)

    @override
    def on_chain_error(self, error: BaseException, *, run_id: UUID, **kwargs: Any) -> None:
        run = self._end(run_id)
        if run and run.outermost == run_id:
            self._fail(run, error)
            self._failed.discard(run_id)

    @override
    def on_chat_model_start(
        self,
        serialized: dict[str, Any],
        messages: list[list[BaseMessage]],
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        metadata: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        self._ask(run_id, parent_run_id, metadata, messages, kwargs.get("invocation_params"))

    @override
    def on_llm_start(
        self,
        serialized: dict[str, Any],
        prompts: list[str],
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        metadata: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        messages = [[HumanMessage(prompt)] for prompt in prompts]
        self._ask(run_id, parent_run_id, metadata, messages, kwargs.get("invocation_params"))

    @override
    def on_llm_end(self, response: LLMResult, *, run_id: UUID, **kwargs: Any) -> None:
        run = self._end(run_id)
        if run is None:
            return
        latency_ms = (time.monotonic() - run.began) * 1000
        for generation in [item for batch in response.generations for item in batch]:
            message = (
                generation.message
                if isinstance(generation, ChatGeneration)
                else AIMessage(generation.text)
            )
            if isinstance(message, AIMessage):
                with self._lock:
                    thread = self._thread(run.thread)
                    self._record(thread, thread.conversation.answer(message, latency_ms=latency_ms))

    @override
    def on_llm_error(self, error: BaseException, *, run_id: UUID, **kwargs: Any) -> None:
        if run := self._end(run_id):
            self._fail(run, error)

    @override
    def on_tool_start(
        self,
        serialized: dict[str, Any],
        input_str: str,
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        metadata: dict[str, Any] | None = None,
        inputs: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        run = self._begin(run_id, parent_run_id, metadata)
        run.name = str((serialized or {}).get("name") or kwargs.get("name") or "")
        run.call_id = kwargs.get("tool_call_id")
        if run.call_id is None:  # no model asked for it
            run.call_id = str(run_id)
            args = readable(input_str if inputs is None else inputs)
            call = {"id": run.call_id, "name": run.name, "args": args}
            with self._lock:
                self._record(self._thread(run.thread), [{"type": "tool_calls", "calls": [call]}])

    @override
    def on_tool_end(self, output: Any, *, run_id: UUID, **kwargs: Any) -> None:
        if run := self._end(run_id):
            results = _results_in(output)
            with self._lock:
                thread = self._thread(run.thread)
                self._record(thread, list(thread.conversation.new_in(results)))
            if not results:
                self._answer(run, {"output": readable(output)})

    @override
    def on_tool_error(self, error: BaseException, *, run_id: UUID, **kwargs: Any) -> None:
        if run := self._end(run_id):
            self._answer(run, {"output": None, "error": repr(error)})

    def _begin(
        self, run_id: UUID, parent_run_id: UUID | None, metadata: dict[str, Any] | None
    ) -> _Run:
        with self._lock:
            parent = self._runs.get(parent_run_id) if parent_run_id else None
            outermost = parent.outermost if parent else run_id
            thread = _thread_of(metadata or {}) or (parent.thread if parent else (str(run_id), ""))
            run = self._runs[run_id] = _Run(thread, outermost, time.monotonic())
            return run

    def _end(self, run_id: UUID) -> _Run | None:
        with self._lock:
            run = self._runs.pop(run_id, None)
            if run and run.outermost == run_id:  # of some runs no end is told
                self._runs = {k: v for k, v in self._runs.items() if v.outermost != run_id}
            return run

    def _ask(
        self,
        run_id: UUID,
        parent_run_id: UUID | None,
        metadata: dict[str, Any] | None,
        messages: Sequence[Sequence[BaseMessage]],
        parameters: dict[str, Any] | None,
    ) -> None:
        run = self._begin(run_id, parent_run_id, metadata)
        with self._lock:
            thread = self._thread(run.thread)
            for batch in messages:
                self._record(thread, list(thread.conversation.new_in(batch)))
            asked = {k: v for k, v in (parameters or {}).items() if not k.startswith("_")}
            model = asked.pop("model", None) or asked.pop("model_name", None)
            asked.pop("model_name", None)
            thread.recorder.request(model=model, **readable(asked))

    def _answer(self, run: _Run, result: Draft) -> None:
        with self._lock:
            thread = self._thread(run.thread)
            named = {"name": run.name, **result} if run.name else result
            self._record(thread, thread.conversation.result(str(run.call_id), named))

    def _fail(self, run: _Run, error: BaseException) -> None:
        """Record an error, once for all runs that it passes through."""
        with self._lock:
            if run.outermost not in self._failed:
                self._failed.add(run.outermost)
                self._thread(run.thread).recorder.error(error)

    def _record(self, thread: _Thread, drafts: Sequence[Draft]) -> None:
        for draft in drafts:
            thread.recorder.record(draft)

    def _thread(self, key: tuple[str, str]) -> _Thread:
        thread = self._threads.get(key)
        if thread is None:
            name, namespace = key
            parent = thread_id(name) if namespace else None
            name = f"{name}~{namespace}" if namespace else name
            where = self._where if self._first is None else {"beside": self._first}
            recorder = Recorder(name, parent=parent, **where)
            self._first = self._first or recorder
            thread = self._threads[key] = _Thread(recorder)
            if len(self._threads) > _MOST_THREADS:
                self._threads.popitem(last=False)
        self._threads.move_to_end(key)
        return thread


def _thread_of(metadata: dict[str, Any]) -> tuple[str, str] | None:
    """Return the thread's name that a run's metadata give, and the namespace of a subgraph."""
    name = next((str(metadata[key]) for key in _THREAD_KEYS if metadata.get(key)), None)
    namespace = str(metadata.get("langgraph_checkpoint_ns", "")).rpartition("|")[0]
    return None if name is None else (name, namespace)


def _results_in(output: Any) -> list[BaseMessage]:  # noqa: ANN401 - what tools return
    """Return the messages that a tool returned, itself or in a `Command` of LangGraph."""
    update = getattr(output, "update", None)
    messages = update.get("messages") if isinstance(update, dict) else [output]
    return [message for message in messages or () if isinstance(message, ToolMessage)]
