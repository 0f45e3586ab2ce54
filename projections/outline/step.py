"""A line of an outline, with its times and figures."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeVar

from agentlog.domain.catalogue import FACT_TYPES
from agentlog.domain.json.values import integer_at, number_at, text_at, texts_of
from agentlog.projections.call_texts import iso_time
from agentlog.projections.outcomes.words import worse
from agentlog.projections.view import Item

TIMELESS = {*FACT_TYPES, "gap"}
"""Kinds of items whose times are no producer's, or lie before what they stand in."""

NumberT = TypeVar("NumberT", int, float)


@dataclass(slots=True)
class Called:
    """Calls of one tool with the same arguments; `failed`, `told` and `open` count those of them.

    `hint` is the beginning of the first plain argument, where the items have one. The first of
    them is number `attempt` of `attempts` at the same; both are null where nothing was tried again.
    """

    name: str
    digest: str | None
    hint: str | None = None
    times: int = 1
    failed: int = 0
    told: int = 0
    open: int = 0
    attempt: int | None = None
    attempts: int | None = None


@dataclass(slots=True)
class Step:
    """A line of an outline.

    `kind` is input, model (what came out of a model response), result (of no call), approval,
    worker, gap, or the type of a message that ends something. `step` is counted as by the view
    agent-state, `version` is where it begins. `after_ms` is from the thread's first message; None
    where all steps have one time.
    Approvals and workers have `depth` 1; `thread_id` is a worker's own thread. A line stands for
    `times` equal steps. `cost_usd` is reported or computed: for `computed_calls` of its model
    calls; the cost of `unpriced_calls` is not known. `others` counts, by type, the messages up to
    the next line that have none.
    """

    step: int
    version: int
    kind: str
    depth: int = 0
    name: str | None = None
    thread_id: str | None = None
    begun: int | None = None
    ended: int | None = None
    after_ms: int | None = None
    calls: list[Called] = field(default_factory=list)
    replied: bool = False
    times: int = 1
    end_version: int | None = None
    open: bool = False
    input_tokens: int | None = None
    output_tokens: int | None = None
    total_tokens: int | None = None
    cost_usd: float | None = None
    computed_calls: int = 0
    unpriced_calls: int = 0
    outcome: str | None = None
    suspected: tuple[str, ...] = ()
    others: dict[str, int] = field(default_factory=dict)

    @property
    def started_at(self) -> str | None:
        """When it began, by the producer's clock."""
        return None if self.begun is None else iso_time(self.begun)

    @property
    def elapsed_ms(self) -> int | None:
        """Milliseconds from its first message to its last."""
        if self.begun is None or self.ended is None or self.ended <= self.begun:
            return None
        return self.ended - self.begun


def line_of(item: Item, kind: str, *, depth: int = 0) -> Step:
    """Return a line of an item alone."""
    version, end_version = integer_at(item, "version"), integer_at(item, "endVersion")
    begun, ended = _time(text_at(item, "startedAt")), _time(text_at(item, "endedAt"))
    if kind == "thread.closed":  # by the log's clock
        begun = ended = None
    return Step(
        step=integer_at(item, "step") or 0,
        version=integer_at(item, "version", "endVersion") or 0,
        kind=kind,
        depth=depth,
        name=text_at(item, "name"),
        thread_id=text_at(item, "threadId"),
        begun=ended if begun is None else begun,
        ended=begun if ended is None else ended,
        end_version=version if end_version is None else end_version,
        open=version is not None and "endVersion" in item and end_version is None,
        outcome=text_at(item, "outcome"),
        suspected=tuple(texts_of(item.get("suspected"))),
    )


def measured(item: Item) -> Step:
    """Return a step of an item alone, with its times and figures."""
    kind = str(item["kind"])
    step = line_of(item, kind)
    if kind not in {"model", "llm_response"}:
        return step
    step.input_tokens = integer_at(item, "inputTokens")
    step.output_tokens = integer_at(item, "outputTokens")
    total = integer_at(item, "totalTokens")
    step.total_tokens = _sum(step.input_tokens, step.output_tokens) if total is None else total
    step.cost_usd = number_at(item, "costUsd")
    step.computed_calls = int(item.get("prices") is not None)
    if "copyOf" in item:  # it counts in another thread
        pass
    elif kind == "model":
        step.unpriced_calls = int(item["outcome"] == "succeeded" and item["costUsd"] is None)
    else:  # figures told again, as far as they grew; with `prices` there was no cost before
        step.unpriced_calls = -int("prices" in item)
    return step


def grow(step: Step, item: Item) -> None:
    """Add what the figures of a model call grew by, when they were told again."""
    _add_figures(step, measured(item))


def add_to(step: Step, part: Step) -> None:
    """Count a part of a step in: its times, figures and marks."""
    step.begun = _least(step.begun, part.begun)
    step.ended = _most(step.ended, part.ended)
    step.end_version = max(step.end_version or 0, part.end_version or 0) or None
    step.open = step.open or part.open
    _add_figures(step, part)
    step.outcome = worse(step.outcome, part.outcome)
    if part.suspected:
        step.suspected = tuple(dict.fromkeys((*step.suspected, *part.suspected)))
    for kind, count in part.others.items():
        step.others[kind] = step.others.get(kind, 0) + count


def _add_figures(step: Step, part: Step) -> None:
    step.input_tokens = _sum(step.input_tokens, part.input_tokens)
    step.output_tokens = _sum(step.output_tokens, part.output_tokens)
    step.total_tokens = _sum(step.total_tokens, part.total_tokens)
    step.cost_usd = _sum(step.cost_usd, part.cost_usd)
    step.computed_calls += part.computed_calls
    step.unpriced_calls += part.unpriced_calls


def _time(text: str | None) -> int | None:
    return None if text is None else round(datetime.fromisoformat(text).timestamp() * 1000)


def _sum(total: NumberT | None, more: NumberT | None) -> NumberT | None:
    return more if total is None else total if more is None else total + more


def _least(one: int | None, other: int | None) -> int | None:
    return min((time for time in (one, other) if time is not None), default=None)


def _most(one: int | None, other: int | None) -> int | None:
    return max((time for time in (one, other) if time is not None), default=None)


def total_of(items: Iterable[Item]) -> Step:
    """Return one step with the figures of a run, and as its time that from first message to last.

    Messages are first and last by their places, not by their times.
    """
    total = Step(step=0, version=0, kind="total")
    times: dict[int, int] = {}
    for item in items:
        part = measured(item)
        if item["kind"] not in TIMELESS:
            for key, time in (("version", part.begun), ("endVersion", part.ended)):
                version = integer_at(item, key)
                if version is not None and time is not None:
                    times[version] = time
        add_to(total, part)
    total.begun, total.ended = (times[end(times)] if times else None for end in (min, max))
    return total


def shown_at(item: Item) -> int:
    """Return the version where an item ended, or where it began while it is open."""
    return integer_at(item, "endVersion", "version") or 0
