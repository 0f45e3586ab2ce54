"""Reader of OpenHands conversations: events of its agent SDK, with the base state before them.

A document is the array of a conversation's events, in the order of their files. Written after
openhands-sdk 1.58, whose package `openhands.sdk.event` has the shapes.
"""

import re
from collections.abc import Iterator, Mapping
from functools import partial
from uuid import UUID

from agentlog.domain.identifiers import derived_message_id
from agentlog.domain.json.values import JsonValue, object_at, object_of, objects_of, text_at
from agentlog.extensions.formats.openhands.events import READ, USUAL, CallFields
from agentlog.extensions.formats.openhands.version_0 import join_events
from agentlog.extensions.formats.stated import stated
from agentlog.projections.readers.draft import Draft
from agentlog.projections.readers.fields import Fields, id_of_uuid, milliseconds
from agentlog.projections.readers.history import Format, History
from agentlog.projections.readers.reading import Reading
from agentlog.projections.token_words import TokenWords
from agentlog.projections.view import Item

_NAME = "openhands"
_KNOWN = (
    "id timestamp source parent_id cache_prompt type content tools kind thinking_blocks "
    "responses_reasoning_item reasoning_content tool_calls name activated_skills extended_content "
    "sender critic_result security_risk summary action action_id origin responses_item_id "
    "classification observation tool_call_id rejection_source title status tool_kind role "
    "llm_response_id dynamic_context system_prompt"
).split()
_KEPT = frozenset(
    (
        "Condensation CondensationRequest CondensationSummaryEvent PauseEvent InterruptEvent "
        "ConversationStateUpdateEvent LLMCompletionLogEvent TokenEvent HookExecutionEvent "
        "SecurityAnalysisEvent StreamingDeltaEvent ACPToolCallEvent"
    ).split()
)
_EVENT_FILE = re.compile(r"(?:^|/)event-(\d{5,})-[0-9A-Fa-f-]{8,}\.json\Z")
_SUBAGENT = re.compile(r"([0-9a-f]{32})/subagents/[0-9a-f]{32}/?\Z")


def _read(document: JsonValue) -> Iterator[History]:
    items = document if isinstance(document, list) else [document]
    events = [Fields(item, f"[{n}]") for n, item in enumerate(items)]
    state = events[0] if events and _is_state(events[0].item) else None
    conversation = _Conversation(None if state is None else figures_of(state.item))
    if state is not None and events[1:]:
        conversation.begin(state, _time(events[1]))
    for event in events[1:] if state is not None else events:
        conversation.add(event)
    # of other facts only those that stay as they are while the thread grows
    facts = {} if state is None else state.item
    folder = object_at(facts, "workspace").get("working_dir")
    yield conversation.reading.history(
        id=text_at(facts, "id"),
        parent=_parent(facts.get("persistence_dir")),
        metadata={**({"cwd": folder} if isinstance(folder, str) else {}), **_stated(facts)},
    )


def _parent(folder: JsonValue) -> str | None:
    """Return the conversation that a sub-agent works for, by the folder it is kept in."""
    match = _SUBAGENT.search(folder) if isinstance(folder, str) else None
    return None if match is None else str(UUID(match[1]))


class _Conversation:
    """The messages of a conversation; `figures` are those of its answers, None if not told."""

    def __init__(self, figures: Mapping[str, Item] | None) -> None:
        self.reading = Reading(_NAME, known=_KNOWN)
        self._calls: CallFields = {}
        self._figures = figures
        self._answered = set[str]()
        self._ids = set[str]()
        self._previous: JsonValue = None

    def begin(self, state: Fields, at: Draft) -> None:
        """Add the base state, under an id that its content gives: it changes as events come."""
        with self.reading.by_content():
            self.reading.keep(state, "base_state", is_known=True, of_draft=at)

    def add(self, event: Fields) -> None:
        """Add the messages of an event, the last with its id; what has none is kept whole."""
        kind, event_id = event.item.get("kind"), event.item.get("id")
        if not isinstance(event_id, str) or event_id in self._ids:
            event_id = None
        else:
            self._ids.add(event_id)
        at, answer = _time(event), event.item.get("llm_response_id")
        if isinstance(answer, str) and answer:
            at["metadata"] = {"responseId": answer}
            if (figures := self._figures_of(answer)) is not None:
                named = _named(event_id, "llm_response")
                self.reading.add({"type": "llm_response", **figures, **at, **named})
                self.reading.of_whole.update(map(str, named.values()))  # come with the base state
        read = READ.get(kind) if isinstance(kind, str) else None
        drafts = [] if read is None else read(event, self._calls)
        ulid = id_of_uuid(event_id)
        own: Draft = _named(event_id, "") if ulid is None else {"id": ulid}
        for number, draft in enumerate(drafts[:-1]):
            self.reading.add({**draft, **at, **_named(event_id, number)})
        if drafts:
            self._take(event, at, own)
            self.reading.add({**drafts[-1], **at, **own}, event)
        else:
            name = kind if isinstance(kind, str) else "event"
            self.reading.keep(event, name, is_known=name in _KEPT, of_draft={**at, **own})
        self._previous = event.item.get("id")

    def _figures_of(self, answer: str) -> Item | None:
        """Return the figures of an answer at its first event; None until they are told.

        The base state is written after the events: figures come with a later import, if need be.
        """
        if answer in self._answered:
            return None
        self._answered.add(answer)
        return {} if self._figures is None else self._figures.get(answer)

    def _take(self, event: Fields, at: Draft, own: Draft) -> None:
        """Take what the messages say in their own fields, or by their place."""
        if "timestamp" in at:
            event.take("timestamp")
        if own and own["id"] == id_of_uuid(event.item.get("id")):
            event.take("id")
        if "metadata" in at:
            event.take("llm_response_id")
        if self._previous is not None and event.item.get("parent_id") == self._previous:
            event.take("parent_id")
        event.take_equal(USUAL.get(str(event.take("kind")), {}))


def _time(event: Fields) -> Draft:
    at = milliseconds(event.item.get("timestamp"))
    return {} if at is None else {"timestamp": at}


def _named(event_id: str | None, part: str | int) -> Draft:
    return {} if event_id is None else {"id": derived_message_id(event_id, part)}


def _is_state(value: JsonValue) -> bool:
    return isinstance(value, dict) and value.keys() >= _OF_STATE and "kind" not in value


def _is_item(value: JsonValue) -> bool:
    if not isinstance(value, dict):
        return False
    if not value.keys() >= _OF_EVENT:
        return _is_state(value)
    kind = value["kind"]
    return isinstance(kind, str) and (kind in READ or kind in _KEPT)


_OF_EVENT = {"kind", "id", "timestamp", "source"}
_OF_STATE = {"id", "agent", "workspace", "persistence_dir"}


def _thread_of(item: Item) -> str | None:
    return item["id"] if _is_state(item) and isinstance(item["id"], str) else None


FORMAT = Format(
    _NAME,
    "OpenHands conversations",
    _read,
    is_item=_is_item,
    thread_of=_thread_of,
    unit="conversation",
    join=partial(join_events, event=_EVENT_FILE, first="base_state.json"),
)


_TOKENS = TokenWords(
    "prompt_tokens",
    "completion_tokens",
    read="cache_read_tokens",
    written="cache_write_tokens",
    thoughts="reasoning_tokens",
)


def figures_of(state: Item) -> dict[str, Item]:
    """Return the fields of `llm_response` by response id, from the `stats` of a base state."""
    match state.get("stats"):
        case {"usage_to_metrics": dict(by_usage)}:
            return {
                name: figures
                for metrics in by_usage.values()
                for name, figures in _figures(metrics)
            }
        case _:
            return {}


def _stated(state: Item) -> Item:
    """Return what a conversation states of the whole of it; 0 stands for what is not known."""
    by_usage = object_at(state, "stats", "usage_to_metrics")
    metrics = [Fields(object_of(value), "") for value in by_usage.values()]
    tokens = [object_at(metric.item, "accumulated_token_usage") for metric in metrics]
    figures = [_TOKENS.figures(counts) for counts in tokens if any(counts.values())]
    costs = [metric.amount("accumulated_cost") or None for metric in metrics]
    return stated(figures, costs)


def _figures(metrics: JsonValue) -> Iterator[tuple[str, Item]]:
    given = object_of(metrics)
    tokens = objects_of(given.get("token_usages"))
    costs = objects_of(given.get("costs"))  # name no answer, but each call adds one of each
    latencies = {
        item["response_id"]: latency
        for item in objects_of(given.get("response_latencies"))
        if isinstance(item.get("response_id"), str)
        and (latency := Fields(item, "").amount("latency")) is not None
    }
    for number, token in enumerate(tokens):
        response_id = token.get("response_id")
        if not isinstance(response_id, str) or not response_id:
            continue
        draft: Item = {}
        if isinstance(token.get("model"), str) and token["model"]:
            draft["model"] = token["model"]
        # 0 is what OpenHands writes where the model reported nothing
        counted = _TOKENS.figures({key: value for key, value in token.items() if value != 0})
        if counted:
            draft["usage"] = counted
        cost = Fields(costs[number], "").amount("cost") if len(costs) == len(tokens) else None
        if cost is not None:
            draft["costUsd"] = cost
        if response_id in latencies:
            draft["latencyMs"] = latencies[response_id] * 1000
        yield response_id, draft
