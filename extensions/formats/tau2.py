"""Reader of tau2-bench's results: a simulation is a thread.

Shapes: github.com/sierra-research/tau2-bench, `message.py`, `simulation.py` in
`src/tau2/data_model`.
A simulated user may call tools too; the agent sees neither these calls nor their results.
"""

from collections.abc import Iterator

from agentlog.domain.errors import InvalidMessage
from agentlog.domain.json.values import JsonValue
from agentlog.projections.readers.draft import Draft
from agentlog.projections.readers.fields import Fields, milliseconds
from agentlog.projections.readers.history import Format, History
from agentlog.projections.readers.messages.calls import answer_unnamed, take_call
from agentlog.projections.readers.reading import Reading
from agentlog.projections.token_words import CHAT
from agentlog.projections.view import Item

_KNOWN = (
    "timestamp turn_idx raw_data usage cost requestor role id content generation_time_seconds "
    "tool_calls info tasks reward_info is_audio mode start_time end_time duration user_cost "
    "agent_usage review policy contains_speech is_final_chunk auth_classification "
    "hallucination_retries_used"
).split()
_FACTS = {"task_id": "task", "trial": "trial", "seed": "seed", "termination_reason": "ended"}
_ENDS = {"user_stop": "complete", "agent_stop": "complete", "max_steps": "step_limit"}


def _read(document: JsonValue) -> Iterator[History]:
    whole = Fields(document, "")
    if _is_simulation(document):
        yield _simulation(whole, None, None)
        return
    simulations = whole.item.get("simulations")
    if not isinstance(simulations, list) or not simulations:
        raise InvalidMessage.at("simulations", "not an array of simulations")
    whole.take("simulations")
    model = _model(whole.item.get("info"))
    for n, value in enumerate(simulations):
        simulation = Fields(value, f"simulations[{n}]")
        yield _simulation(simulation, model, None if n else whole)


def _model(info: JsonValue) -> str | None:
    match info:
        case {"agent_info": {"llm": str(model)}}:
            return model
        case _:
            return None


def _simulation(simulation: Fields, model: str | None, whole: Fields | None) -> History:
    """Return a simulation; the first has what the results say of all."""
    messages = simulation.objects("messages")
    facts: Item = {} if model is None else {"model": model}
    for theirs, ours in _FACTS.items():
        value = simulation.item.get(theirs)
        if isinstance(value, str | int) and not isinstance(value, bool):
            facts[ours] = simulation.take(theirs)
    if (cost := simulation.amount("agent_cost")) is not None:
        facts["costUsd"] = cost
    match simulation.item.get("reward_info"):
        case {"reward": float(reward) | int(reward)}:
            facts["reward"] = reward
        case _:
            pass
    own_id = simulation.text("id")
    reading = Reading("tau2", known=_KNOWN)
    for n, message in enumerate(messages):
        _message(reading, message, model, n)
    answer_unnamed(reading.drafts)
    with reading.by_content():
        if isinstance(ended := facts.get("ended"), str):
            exit_: Draft = {"type": "exit", "reason": _ENDS.get(ended, "error"), "message": ended}
            reading.add(exit_)
        reading.keep_left(simulation, "simulation")
        if whole is not None:
            reading.keep_left(whole, "results")
    return reading.history(id=own_id, metadata=facts)


def _message(reading: Reading, message: Fields, model: str | None, number: int) -> None:
    of_draft: Draft = {}
    if (at := milliseconds(message.item.get("timestamp"))) is not None:
        of_draft["timestamp"] = at
    text = message.item.get("content")
    match message.item:
        case {"role": "tool", "requestor": "user"}:
            reading.keep(message, "user_result", is_known=True, of_draft=of_draft)
        case {"role": "tool", "id": str(call_id)}:
            message.drop("role", "id", "content")
            result: Item = {**({"callId": call_id} if call_id else {}), "output": text}
            if isinstance(failed := message.item.get("error"), bool):
                message.take("error")
                result["error"] = (text if isinstance(text, str) else "failed") if failed else None
            reading.add({**of_draft, "type": "tool_results", "results": [result]}, message)
        case {"role": "user", "tool_calls": [_, *_]}:
            reading.keep(message, "user_calls", is_known=True, of_draft=of_draft)
        case {"role": "user" | "system" as role, "content": str(text)}:
            message.drop("role", "content")
            says = "input" if role == "user" else "system"
            reading.add({**of_draft, "type": says, "text": text}, message)
        case {"role": "assistant"}:
            _answer(
                reading,
                message,
                {**of_draft, "metadata": {"responseId": f"import-{number}"}},
                model,
            )
        case _:
            reading.keep(message, "message", of_draft=of_draft)


def _answer(reading: Reading, message: Fields, of_draft: Draft, model: str | None) -> None:
    drafts: list[Draft] = []
    figures, cost = CHAT.figures(message.item.get("usage")), message.item.get("cost")
    if figures or message.item.get("raw_data"):
        response: Draft = {"type": "llm_response"}
        if model is not None:
            response["model"] = model
        if figures:
            response["usage"] = figures
        if isinstance(cost, float) and cost > 0:
            response["costUsd"] = cost
        drafts.append(response)
    if text := message.text("content"):
        drafts.append({"type": "reply", "text": text})
    calls = message.inners("tool_calls")
    read = [take_call(call) for call in calls]
    if None in read:  # the message is kept whole
        drafts = []
    else:
        drafts += ({"type": "tool_calls", "calls": [call]} for call in read)
    message.take_equal({"role": "assistant", "tool_calls": None, "content": None})
    for n, draft in enumerate(drafts):
        reading.add({**of_draft, **draft}, *[] if n else [message])
    if not drafts:
        reading.keep(message, "message", is_known=not read, of_draft=of_draft)


def _is_simulation(value: JsonValue) -> bool:
    match value:
        case {"task_id": _, "termination_reason": _, "messages": list()}:
            return True
        case _:
            return False


def _is_document(value: JsonValue) -> bool:
    match value:
        case {"simulations": [first, *_], "info": dict(), "tasks": list()}:
            return _is_simulation(first)
        case _:
            return _is_simulation(value)


FORMAT = Format("tau2", "tau2-bench results", _read, _is_document, unit="simulation")
