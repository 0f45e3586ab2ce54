"""Reader of Claude Code's session files, in the order of their lines.

A session is a thread, and so is each of its sub-agents.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from agentlog.domain.errors import InvalidMessage
from agentlog.domain.json.values import (
    JsonValue,
    object_at,
    objects_of,
    text_at,
    texts_of,
)
from agentlog.extensions.formats.claude_code.answers import Answers, left
from agentlog.extensions.formats.claude_code.fields import (
    FACTS,
    KINDS,
    KNOWN,
    decision,
    failure,
    is_line,
    is_of_qwen,
    is_scaffold,
    is_text,
    is_written,
    results_in,
    thread_of,
    worker_thread,
)
from agentlog.extensions.formats.claude_code.workers import (
    notices_in,
    worker_back,
    worker_sent,
)
from agentlog.extensions.formats.workers import Workers
from agentlog.projections.readers.draft import Draft
from agentlog.projections.readers.fields import Fields, amount_at, id_of_uuid
from agentlog.projections.readers.history import Format, History
from agentlog.projections.readers.messages.anthropic import read_blocks, text_of
from agentlog.projections.readers.reading import Entry, Reading
from agentlog.projections.view import Item


def _read(document: JsonValue) -> Iterator[History]:
    session = _Session()
    match document:
        case list(lines):
            place = ""
        case {"loglines": list(lines)}:
            place, whole = "loglines", Fields(document, "")
            whole.take("loglines")
            with session.reading.by_content():
                session.reading.keep_left(whole, "session")
        case _:
            raise InvalidMessage.at("", "no array of lines")
    for index, value in enumerate(lines):
        line = Fields(value if isinstance(value, dict) else {"value": value}, f"{place}[{index}]")
        if isinstance(value, dict):
            session.add(line)
        else:
            session.reading.keep(line, "line")
    yield session.end()


@dataclass(slots=True)
class _Session:
    """What was read so far.

    `lines` are those with a uuid, `calls` those of the model by their id, `known` what holds for
    all lines.
    """

    reading: Reading = field(default_factory=lambda: Reading("claude-code", known=KNOWN))
    lines: dict[str, Item] = field(default_factory=dict)
    calls: dict[str, Item] = field(default_factory=dict)
    known: Item = field(default_factory=dict)
    figures: Item = field(default_factory=dict)
    prompts: set[str] = field(default_factory=set)
    agent: str | None = None
    goal: str | None = None
    answers: Answers = field(init=False)
    workers: Workers = field(init=False)

    def __post_init__(self) -> None:
        self.answers, self.workers = Answers(self.reading), Workers(self.reading)

    def read(self, item: Item, place: str) -> Sequence[Draft]:
        """Return the messages of the next line."""
        self.add(Fields(item, place))
        self.answers.tell()  # no line may follow
        return self.reading.taken()

    def add(self, line: Fields) -> None:
        """Add the messages of a line."""
        uuid = line.item.get("uuid")
        if isinstance(uuid, str):
            if uuid in self.lines:  # resumed and compacted sessions repeat lines
                if self.lines[uuid] != line.item:
                    self.reading.keep(line, "repeated", is_known=True)
                return
            self.lines[uuid] = line.item
        of_draft: Item = {}
        if (message_id := id_of_uuid(uuid)) is not None:
            of_draft["id"] = message_id
            line.take("uuid")
        of_draft |= line.time("timestamp")
        self._take_facts(line)
        match line.item:
            case {"type": "user", "message": {"content": _}}:
                self._read_user(line, of_draft)
            case {"type": "assistant", "message": {"content": _}}:
                self._read_answer(line, of_draft)
            case {"type": "system"} | {"type": "attachment"}:
                self._read_system(line, of_draft)
            case _:
                self._keep(line, of_draft)

    def _take_facts(self, line: Fields) -> None:
        agent = line.item.get("agentId")
        if line.item.get("isSidechain") is True and isinstance(agent, str):
            self.agent = self.agent or agent
            if agent == self.agent:
                line.take("agentId")
        for key in FACTS:
            value = line.item.get(key)
            if isinstance(value, str) and self.known.setdefault(key, value) == value:
                line.take(key)

    def _read_user(self, line: Fields, of_draft: Item) -> None:
        message, content = _opened(line, "user")
        if untaken := left(self.reading, message):
            line.put("message", untaken)
        entry = Entry(self.reading, line, **of_draft)
        results = results_in(content)
        if not results:
            self.answers.end(line)
        if len(results) == 1:
            self._add_approval(entry, line, results[0])
            self._add_worker(entry, line, results[0])
        if self.agent is not None and not results and not is_scaffold(line.item):
            self.goal = self.goal or text_of(content) or None
        self._add_content(entry, line, content, "system" if is_scaffold(line.item) else "input")
        ended = notices_in(text_of(content)) if not results else worker_back(line.item, results)
        self._end_workers(ended, of_draft)

    def _end_workers(self, ended: Iterable[tuple[str, Item]], of_draft: Item) -> None:
        for agent, came in ended:
            self.workers.come_back(agent, came, of_draft)

    def _read_answer(self, line: Fields, of_draft: Item) -> None:
        message, content = _opened(line, "assistant")
        if message.item.get("model") == "<synthetic>":
            line.put("message", left(self.reading, message))
            entry, says = Entry(self.reading, line, **of_draft), "system"
            if line.item.get("isApiErrorMessage") is True and is_text(content):
                entry.add({"type": "runtime_error", "error": text_of(content)})
                return
        else:
            if (answer_id := message.text("id")) is not None:
                of_draft = {**of_draft, "metadata": {"responseId": answer_id}}
            cost = amount_at(line.item, "costUSD")  # as older versions wrote it
            costed: Item = of_draft if cost is None else {**of_draft, "costUsd": cost}
            self.answers.count(line, message, answer_id, costed)
            entry, says = Entry(self.reading, line, **of_draft), "reply"
        self._add_content(entry, line, content, says)

    def _add_content(self, entry: Entry, line: Fields, content: JsonValue, says: str) -> None:
        before = len(self.reading.drafts)
        self._add_blocks(entry, content, f"{line.place}.message.content", says)
        for draft in self.reading.drafts[before:]:
            for call in objects_of(draft.get("calls")):
                self.calls[str(call["id"])] = call
        if not entry.count:
            entry.keep(line, "message", is_known=True)

    def _add_blocks(self, entry: Entry, content: JsonValue, place: str, says: str) -> None:
        if isinstance(content, str):  # the same as a text block
            content = [{"type": "text", "text": content}]
        read_blocks(entry, content, place, says, is_written)

    def _add_approval(self, entry: Entry, line: Fields, result: Item) -> None:
        call, decided = self._call_of(result), decision(line.item, result)
        if call is not None and decided is not None:
            asked: Item = {"callId": call["id"], "tool": call["name"], "args": call["args"]}
            entry.add({"type": "approval_request", **asked})
            entry.add({"type": "approval_response", "callId": call["id"], **decided})

    def _add_worker(self, entry: Entry, line: Fields, result: Item) -> None:
        args = object_at(self._call_of(result) or {}, "args")
        worker = worker_sent(line.item, args, str(self.known.get("sessionId")))
        if worker is not None:
            entry.add({"type": "worker_spawned", **worker})
            self.workers.send(str(worker["workerId"]))

    def _call_of(self, result: Item) -> Item | None:
        return self.calls.get(str(result["tool_use_id"]))

    def _read_system(self, line: Fields, of_draft: Item) -> None:
        entry, attachment = (
            Entry(self.reading, line, **of_draft),
            object_at(line.item, "attachment"),
        )
        match line.item:
            case {"subtype": "api_error", "error": error} if text := failure(error):
                line.take("type")
                entry.add({"type": "runtime_error", "error": text})
            case {"type": "system", "content": str(text)} if text.strip():
                line.take("type")
                line.take("content")
                entry.add({"type": "log", "text": text})
            case {"attachment": {"type": "queued_command", "prompt": prompt}} if prompt:
                line.drop("type")
                is_notice = attachment.get("commandMode") == "task-notification"
                line.put("attachment", _without(attachment, "type", "prompt"))
                place, says = f"{line.place}.attachment.prompt", "system" if is_notice else "input"
                self._add_blocks(entry, attachment["prompt"], place, says)
                self._end_workers(notices_in(text_of(attachment["prompt"])), of_draft)
            case {"attachment": {"type": "prompt_snapshot", "systemPrompt": list(texts)}}:
                new = [text for text in texts_of(texts) if text.strip()]
                if new and len(new) == len(texts) and not self.prompts.issuperset(new):
                    self.prompts.update(new)
                    line.put("attachment", _without(attachment, "type", "systemPrompt"))
                    for text in new:
                        entry.add({"type": "system", "text": text})
                else:
                    self._keep(line, of_draft)
            case _:
                self._keep(line, of_draft)

    def _keep(self, line: Fields, of_draft: Item) -> None:
        match line.item:
            case {"type": "cost-state" | "costState", "totalCostUSD": cost, **more} if (
                more.get("hasUnknownModelCost") is not True
            ) and not isinstance(cost, dict | list):
                self.figures["costUsd"] = cost
            case {"type": "result", "total_cost_usd": float(cost) | int(cost)}:
                self.figures["costUsd"] = cost  # the last: it is that of all turns so far
            case {"type": "custom-title", "customTitle": str(title)}:
                self.figures["title"] = title
            case _:
                pass
        kind, subtype = line.item.get("type"), line.item.get("subtype")
        name = "-".join(word for word in (kind, subtype) if isinstance(word, str))
        known = isinstance(kind, str) and kind in KINDS
        self.reading.keep(line, name or "line", is_known=known, of_draft=of_draft)

    def end(self) -> History:
        """Return what was read of a whole session, or of one sub-agent."""
        self.answers.tell()
        return self.facts()

    def facts(self) -> History:
        """Return what was read so far: of the session, or of one sub-agent."""
        known = {key: value for key, value in self.known.items() if key != "sessionId"}
        figures = {**self.figures}
        if self.workers.sent and "costUsd" in figures:  # whose calls have costs in their threads
            figures["costWithWorkersUsd"] = figures.pop("costUsd")
        metadata = {"agent": "claude-code", **known, **figures}
        session = text_at(self.known, "sessionId")
        if self.agent is None or session is None:
            return self.reading.history(id=session, metadata=metadata)
        own = worker_thread(session, self.agent)
        return self.reading.history(id=own, parent=session, goal=self.goal, metadata=metadata)


def _without(item: Item, *keys: str) -> Item:
    return {key: value for key, value in item.items() if key not in keys}


def _opened(line: Fields, role: str) -> tuple[Fields, JsonValue]:
    """Take the message of a line, and its content."""
    message = Fields(line.take("message"), f"{line.place}.message")
    line.take("type")
    if message.item.get("role") == role:
        message.take("role")
    if message.item.get("type") == "message":
        message.take("type")
    return message, message.take("content")


def _is_document(value: JsonValue) -> bool:
    match value:
        case {"loglines": [_, *_] as lines}:
            return any(map(is_line, lines))
        case _:
            return False


FORMAT = Format(
    "claude-code",
    "Claude Code sessions",
    _read,
    _is_document,
    is_item=is_line,
    excludes=is_of_qwen,
    thread_of=thread_of,
    unit="session",
    begin=_Session,
)
