"""Reader of the events of OpenHands before version 1: trajectories and evaluation outputs.

Shapes: `openhands/events/serialization/event.py` and `openhands/core/schema` of
github.com/All-Hands-AI/OpenHands 0.x. A trajectory is an array of events, or an object with
`trajectory`; a line of `output.jsonl` has them in `history`. A conversation's folder is an array
of its `metadata.json` and its events.
"""

import re
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from functools import partial
from operator import itemgetter

from agentlog.domain.errors import InvalidMessage
from agentlog.domain.json.values import JsonValue, array_of, object_at, text_at
from agentlog.projections.readers.draft import Draft
from agentlog.projections.readers.fields import Fields
from agentlog.projections.readers.history import (
    Format,
    History,
    JoinedFiles,
    as_lines,
    folder_of,
    within,
)
from agentlog.projections.readers.reading import Entry, Reading
from agentlog.projections.token_words import CHAT
from agentlog.projections.view import Item

_CACHE = "event_cache"
"""Pages of events, which repeat them."""


def join_events(
    paths: AbstractSet[str], event: re.Pattern[str], first: str
) -> Iterator[JoinedFiles]:
    """Yield conversations: the file `first`, then those whose paths match `event`, by number."""
    events: dict[str, list[tuple[int, str]]] = {}
    for path in paths:
        if match := event.search(path):
            events.setdefault(folder_of(path), []).append((int(match[1]), path))
    for folder, numbered in events.items():
        conversation = folder_of(folder)
        before, cache = within(conversation, first), within(conversation, _CACHE)
        files = [path for _, path in sorted(numbered, key=itemgetter(0))]
        pages = [path for path in paths if folder_of(path) == cache]
        yield as_lines(conversation, [before, *files] if before in paths else files, pages)


_NAME = "openhands-0"
_KNOWN = (
    "id timestamp source message cause action observation extras args tool_call_metadata "
    "llm_metrics timeout success content instance metadata instruction metrics test_result error "
    "thought keep_prompt tools openhands_version agent_class image_urls file_urls "
    "wait_for_response user_id selected_repository selected_branch git_provider trigger created_at "
    "last_updated_at task_completed outputs images_urls security_risk"
).split()
_KEPT = frozenset(
    (
        "change_agent_state agent_state_changed recall null condensation start "
        "condensation_request pause resume stop loop_recovery loop_detection think condense "
        "success message system"
    ).split()
)
_EVENT_FILE = re.compile(r"(?:^|/)events/(\d+)\.json\Z")
_LISTS = ("trajectory", "history")


def _read(document: JsonValue) -> Iterator[History]:
    reading, facts = _Events(), dict[str, JsonValue]()
    if isinstance(document, list):
        match document:
            case [{"conversation_id": str(own_id)} as root, *_] if own_id:
                first = Fields(root, "[0]")
                first.take("conversation_id")
                if (title := first.text("title")) is not None:
                    facts["title"] = title
                reading.keep_left(first, "metadata")
                reading.add_all(document, "", start=1)
                yield reading.history(id=own_id, metadata=facts)
            case _:
                reading.add_all(document, "")
                yield reading.history()
        return
    whole = Fields(document, "")
    key = next((key for key in _LISTS if isinstance(whole.item.get(key), list)), None)
    if key is None:
        raise InvalidMessage.at("", "no events of OpenHands")
    reading.add_all(array_of(whole.take(key)), key)
    if (instance := whole.text("instance_id")) is not None:
        facts["instance"] = instance
    with reading.by_content():
        reading.keep_left(whole, "output")
    yield reading.history(metadata=facts)


class _Events(Reading):
    """The messages of a run; an observation answers the action that it names as its cause."""

    def __init__(self) -> None:
        super().__init__(_NAME, known=_KNOWN)
        self._calls: dict[int, tuple[str, str]] = {}
        self._answered = set[str]()

    def add_all(self, events: list[JsonValue], place: str, *, start: int = 0) -> None:
        """Add the messages of each event; pairs of both, as old evaluations have them, too."""
        for n, value in enumerate(events[start:], start):
            inner = value if isinstance(value, list) else [value]
            for k, event in enumerate(inner):
                at = f"{place}[{n}]" if inner is not value else f"{place}[{n}][{k}]"
                self._add_event(Fields(event, at))

    def _add_event(self, event: Fields) -> None:
        of_draft = event.time("timestamp")
        match event.item:
            case {"action": str(action), "args": dict()}:
                self._act(event, action, of_draft)
            case {"observation": str(observation), "content": content}:
                self._observe(event, observation, content, of_draft)
            case _:
                self.keep(event, "event", of_draft=of_draft)

    def _act(self, event: Fields, action: str, of_draft: Draft) -> None:
        args, source = event.inner("args") or Fields({}, event.place), event.item.get("source")
        text = args.item.get("content")
        response_id = self._answer(event, of_draft) if source == "agent" else None
        if response_id is not None:
            of_draft = {**of_draft, "metadata": {"responseId": response_id}}
        entry = Entry(self, event, **of_draft)
        thought = args.item.get("thought")
        if action in ("message", "system") and isinstance(text, str):
            args.take("content")
            event.take_equal({"message": text})
            of_source = "reply" if source == "agent" else "input"
            entry.add({"type": "system" if action == "system" else of_source, "text": text})
        elif action == "think" and isinstance(thought, str) and source == "agent":
            args.take("thought")
            entry.add({"type": "reasoning", "title": "", "summary": thought})
        elif action in _KEPT or source != "agent":
            entry.keep(event, action, is_known=action in _KEPT)
        else:
            self._call(entry, event, args, action)

    def _call(self, entry: Entry, event: Fields, args: Fields, action: str) -> None:
        """Add the call that an action is, after the thought that came with it."""
        thoughts = [
            args.text("thought"),
            args.text("final_thought") if action == "finish" else None,
        ]
        number, given = event.item.get("id"), dict(args.item)
        match event.item.get("tool_call_metadata"):
            case {"function_name": str(name), "tool_call_id": str(call_id)} if call_id:
                pass
            case _:
                name, call_id = action, f"action-{number}"
        if action != "finish":
            given = {key: args.take(key) for key in given if key != "thought"}
        if text := "\n\n".join(filter(None, thoughts)):
            entry.add({"type": "reply", "text": text})
        if action == "finish":
            if not text:
                entry.keep(event, action, is_known=True)
            return
        if isinstance(number, int):
            self._calls[number] = call_id, name
        entry.add({"type": "tool_calls", "calls": [{"id": call_id, "name": name, "args": given}]})

    def _answer(self, event: Fields, of_draft: Draft) -> str | None:
        """Add the figures of the model's answer that an action came out of, once."""
        response = object_at(event.item, "tool_call_metadata", "model_response")
        answer_id, model = text_at(response, "id"), response.get("model")
        if answer_id is not None and answer_id not in self._answered:
            self._answered.add(answer_id)
            draft: Draft = {"type": "llm_response", "metadata": {"responseId": answer_id}}
            if isinstance(model, str):
                draft["model"] = model
            if figures := CHAT.figures(response.get("usage")):
                draft["usage"] = figures
            self.drafts.append({**of_draft, **draft})
        return answer_id

    def _observe(self, event: Fields, kind: str, content: JsonValue, of_draft: Draft) -> None:
        cause = event.item.get("cause")
        call = self._calls.get(cause) if isinstance(cause, int) else None
        if call is not None and kind not in ("agent_state_changed", "null"):
            event.drop("content", "cause")
            event.take_equal({"message": content})
            result: Item = {"callId": call[0], "name": call[1], "output": content}
            if kind in ("error", "user_rejected"):
                result["error"] = content if isinstance(content, str) and content else kind
            self.add({**of_draft, "type": "tool_results", "results": [result]}, event)
        elif kind == "error" and isinstance(content, str) and content:
            event.take("content")
            self.add({**of_draft, "type": "runtime_error", "error": content}, event)
        else:
            self.keep(event, kind, is_known=kind in _KEPT, of_draft=of_draft)


def is_event(value: JsonValue) -> bool:
    """Return whether a value is an event of these versions."""
    match value:
        case {"action": str(), "args": dict(), "source": str()}:
            return True
        case {"observation": str(), "content": _, "extras": dict()}:
            return True
        case _:
            return False


def _is_document(value: JsonValue) -> bool:
    events = (
        next((value[key] for key in _LISTS if key in value), None)
        if isinstance(value, dict)
        else value
    )
    if not isinstance(events, list) or not events:
        return False
    pairs = [
        event_or_pair
        for event in events
        for event_or_pair in (event if isinstance(event, list) else [event])
    ]
    return pairs != [] and all(map(is_event, pairs))


FORMAT = Format(
    _NAME,
    "OpenHands events of version 0",
    _read,
    _is_document,
    is_event,
    unit="conversation",
    join=partial(join_events, event=_EVENT_FILE, first="metadata.json"),
)
