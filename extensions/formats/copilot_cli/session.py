"""Reader of Copilot CLI's sessions, `~/.copilot/session-state/**/*.jsonl`, and of older ones.

Lines are events, as `--output-format json` prints them too. What sub-agents say stands among them,
and becomes threads of their own. Sessions of 2025, `history-session-state/*.json`, have the
messages of OpenAI's chat as `chatMessages`.
"""

from collections.abc import Iterator
from dataclasses import replace

from agentlog.domain.errors import InvalidMessage
from agentlog.domain.identifiers import is_thread_id
from agentlog.domain.json.values import JsonValue, integer_at, object_at, object_of, text_at
from agentlog.extensions.formats.copilot_cli.events import (
    KINDS,
    KNOWN,
    add_input,
    figures_of,
    opened,
    outcome_of,
    response_of,
)
from agentlog.extensions.formats.workers import Workers, came_back
from agentlog.projections.call_texts import call_fields
from agentlog.projections.readers.draft import Draft
from agentlog.projections.readers.fields import Fields, id_of_uuid
from agentlog.projections.readers.history import Format, History
from agentlog.projections.readers.messages import chat
from agentlog.projections.readers.messages.calls import add_call
from agentlog.projections.readers.reading import Entry, Reading
from agentlog.projections.view import Item

_NAME = "copilot-cli"
_OF_FOLDER = {"cwd": "cwd", "branch": "gitBranch", "repository": "repository"}
_TOTALS = ("inputTokens", "outputTokens")


def _read(document: JsonValue) -> Iterator[History]:
    match document:
        case list(lines):
            session = _Session()
            for n, value in enumerate(lines):
                session.add(Fields(value, f"[{n}]"))
            yield from session.histories()
        case {"chatMessages": list(messages)}:
            whole = Fields(document, "")
            whole.take("chatMessages")
            own_id, facts = whole.text("sessionId"), whole.texts({"startTime": "startedAt"})
            for history in chat.FORMAT.read([*messages]):
                metadata = {"agent": _NAME, **facts}
                yield replace(history, id=own_id, metadata=metadata, beside=whole.left())
        case _:
            raise InvalidMessage.at("", "no events and no chatMessages")


class _Session:
    """The messages of a session and of its sub-agents; `facts` are what its events say of it."""

    def __init__(self) -> None:
        self.own_id: str | None = None
        self.parent: str | None = None
        self.facts: Item = {"agent": _NAME}
        self._main = Reading(_NAME, known=KNOWN)
        self._agents: dict[str, Reading] = {}
        self._workers = Workers(self._main)
        self._calls: dict[str, tuple[str, JsonValue]] = {}
        self._ended: dict[str, str | None] = {}
        """The calls that have a result, and the sub-agents that ended before theirs."""
        self._seen = set[str]()
        self._totals: list[Item] = []

    def histories(self) -> Iterator[History]:
        """Yield the session, and each of its sub-agents as a thread of its own."""
        totals: Item = {
            key: sum(integer_at(totals, key) or 0 for totals in self._totals)
            for key in (_TOTALS if self._totals else ())
        }
        facts = {**self.facts, **totals}
        yield self._main.history(id=self.own_id, parent=self.parent, metadata=facts)
        for agent, reading in self._agents.items():
            yield reading.history(
                id=self._thread_of(agent), parent=self.own_id, metadata={"agent": agent}
            )

    def add(self, event: Fields) -> None:
        """Add the messages of an event to the thread that it is of."""
        data, kind = object_at(event.item, "data"), event.item.get("type")
        is_of_worker = isinstance(kind, str) and kind.startswith("subagent.")
        agent = text_at(event.item, "agentId") or text_at(data, "parentToolCallId")
        reading = self._main
        if agent is not None and not is_of_worker:
            reading = self._agents.setdefault(agent, Reading(_NAME, known=KNOWN))
        of_draft = event.time("timestamp")
        message_id = id_of_uuid(event.item.get("id"))
        if message_id is not None and message_id not in self._seen:
            self._seen.add(message_id)
            event.take("id")
            of_draft["id"] = message_id
        entry = Entry(reading, event, **of_draft)
        if is_of_worker:
            self._add_worker(entry, event, data, of_draft)
        elif not (
            self._add_said(entry, event, data) or self._add_run(entry, event, data, of_draft)
        ):
            self._note_facts(event, data)
            name = kind if isinstance(kind, str) else "event"
            is_known = name in KINDS or event.item.get("ephemeral") is True
            entry.keep(event, name.replace(".", "-"), is_known=is_known)

    def _thread_of(self, agent: str) -> str | None:
        return None if self.own_id is None else f"{self.own_id}:{agent}"

    def _note_facts(self, event: Fields, data: Item) -> None:
        match event.item.get("type"), data:
            case "session.start", {"sessionId": str(own_id)} if own_id and self.own_id is None:
                start = Fields(data, event.within("data"))
                self.own_id = own_id
                self.parent = start.text("detachedFromSpawningParentSessionId")
                self.facts |= start.texts({"copilotVersion": "version", "selectedModel": "model"})
                if (context := start.inner("context")) is not None:
                    self.facts |= context.texts(_OF_FOLDER)
            case "session.title_changed", {"title": str(title)}:
                self.facts["title"] = title
            case "session.model_change", {"newModel": str(model)}:
                self.facts["model"] = model
            case "session.shutdown", {"modelMetrics": dict(metrics)}:
                self._count(metrics)
            case _:
                pass

    def _count(self, metrics: Item) -> None:
        """Note the totals that a session states as it ends; after a resume they go on, or anew."""
        usages = [figures_of(object_of(metric).get("usage")) for metric in metrics.values()]
        totals: Item = {
            key: sum(integer_at(figures, key) or 0 for figures in usages) for key in _TOTALS
        }
        if not any(totals.values()):
            return
        if self._totals and all(
            (integer_at(totals, key) or 0) >= (integer_at(self._totals[-1], key) or 0)
            for key in _TOTALS
        ):
            self._totals.pop()
        self._totals.append(totals)

    def _add_said(self, entry: Entry, event: Fields, data: Item) -> bool:
        """Add what an event says; return whether it says anything."""
        match event.item.get("type"), data:
            case "user.message", {"content": str()}:
                add_input(entry, opened(event))
            case "system.message", {"content": str(text)}:
                opened(event, "content")
                entry.add({"type": "system", "text": text})
            case "assistant.message", {"content": str()}:
                self._add_answer(entry, opened(event, "content"))
            case "session.compaction_complete", {"summaryContent": str(text), "success": True}:
                opened(event, "summaryContent", "success")
                entry.add({"type": "system", "text": text})
            case "session.error", {"message": str(text)}:
                opened(event, "message")
                entry.add({"type": "runtime_error", "error": text})
            case "session.info" | "session.warning", {"message": str(text)}:
                opened(event, "message")
                entry.add({"type": "log", "text": text})
            case _:
                return False
        return True

    def _add_answer(self, entry: Entry, data: Fields) -> None:
        answer_id = text_at(data.item, "apiCallId") or text_at(data.item, "messageId")
        of_draft: Draft = {"metadata": {"responseId": answer_id}} if answer_id else {}
        calls, thought = list(data.items("toolRequests")), data.text("reasoningText")
        if figures_of(data.item):
            entry.add({**of_draft, **response_of(data, self.facts.get("model"))})
        if thought:
            entry.add({**of_draft, "type": "reasoning", "title": "", "summary": thought})
        text = text_at(data.item, "content")
        if text or not (entry.count or calls):
            entry.add({**of_draft, "type": "reply", "text": text or ""})
        for call in calls:
            match call.item:
                case {"toolCallId": str(call_id), "name": str(name), **rest} if call_id:
                    self._calls[call_id] = (name, rest.get("arguments"))
                    call.take_equal({"type": "function"})
                    call.drop("name", "arguments", "toolCallId")
                    own: Item = {"id": call_id, **call_fields(name, rest.get("arguments"))}
                    entry.add({**of_draft, "type": "tool_calls", "calls": [own]}, call)
                case _:
                    entry.keep(call, "call")

    def _add_run(self, entry: Entry, event: Fields, data: Item, of_draft: Draft) -> bool:
        """Add what an event says of calls, figures and the end; return whether it says anything."""
        match event.item.get("type"), data:
            case "tool.execution_start", {"toolCallId": str(call_id), "toolName": str(name)} if (
                call_id and call_id not in self._calls
            ):
                self._calls[call_id] = (name, data.get("arguments"))
                inner = opened(event, "toolName", "arguments")
                add_call(entry, inner, name, data.get("arguments"), key="toolCallId")
            case "tool.execution_complete", {"toolCallId": str(call_id)} if call_id:
                result: Item = {"callId": call_id, **outcome_of(opened(event, "toolCallId"))}
                if call_id in self._calls:
                    result["name"] = self._calls[call_id][0]
                entry.add({"type": "tool_results", "results": [result]})
                self._ended.setdefault(call_id, None)
                if (agent := self._ended[call_id]) is not None:
                    came = came_back(result["output"], "completed")
                    self._workers.come_back(agent, came, of_draft)
            case "assistant.usage", {"apiCallId": str(answer_id)} if answer_id:
                response = response_of(Fields(data, ""), self.facts.get("model"))
                event.take("type")
                entry.add({**response, "metadata": {"responseId": answer_id}})
            case "result", _ if isinstance(code := event.item.get("exitCode"), int):
                self.own_id = self.own_id or text_at(event.item, "sessionId")
                reason = "error" if code else "complete"
                entry.add({"type": "exit", "reason": reason, "message": f"exit code {code}"})
            case _:
                return False
        return True

    def _add_worker(self, entry: Entry, event: Fields, data: Item, of_draft: Draft) -> None:
        """Add that a sub-agent was sent off or came back, by the call that did so."""
        kind = str(event.item.get("type"))
        call_id = text_at(data, "toolCallId")
        agent = text_at(event.item, "agentId") or call_id
        entry.keep(event, kind.replace(".", "-"), is_known=kind in KINDS)
        if not agent:
            return
        _, args = self._calls.get(call_id or "", ("", None))
        match kind:
            case "subagent.started":
                objective = text_at(object_of(args), "prompt") or text_at(data, "agentDescription")
                sent: Draft = {
                    "type": "worker_spawned",
                    "workerId": agent,
                    "objective": objective or "",
                }
                if (model := text_at(data, "model")) is not None:
                    sent["model"] = model
                if (thread := self._thread_of(agent)) is not None and is_thread_id(thread):
                    sent["threadId"] = thread
                entry.add(sent)
                self._workers.send(agent)
            case "subagent.completed" if call_id is not None and call_id not in self._ended:
                self._ended[call_id] = agent  # its words come as the result of the call
            case "subagent.completed":
                self._workers.come_back(agent, came_back(None, "completed"), of_draft)
            case "subagent.failed":
                self._workers.come_back(agent, came_back(data.get("error"), "failed"), of_draft)
            case _:
                pass


def _is_document(value: JsonValue) -> bool:
    match value:
        case {"sessionId": str(), "startTime": str(), "chatMessages": list()}:
            return True
        case _:
            return False


def _is_line(value: JsonValue) -> bool:
    match value:
        case {"type": str(kind), "data": dict(), "id": str(), "timestamp": str()}:
            return kind in KINDS
        case _:
            return False


FORMAT = Format(
    _NAME, "Copilot CLI sessions", _read, _is_document, is_item=_is_line, unit="session"
)
