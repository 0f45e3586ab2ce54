"""Reader of SWE-agent trajectories, `*.traj`: of versions 0.x and 1.x, and of demonstrations."""

from collections.abc import Iterator

from agentlog.domain.errors import InvalidJson
from agentlog.domain.json.text import parse
from agentlog.domain.json.values import JsonValue
from agentlog.extensions.formats.swe_agents.swe_agent_run import SweAgentRun
from agentlog.projections.readers.draft import Draft
from agentlog.projections.readers.fields import Fields
from agentlog.projections.readers.history import Format, History
from agentlog.projections.readers.reading import Reading
from agentlog.projections.view import Item

_NAME = "swe-agent"
_KNOWN = (
    "role agent message_type is_demo tags thought action cache_control content tool_call_ids "
    "thinking_blocks index type response observation state execution_time messages query "
    "extra_info replay_config info submission edited_files30 edited_files50 edited_files70 review "
    "summarizer swe_agent_hash swe_rex_version swe_rex_hash total_cost instance_cost tokens_sent "
    "tokens_received api_calls best_attempt_idx rloop_model_stats chooser"
).split()
_TOTALS = {
    "instance_cost": "costUsd",
    "tokens_sent": "inputTokens",
    "tokens_received": "outputTokens",
    "api_calls": "modelCalls",
}
_COMPLETE = ("submitted", "exit_command")


def _read(document: JsonValue) -> Iterator[History]:
    root = Fields(document, "")
    others = list[Fields]()
    for inner in root.inners("attempts"):
        if inner.item.get("history") == root.item.get("history"):
            inner.take_equal(root.item)  # the best attempt is the whole's too
        else:
            others.append(inner)
    histories = [_history(other) for other in others]
    if "history" in root.item or not histories:
        yield _history(root)
    yield from histories


def _history(root: Fields) -> History:
    history, steps = root.objects("history"), list(root.items("trajectory"))
    config = _config(root.item.get("replay_config"))
    facts: Item = {"environment": root.text("environment"), "model": _model(config)}
    is_told = isinstance(root.item.get("info"), dict)
    info = Fields(root.take("info") if is_told else {}, root.within("info"))
    facts |= {"agentVersion": info.text("swe_agent_version"), **_totals(info)}
    status = info.text("exit_status")
    known = {key: value for key, value in facts.items() if value is not None}
    reading = Reading(_NAME, known=_KNOWN)
    with reading.by_content():
        reading.keep_left(root, "trajectory")
    model: Draft = {"model": known["model"]} if "model" in known else {}
    answer: Draft | None = {"type": "llm_response", **model} if "modelCalls" in known else None
    SweAgentRun(reading, steps, answer).add(history, status or "")
    with reading.by_content():
        if status is None:
            reading.keep_left(info, "info")
        else:
            reading.add({"type": "exit", "reason": _reason(status), "message": status}, info)
    return reading.history(goal=_goal(config), metadata=known)


def _config(value: JsonValue) -> JsonValue:
    """Return the configuration of a run: an object, or its JSON."""
    try:
        return parse(value) if isinstance(value, str) else value
    except InvalidJson:
        return None


def _goal(config: JsonValue) -> str | None:
    match config:
        case {"problem_statement": {"text": str(text)}}:
            return text
        case _:
            return None


def _model(config: JsonValue) -> str | None:
    match config:
        case {"agent": {"model": {"name": str(name)}}}:
            return name
        case _:
            return None


def _totals(info: Fields) -> Item:
    """Return the figures of the run; 0 is what SWE-agent writes for what it does not know."""
    stats = info.inner("model_stats")
    if stats is None:
        return {}
    return {ours: stats.amount(theirs) or None for theirs, ours in _TOTALS.items()}


def _reason(status: str) -> str:
    """Return the reason of an exit; limits of cost, context and time are none of steps."""
    return "complete" if status in _COMPLETE else "error"


def _is_document(value: JsonValue) -> bool:
    match value:
        case {"history": [*items]} if items:
            return all(map(_is_message, items))
        case {"attempts": [*attempts]} if attempts:
            return all(isinstance(attempt, dict) and _is_document(attempt) for attempt in attempts)
        case _:
            return False


def _is_message(item: JsonValue) -> bool:
    match item:
        case {"role": str(), "content": _, "agent": str()}:
            return True
        case _:
            return False


FORMAT = Format(
    _NAME, "SWE-agent trajectories", _read, _is_document, unit="run", suffixes=(".traj",)
)
