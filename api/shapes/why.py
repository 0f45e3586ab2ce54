"""Answers to why a run went as it went, as JSON."""

from dataclasses import asdict
from typing import Any

from agentlog.api.shapes.shape import Shape
from agentlog.infrastructure.views import results
from agentlog.projections.outcomes.outcome import Basis, Verdict
from agentlog.projections.outcomes.words import Word
from agentlog.projections.prices import price_list


class RunOutcome(Shape):
    """What a run came to.

    `basis` is what decides: a judgement of the run as a whole, the tenant's rule, the scores, or
    the exit. `judgedBy` is who judged it, where they named themselves. `scores` are those in its
    metadata. `end` is the reason of its exit, `closed` where it was closed without one, null while
    it is open. `version` says it.
    """

    verdict: Verdict
    basis: Basis
    judged_by: str | None
    scores: dict[str, Any]
    end: str | None
    version: int | None


class RunCall(Shape):
    """A call: `arguments` as a text, those that differ from the attempt beside it where one is.

    It is number `attempt` of `attempts`; both are null where nothing was tried again.
    """

    version: int
    end_version: int | None
    name: str
    arguments: str | None
    outcome: str | None
    attempt: int | None
    attempts: int | None


class RunFailure(Shape):
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


class RunLoop(Shape):
    """Three attempts or more at the same, from one version to another.

    `equal`: all had the same arguments. `hint` is the beginning of a plain one of the first.
    """

    name: str
    hint: str | None
    times: int
    version: int
    last_version: int
    equal: bool


class LastText(Shape):
    """What was said last: a reply, or where there is none what the run ended with."""

    version: int
    text: str


class RunTotal(Shape):
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


class Why(Shape):
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


def why_json(result: results.Why) -> dict[str, object]:
    """Return why a run went as it went, for printing."""
    why = result.why
    prices = price_list() if why.total.computed_calls else None
    why_shape: dict[str, object] = Why.of(
        why,
        thread_id=result.thread_id,
        version=result.version,
        position=result.position,
        **asdict(why.words),
        outcome=RunOutcome.of(why.outcome, version=why.outcome_version),
        total=RunTotal.of(
            why.total,
            calls=why.calls,
            prices=prices,
            stated_cost_usd=why.stated_cost_usd,
            calls_cost_usd=why.calls_cost_usd,
        ),
    )
    return why_shape
