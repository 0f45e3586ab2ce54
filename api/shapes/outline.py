"""Outlines as JSON."""

from typing_extensions import TypedDict

from agentlog.domain.json.printed import PrintedArray
from agentlog.domain.json.text import print_to_keep
from agentlog.infrastructure.views import results
from agentlog.projections import outline
from agentlog.projections.prices import price_list


class Step(TypedDict):
    """A line of an outline: an input, a model response with its calls, or what is beside them.

    `step` is counted as by the view agent-state, `version` is where it begins. `afterMs` is from
    the first message of the thread. `threadId` is that of a worker. A line stands for `times` equal
    steps. `costUsd` is reported or computed: for `computedCalls` of its model calls; the cost of
    `unpricedCalls` is not known. `others` counts, by type, the messages up to the next line that
    have none.
    """

    step: int
    version: int
    endVersion: int | None
    kind: str
    depth: int
    name: str | None
    threadId: str | None
    startedAt: str | None
    afterMs: int | None
    elapsedMs: int | None
    calls: list[outline.Called]
    replied: bool
    times: int
    open: bool
    inputTokens: int | None
    outputTokens: int | None
    costUsd: float | None
    computedCalls: int
    unpricedCalls: int
    outcome: str | None
    suspected: tuple[str, ...]
    others: dict[str, int]


class Outline(TypedDict):
    """The steps of a thread; `prices` names the list that costs were computed by."""

    threadId: str
    version: int
    position: int | None
    prices: str | None
    steps: list[Step]


def outline_json(result: results.Outline) -> dict[str, object]:
    """Return the outline of a thread, for printing."""
    is_priced = any(step.computed_calls for step in result.steps)
    return {
        "threadId": result.thread_id,
        "version": result.version,
        "position": result.position,
        "prices": price_list() if is_priced else None,
        "steps": PrintedArray.of([print_to_keep(_step(step)) for step in result.steps]),
    }


def _step(step: outline.Step) -> Step:
    return {
        "step": step.step,
        "version": step.version,
        "endVersion": step.end_version,
        "kind": step.kind,
        "depth": step.depth,
        "name": step.name,
        "threadId": step.thread_id,
        "startedAt": step.started_at,
        "afterMs": step.after_ms,
        "elapsedMs": step.elapsed_ms,
        "calls": step.calls,
        "replied": step.replied,
        "times": step.times,
        "open": step.open,
        "inputTokens": step.input_tokens,
        "outputTokens": step.output_tokens,
        "costUsd": step.cost_usd,
        "computedCalls": step.computed_calls,
        "unpricedCalls": step.unpriced_calls,
        "outcome": step.outcome,
        "suspected": step.suspected,
        "others": step.others,
    }
