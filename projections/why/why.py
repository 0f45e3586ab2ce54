"""What stands where a run's trail leads: texts of few messages, and how the run ended."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from agentlog.domain.events import Event
from agentlog.domain.json.values import text_at, texts_of
from agentlog.domain.messages import (
    ExitMessage,
    ReplyMessage,
    RuntimeErrorMessage,
    ToolResult,
    ToolResultsMessage,
    WorkerResultMessage,
)
from agentlog.projections.call_texts import error_text, value_text
from agentlog.projections.outcomes.attempts import place_of
from agentlog.projections.outcomes.outcome import Outcome
from agentlog.projections.outcomes.suspicion import result_of
from agentlog.projections.outcomes.words import Word, WordCounts, word_of
from agentlog.projections.outline.step import Step, shown_at
from agentlog.projections.readmodels.thread_sums import settled, sums_of
from agentlog.projections.view import Item
from agentlog.projections.why.calls import Call, beginning, call_of
from agentlog.projections.why.ending import LONGEST_TEXT, Ending, LastText
from agentlog.projections.why.trail import Loop, Trail


@dataclass(frozen=True, slots=True)
class Failure:
    """What failed, is told or suspected: `version` is that of the result or error.

    `word` says which of these. `text` is its beginning, `kind` that of its item in view `timeline`,
    `rules` are those of suspicion that it meets. `call` is the call, where it is one.
    """

    version: int
    word: Word
    kind: str
    name: str | None
    text: str | None
    rules: tuple[str, ...]
    call: Call | None


@dataclass(frozen=True, slots=True)
class Why:
    """Why a run went as it went.

    `outcome_version` is that of what says its outcome. `failure` is the first on record, `doubt`
    the first that is told or suspected; `words` counts all of these. `before` is the call before
    the failure, else before the doubt, or the last call where there is neither. `loops` are the
    longest of `loop_count`. `total` has the time and the figures of the run, `calls` how many it
    asked for.
    """

    outcome: Outcome
    outcome_version: int | None
    failure: Failure | None
    doubt: Failure | None
    words: WordCounts
    before: Call | None
    loops: tuple[Loop, ...]
    loop_count: int
    total: Step
    calls: int
    last: LastText | None
    stated_cost_usd: float | None
    calls_cost_usd: float | None


def versions_of(trail: Trail) -> set[int]:
    """Return the versions of the messages that `why_of` reads."""
    versions = {trail.reply}
    versions |= {shown_at(item) for item in (trail.failure, trail.doubt) if item is not None}
    for item in (trail.failure, trail.doubt, trail.before):
        place = None if item is None else place_of(item)
        if place is not None:
            beside = trail.beside(place)
            versions |= {place.version, None if beside is None else beside.version}
    return {version for version in versions if version is not None}


def why_of(trail: Trail, messages: Mapping[int, Event], ending: Ending) -> Why:
    """Return the answers; `messages` are by version."""
    is_scored = ending.outcome.basis == "scores" and trail.score is not None
    last = ending.last
    reply = None if trail.reply is None else messages[trail.reply].message
    if isinstance(reply, ReplyMessage) and trail.reply is not None:
        last = LastText(trail.reply, beginning(reply.text, LONGEST_TEXT))
    total = trail.total
    return Why(
        outcome=ending.outcome,
        outcome_version=trail.score if is_scored else ending.version,
        failure=_failure(trail, trail.failure, messages),
        doubt=_failure(trail, trail.doubt, messages),
        words=trail.words,
        before=None if trail.before is None else call_of(trail, trail.before, messages),
        loops=tuple(trail.loops),
        loop_count=trail.loop_count,
        total=replace(total, **settled(sums_of(total), ending.stated)._asdict()),
        calls=len(trail.calls),
        last=last,
        stated_cost_usd=None if ending.stated is None else ending.stated.cost_usd,
        calls_cost_usd=total.cost_usd,
    )


def _failure(trail: Trail, item: Item | None, messages: Mapping[int, Event]) -> Failure | None:
    word = None if item is None else word_of(item)
    if item is None or word is None:
        return None
    event = messages.get(shown_at(item))
    text = None if event is None else _failure_text(event, item)
    return Failure(
        version=shown_at(item),
        word=word,
        kind=str(item["kind"]),
        name=text_at(item, "name"),
        text=None if text is None else beginning(text, LONGEST_TEXT),
        rules=tuple(texts_of(item.get("suspected"))),
        call=call_of(trail, item, messages),
    )


def _failure_text(event: Event, item: Item) -> str | None:
    """Return what an event says of a failure, None where it is the call that has no answer."""
    match event.message:
        case ToolResultsMessage(results=results):
            call_id = text_at(item, "callId")
            of_call = [result for result in results if result.call_id == call_id]
            return _result_text((of_call or results)[0])
        case RuntimeErrorMessage(error=error):
            return error
        case WorkerResultMessage(error=error) if error is not None:
            return error.message
        case ExitMessage(message=text):
            return text
        case _:
            return None


def _result_text(result: ToolResult) -> str:
    if result.error is not None:
        return error_text(result.error)
    return result_of(result.output).text or value_text(result.output)
