"""What stands where a run's trail leads: texts of few messages, and how the run ended."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from agentlog.domain.events import Event
from agentlog.domain.json.answers import answer
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
from agentlog.projections.outcomes.outcome import Basis, Verdict
from agentlog.projections.outcomes.suspicion import result_of
from agentlog.projections.outcomes.words import Word, word_of
from agentlog.projections.outline.step import shown_at
from agentlog.projections.prices import price_list
from agentlog.projections.readmodels.thread_sums import settled, sums_of
from agentlog.projections.view import Item
from agentlog.projections.why.calls import RunCall, beginning, call_of
from agentlog.projections.why.ending import LONGEST_TEXT, Ending, LastText
from agentlog.projections.why.trail import RunLoop, Trail


@answer
@dataclass(frozen=True, slots=True)
class RunFailure:
    """What failed, is told or suspected: `version` is that of the result or error.

    `word` says which: `failed` (on record), `told` (its own words or fields say so) or `suspected`
    (by `rules`). `text` is its beginning, `kind` that of its item in view `timeline`. `call` is the
    call, where it is one.
    """

    version: int
    word: Word
    kind: str
    name: str | None
    text: str | None
    rules: tuple[str, ...]
    call: RunCall | None


@answer
@dataclass(frozen=True, slots=True)
class RunOutcome:
    """What a run came to.

    `basis` is what decides: a judgement of the run as a whole, the tenant's rule, the scores, or
    the exit. `judgedBy` is who judged it, where they named themselves. `scores` are those in its
    metadata. `end` is the reason of its exit, `closed` where it was closed without one, null while
    it is open. `version` says it.
    """

    verdict: Verdict
    basis: Basis
    judged_by: str | None
    scores: Mapping[str, Any]
    end: str | None
    version: int | None


@answer
@dataclass(frozen=True, slots=True)
class RunTotal:
    """What a run took, as lists have it; null where nothing was measured or reported.

    `calls` are those that it asked for, `elapsedMs` is from its first message to its last, by the
    producer's clock.
    `costUsd` is reported or computed: for `computedCalls` of its model calls, by the list `prices`;
    the cost of `unpricedCalls` is not known. `statedCostUsd` is what the run itself states,
    `callsCostUsd` what its model calls cost together: `costUsd` is one of these.
    """

    calls: int
    elapsed_ms: int | None
    input_tokens: int | None
    output_tokens: int | None
    total_tokens: int | None
    cost_usd: float | None
    stated_cost_usd: float | None
    calls_cost_usd: float | None
    computed_calls: int
    unpriced_calls: int
    prices: str | None


@answer
@dataclass(frozen=True, slots=True)
class Why:
    """Why a run went as it went.

    `failure` is the first on record, `doubt` the first that is told or suspected; `failures`,
    `told` and `suspected` count all, each by one word. `before` is the call before the failure,
    else before the doubt, or the last call where there is neither. `loops` are the longest of
    `loopCount`.
    """

    thread_id: str
    version: int
    position: int | None
    outcome: RunOutcome
    failure: RunFailure | None
    doubt: RunFailure | None
    failures: int
    told: int
    suspected: int
    before: RunCall | None
    loops: tuple[RunLoop, ...]
    loop_count: int
    total: RunTotal
    last: LastText | None


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


def why_of(
    place: tuple[str, int, int | None], trail: Trail, messages: Mapping[int, Event], ending: Ending
) -> Why:
    """Return the answers; `place` is the thread, version and position, `messages` by version."""
    outcome, stated, last = ending.outcome, ending.stated, ending.last
    is_scored = outcome.basis == "scores" and trail.score is not None
    reply = None if trail.reply is None else messages[trail.reply].message
    if isinstance(reply, ReplyMessage) and trail.reply is not None:
        last = LastText(trail.reply, beginning(reply.text, LONGEST_TEXT))
    total = replace(trail.total, **settled(sums_of(trail.total), stated)._asdict())
    return Why(
        *place,
        outcome=RunOutcome(
            verdict=outcome.verdict,
            basis=outcome.basis,
            judged_by=outcome.judged_by,
            scores=outcome.scores,
            end=outcome.end,
            version=trail.score if is_scored else ending.version,
        ),
        failure=_failure(trail, trail.failure, messages),
        doubt=_failure(trail, trail.doubt, messages),
        **asdict(trail.words),
        before=None if trail.before is None else call_of(trail, trail.before, messages),
        loops=tuple(trail.loops),
        loop_count=trail.loop_count,
        total=RunTotal(
            calls=len(trail.calls),
            elapsed_ms=total.elapsed_ms,
            input_tokens=total.input_tokens,
            output_tokens=total.output_tokens,
            total_tokens=total.total_tokens,
            cost_usd=total.cost_usd,
            stated_cost_usd=None if stated is None else stated.cost_usd,
            calls_cost_usd=trail.total.cost_usd,
            computed_calls=total.computed_calls,
            unpriced_calls=total.unpriced_calls,
            prices=price_list() if total.computed_calls else None,
        ),
        last=last,
    )


def _failure(trail: Trail, item: Item | None, messages: Mapping[int, Event]) -> RunFailure | None:
    word = None if item is None else word_of(item)
    if item is None or word is None:
        return None
    event = messages.get(shown_at(item))
    text = None if event is None else _failure_text(event, item)
    return RunFailure(
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
