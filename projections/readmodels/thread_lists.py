"""Lists that a thread's row has as JSON: labels, judgements and names of tools."""

from collections.abc import Sequence

from agentlog.domain.events import Event
from agentlog.domain.facts import ThreadJudged
from agentlog.domain.json.text import parse_stored, print_text
from agentlog.domain.json.values import JsonObject, objects_of, texts_of
from agentlog.domain.messages import ToolCall
from agentlog.projections.values import figure_held, held, text_in

_MOST_TOOLS = 100


def with_labels(labels: str, added: Sequence[str], removed: Sequence[str]) -> str:
    """Return labels as JSON, with some added, each once, and others taken away."""
    all_labels = dict.fromkeys([*texts_of(parse_stored(labels.encode())), *map(held, added)])
    taken = {held(label) for label in removed}
    return print_text([label for label in all_labels if label not in taken])


def with_judgement(judgements: str, event: Event, message: ThreadJudged) -> str:
    """Return judgements as JSON, with one in the place of that by the same criterion."""
    criterion = held(message.criterion)
    known = objects_of(parse_stored(judgements.encode()))
    kept = [judgement for judgement in known if judgement["criterion"] != criterion]
    if message.verdict is not None or message.score is not None:
        judgement: JsonObject = {
            "criterion": criterion,
            "verdict": held(message.verdict),
            "score": figure_held(message.score),
            "by": text_in(event.metadata, "actor"),
        }
        kept.append(judgement)
    return print_text([*kept])


def with_tools(tools: str, calls: Sequence[ToolCall]) -> str:
    """Return names of tools as JSON, with those called now, each once."""
    known = texts_of(parse_stored(tools.encode()))
    names = dict.fromkeys([*known, *(held(call.name) for call in calls)])
    return print_text([*names][:_MOST_TOOLS])
