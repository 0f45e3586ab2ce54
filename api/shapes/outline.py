"""Outlines as JSON."""

from datetime import UTC, datetime

from domain.json.printed import PrintedArray
from domain.json.text import JsonValue, print_to_keep
from infrastructure.views.results import Outline
from projections.outline import Step
from projections.prices import price_list


def outline_json(found: Outline) -> JsonValue:
    """Return the outline of a thread, for printing."""
    steps = found.steps
    is_priced = any(step.computed_cost_usd is not None for step in steps)
    return {
        "threadId": found.thread_id,
        "version": found.version,
        "position": found.position,
        "prices": price_list() if is_priced else None,
        "steps": PrintedArray.of([print_to_keep(_step_json(step)) for step in steps]),
    }


def _step_json(step: Step) -> JsonValue:
    return {
        "step": step.number,
        "version": step.version,
        "endVersion": step.end_version,
        "kind": step.kind,
        "depth": step.depth,
        "name": step.name,
        "threadId": step.thread_id,
        "startedAt": None if step.begun is None else _time_text(step.begun),
        "afterMs": step.after_ms,
        "elapsedMs": step.elapsed_ms,
        "calls": [
            {
                "name": called.name,
                "digest": called.digest,
                "times": called.times,
                "failed": called.failed,
                "open": called.open,
            }
            for called in step.calls
        ],
        "replied": step.replied,
        "times": step.times,
        "open": step.is_open,
        "inputTokens": step.input_tokens,
        "outputTokens": step.output_tokens,
        "costUsd": step.cost_usd,
        "computedCostUsd": step.computed_cost_usd,
        "outcome": step.outcome,
        "suspected": step.suspected,
        "others": step.others,
    }


def _time_text(ms: float) -> str:
    return datetime.fromtimestamp(ms / 1000, UTC).isoformat(timespec="milliseconds")[:-6] + "Z"
