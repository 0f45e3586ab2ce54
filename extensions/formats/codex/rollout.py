"""Reader of Codex's rollouts: what the model saw and said are items of the Responses API.

Events say most of it again for the user interface; they are kept, and used for figures and for how
commands ended. In the oldest files items stand without an envelope.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from agentlog.domain.errors import InvalidMessage
from agentlog.domain.json.values import JsonValue, integer_at, object_at
from agentlog.extensions.formats.codex.events import (
    EVENTS,
    KNOWN,
    LINES,
    ended,
    error_in,
    facts_of,
    figures,
    instructions_in,
    is_kind,
    is_line,
    is_written,
    parent_of,
    worker_in,
    workers_ended,
)
from agentlog.extensions.formats.codex.origin import Origin
from agentlog.extensions.formats.workers import Workers
from agentlog.projections.readers.fields import Fields, id_of_uuid, milliseconds
from agentlog.projections.readers.history import Format, History
from agentlog.projections.readers.messages.responses_items import is_of_model, read_item
from agentlog.projections.readers.reading import Entry, Reading
from agentlog.projections.view import Item


def _read(document: JsonValue) -> Iterator[History]:
    if not isinstance(document, list):
        raise InvalidMessage.at("", "no array of lines")
    rollout = _Rollout()
    for index, value in enumerate(document):
        if isinstance(value, dict):
            rollout.read(Fields(value, f"[{index}]"))
        else:
            rollout.reading.keep(Fields({"value": value}, f"[{index}]"), "line")
    yield rollout.history()


@dataclass(slots=True)
class _Rollout:
    """What was read so far.

    `answers` counts the answers of the model, `is_open` whether the last goes on, `is_told` whether
    its figures are. `has_records`: figures are those of token usage records, not of token counts.
    `total` is the last token count. `origin` has what a fork copied while that is being read.
    `errors` has the `error` of calls that ended. `ids` are those of items that were read.
    """

    reading: Reading = field(default_factory=lambda: Reading("codex", known=KNOWN))
    facts: Item = field(default_factory=dict)
    id: str | None = None
    parent: str | None = None
    started: int | None = None
    model: str | None = None
    answers: int = 0
    is_open: bool = False
    is_told: bool = False
    origin: Origin | None = None
    has_records: bool = False
    total: Item | None = None
    ids: set[str] = field(default_factory=set)
    errors: dict[str, Item] = field(default_factory=dict)
    workers: Workers = field(init=False)

    def __post_init__(self) -> None:
        self.workers = Workers(self.reading)

    def read(self, line: Fields) -> None:
        of_draft = line.time("timestamp")
        if self.origin is not None and self.origin.ends(line.item, of_draft):
            self.origin = None
        match line.item:
            case {"type": "session_meta", "payload": dict(meta)}:
                self._read_meta(line, meta, of_draft)
            case {"id": str(), "timestamp": str()} if "type" not in line.item:
                self._read_meta(line, line.item, of_draft)
            case {"type": "response_item", "payload": dict(item)}:
                line.drop("type", "payload")
                self.reading.note(line, line.left())
                beside = Fields({"line": left} if (left := line.left()) else {}, line.place)
                self._read_item(Fields(item, f"{line.place}.payload"), beside, of_draft)
            case {"type": "event_msg", "payload": {"type": str(kind)}}:
                self._read_event(line, kind, object_at(line.item, "payload"), of_draft)
            case {"type": str(kind)} if "payload" not in line.item and is_kind(kind):
                self._read_item(line, Fields({}, ""), of_draft)
            case _:
                self._read_other(line, of_draft)

    def _read_meta(self, line: Fields, meta: Item, of_draft: Item) -> None:
        """Read the first line; a forked file has its parent's after its own."""
        own_id = meta.get("id")
        if self.id is not None or not isinstance(own_id, str):
            if not self.is_told and own_id != self.id:
                self.origin = Origin(self.started)
            self.reading.keep(line, "session_meta", is_known=True, of_draft=of_draft)
            return
        self.id, self.parent = own_id, parent_of(meta)
        self.started = milliseconds(meta.get("timestamp"))
        if isinstance(meta.get("forked_from_id"), str):
            self.origin = Origin(self.started)
        self.facts |= facts_of(meta)
        text, rest = instructions_in(meta)
        if text is None:
            self.reading.keep(line, "session_meta", is_known=True, of_draft=of_draft)
            return
        if meta is line.item:
            line.drop("instructions")
        else:
            line.drop("type")
            line.put("payload", rest)
        self.reading.add({**of_draft, "type": "system", "text": text}, line)

    def _read_other(self, line: Fields, of_draft: Item) -> None:
        match line.item:
            case {"type": "token_usage_record", "payload": {"usage": used}}:
                self.has_records = True
                self._count(line, figures(used) or None, of_draft)
                return
            case {"type": "turn_context", "payload": {"model": str(model)}}:
                self.model = model
            case _:
                pass
        kind = "state" if line.item == {"record_type": "state"} else line.item.get("type")
        name = kind if isinstance(kind, str) else "line"
        self.reading.keep(line, name, is_known=name in LINES, of_draft=of_draft)

    def _read_item(self, item: Fields, beside: Fields, of_draft: Item) -> None:
        given = item.item.get("id")
        own_id = id_of_uuid(given.rpartition("_")[2]) if isinstance(given, str) else None
        if own_id is not None and own_id not in self.ids:
            self.ids.add(own_id)
            of_draft = {**of_draft, "id": own_id}
        if is_of_model(item.item):
            if not self.is_open:
                self._begin_answer()
            self.is_open = True
            of_draft = {**of_draft, **self._of_answer()}
        else:
            self.is_open = False
        call_id = item.item.get("call_id")
        error = self.errors.get(call_id) if isinstance(call_id, str) else None
        read_item(
            Entry(self.reading, item, beside, **of_draft),
            item,
            says="system" if is_written(item.item) else None,
            error=error_in(item.item.get("output")) if error is None else error,
        )

    def _begin_answer(self) -> None:
        self.answers += 1
        self.is_told = False

    def _of_answer(self) -> Item:
        return {"metadata": {"responseId": f"{self.id or 'rollout'}:{self.answers}"}}

    def _read_event(self, line: Fields, kind: str, event: Item, of_draft: Item) -> None:
        if (end := ended(event)) is not None:
            self.errors[end[0]] = end[1]
        worker = worker_in(event)
        match event:
            case {"type": "token_count", "info": dict(info)} if counted := self._figures(info):
                self._count(line, counted, of_draft)
            case {"type": "error" | "stream_error", "message": str(text), **rest}:
                line.put("payload", rest)
                self.reading.add({**of_draft, "type": "runtime_error", "error": text}, line)
            case {"type": "warning", "message": str(text), **rest}:
                line.put("payload", rest)
                self.reading.add({**of_draft, "type": "log", "text": text}, line)
            case _ if worker is not None and str(worker["workerId"]) not in self.workers.sent:
                self.workers.send(str(worker["workerId"]))
                self.reading.add({**of_draft, "type": "worker_spawned", **worker}, line)
            case _:
                self.reading.keep(line, kind, is_known=kind in EVENTS, of_draft=of_draft)
        for thread, came in workers_ended(event):
            self.workers.come_back(thread, came, of_draft)

    def _figures(self, info: Item) -> Item | None:
        """Return the figures of the call that a token count ends; None if it was counted."""
        before, total = self.total, object_at(info, "total_token_usage")
        self.total = total or before
        if self.has_records or (total and total == before):
            return None
        last = info.get("last_token_usage")
        if last is not None or not total:
            return figures(last) or None
        counted_before = figures(before)
        return {
            key: max(0, count - (integer_at(counted_before, key) or 0))
            for key, count in figures(total).items()
            if isinstance(count, int)
        }

    def _count(self, line: Fields, counted: Item | None, of_draft: Item) -> None:
        at = integer_at(of_draft, "timestamp")
        is_copy = self.started is not None and at is not None and at < self.started
        if counted is None or is_copy or self.origin is not None:
            kind = "token_usage_record" if self.has_records else "token_count"
            self.reading.keep(line, kind, is_known=True, of_draft=of_draft)
            return
        if self.is_told or not self.answers:
            self._begin_answer()  # of a call that left no items
        self.is_open, self.is_told = False, True
        response: Item = {"type": "llm_response", "usage": counted}
        if self.model is not None:
            response["model"] = self.model
        if "provider" in self.facts:
            response["provider"] = self.facts["provider"]
        self.reading.add({**of_draft, **self._of_answer(), **response}, line)

    def history(self) -> History:
        """Return what was read."""
        metadata = {"agent": "codex", **self.facts}
        return self.reading.history(id=self.id, parent=self.parent, metadata=metadata)


def _of_file(line: Item) -> None:
    """Return None: a file is a thread, also if it was forked from one with another id."""
    del line


FORMAT = Format(
    "codex",
    "Codex rollouts",
    _read,
    is_item=is_line,
    thread_of=_of_file,
    unit="file",
)
