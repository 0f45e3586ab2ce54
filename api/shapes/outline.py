"""Outlines as JSON."""

from dataclasses import asdict
from operator import attrgetter

from pydantic.alias_generators import to_camel
from typing_extensions import TypedDict

from agentlog.api.shapes.shape import Shape, shaped
from agentlog.domain.json.printed import PrintedArray
from agentlog.domain.json.text import print_to_keep
from agentlog.infrastructure.views import results
from agentlog.projections.outline import groups, step
from agentlog.projections.outline.step import Called
from agentlog.projections.prices import price_list


class Step(Shape):
    """A line of an outline: an input, a model response with its calls, or what is beside them.

    `step` is counted as by the view agent-state, `version` is where it begins. `afterMs` is from
    the first message of the thread. `threadId` is that of a worker. A line stands for `times` equal
    steps. `costUsd` is reported or computed: for `computedCalls` of its model calls; the cost of
    `unpricedCalls` is not known. `others` counts, by type, the messages up to the next line that
    have none.
    """

    step: int
    version: int
    end_version: int | None
    kind: str
    depth: int
    name: str | None
    thread_id: str | None
    started_at: str | None
    after_ms: int | None
    elapsed_ms: int | None
    calls: list[Called]
    replied: bool
    times: int
    open: bool
    input_tokens: int | None
    output_tokens: int | None
    cost_usd: float | None
    computed_calls: int
    unpriced_calls: int
    outcome: str | None
    suspected: tuple[str, ...]
    others: dict[str, int]


class Group(TypedDict):
    """Events that belong together: a span, turn, step or run as its producer recorded it.

    They are those from `version` to `endVersion`; `depth` counts the groups around it. It is `open`
    where its end is not on record. `failures`, `told` and `suspected` count what failed on record,
    what only its own words tell of, and what only a rule suspects. The cost of
    `computedCalls` of its model calls is computed.
    """

    name: str
    version: int
    endVersion: int
    depth: int
    open: bool
    events: int
    failures: int
    told: int
    suspected: int
    elapsedMs: int | None
    inputTokens: int | None
    outputTokens: int | None
    costUsd: float | None
    computedCalls: int


class Outline(TypedDict):
    """The steps of a thread, and the groups of its events: no two of them cross.

    `prices` names the list that costs were computed by.
    """

    threadId: str
    version: int
    position: int | None
    prices: str | None
    steps: list[Step]
    groups: list[Group]


def outline_json(result: results.Outline, *, steps: bool = True) -> dict[str, object]:
    """Return the outline of a thread, for printing; without `steps`, its groups."""
    is_priced = any(line.computed_calls for line in result.steps)
    return {
        "threadId": result.thread_id,
        "version": result.version,
        "position": result.position,
        "prices": price_list() if is_priced else None,
        "steps": PrintedArray.of([print_to_keep(_step(line)) for line in result.steps if steps]),
        "groups": [_group(group) for group in result.groups],
    }


def _group(group: groups.Group) -> Group:
    total = group.total
    return shaped(
        Group,
        group,
        **asdict(group.words),
        open=not group.is_closed,
        elapsedMs=total.elapsed_ms,
        inputTokens=total.input_tokens,
        outputTokens=total.output_tokens,
        costUsd=total.cost_usd,
        computedCalls=total.computed_calls,
    )


_NAMES = [to_camel(name) for name in Step.model_fields]
_values_of = attrgetter(*Step.model_fields)


def _step(line: step.Step) -> dict[str, object]:
    # without a model in between: `Step.of` takes four times as long, and a line is one of thousands
    return dict(zip(_NAMES, _values_of(line), strict=True))
