"""Runs and steps of a thread: a run is a turn, a step is what came of one answer of a model."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from agentlog.domain.events import Event
from agentlog.domain.json.values import text_at
from agentlog.domain.messages import LlmResponseMessage
from agentlog.projections.token_words import LETTA
from agentlog.projections.view import Item, Placed
from agentlog.projections.views.letta.turns import DONE, LettaOptions
from agentlog.projections.views.letta.view import LettaView

_STATUS = {"cancelled": "cancelled", "error": "failed", "llm_api_error": "failed"}
_STATUS |= dict.fromkeys(("invalid_llm_response", "invalid_tool_call"), "failed")


@dataclass(slots=True)
class Turn:
    """A turn: its items, and how it ended; an open one has no reason.

    `begin` and `end` are versions of the thread. `answers` are events of model answers.
    """

    begin: int
    end: int
    items: list[Item] = field(default_factory=list)
    stop_reason: str | None = None
    usage: Item = field(default_factory=dict)
    answers: list[Event] = field(default_factory=list)

    @property
    def status(self) -> str:
        """Letta's word for where the run stands."""
        if self.stop_reason is None:
            return "running"
        return _STATUS.get(self.stop_reason, "completed")


def turns_of(events: Iterable[Event]) -> list[Turn]:
    """Return the turns of a thread; a last one that ends in an answer to the user has ended."""
    view = LettaView(LettaOptions(stream=True)).followed()
    carry = view.start()
    placed: list[Placed] = []
    answers: list[Event] = []
    for event in events:
        carry, items = view.fold(carry, event)
        placed += items
        if isinstance(event.message, LlmResponseMessage) or event.response_id is not None:
            answers.append(event)
    placed += view.rest(carry)
    turns = _apart(placed)
    if turns and turns[-1].stop_reason is None and turns[-1].items:
        last = turns[-1].items[-1]["message_type"]
        if last == "assistant_message":
            turns[-1].stop_reason = "end_turn"
    _hand_out(answers, turns)
    return turns


def _apart(placed: Sequence[Placed]) -> list[Turn]:
    turns: list[Turn] = []
    is_open = False
    for place in placed:
        item = place.item
        if not is_open:
            turns.append(Turn(place.version, place.version))
        turn = turns[-1]
        turn.end = max(turn.end, place.version)
        is_open = True
        match item["message_type"]:
            case "stop_reason":
                turn.stop_reason = text_at(item, "stop_reason")
            case "usage_statistics":
                turn.usage = item
            case kind if kind == DONE:
                is_open = False
            case _:
                turn.items.append(item)
    return turns


def _hand_out(answers: Iterable[Event], turns: Sequence[Turn]) -> None:
    """Add model answers to the turns that they are of; the last turn has those that follow it."""
    begins = [turn.begin for turn in turns]
    for event in answers:
        if turns:
            turns[max(bisect_right(begins, event.version) - 1, 0)].answers.append(event)


def run_json(turn: Turn, agent_id: str) -> Item:
    """Return a turn as a run."""
    dates = [item["date"] for item in turn.items if "date" in item]
    return {
        "id": id_of_run(turn, agent_id),
        "agent_id": agent_id,
        "conversation_id": agent_id,
        "background": False,
        "status": turn.status,
        "stop_reason": turn.stop_reason,
        "created_at": dates[0] if dates else None,
        "completed_at": dates[-1] if dates and turn.stop_reason is not None else None,
    }


_TOKENS = (LETTA.input, LETTA.output, LETTA.total, LETTA.read, LETTA.thoughts)


def id_of_run(turn: Turn, agent_id: str) -> str:
    """Return the id of a run: it names its thread, and the version at which it begins."""
    return f"run-{turn.begin}-{agent_id}"


def steps_json(turn: Turn, agent_id: str) -> list[Item]:
    """Return the answers of models in a turn as steps; unknown figures are null."""
    steps: dict[str, Item] = {}
    for event in turn.answers:
        step_id = event.response_id or f"step-{event.message_id}"
        step = steps.setdefault(step_id, {"id": step_id, "agent_id": agent_id})
        step |= {"run_id": id_of_run(turn, agent_id), "status": "success"}
        if isinstance(message := event.message, LlmResponseMessage):
            step |= {"model": message.model, "provider_name": message.provider}
            if (usage := message.usage) is not None:
                known: Item = dict.fromkeys(_TOKENS)
                step |= known | LETTA.counts(usage)
    return list(steps.values())
