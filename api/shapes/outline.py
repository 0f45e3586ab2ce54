"""Outlines as JSON."""

from typing import Annotated

from pydantic import Field
from typing_extensions import TypedDict

from api.shapes.shape import Shape
from domain.json.printed import PrintedArray
from domain.json.text import JsonValue
from infrastructure.views import results
from projections.prices import price_list


class Called(Shape):
    """Calls of one tool with the same arguments; `failed` and `open` count those of them."""

    name: str
    digest: str | None
    times: int
    failed: int
    open: int


class Step(Shape):
    """A line of an outline: an input, a model response with its calls, or what is beside them.

    `step` is counted as by the view agent-state, `version` is where it begins. `afterMs` is from
    the first message of the thread. A line stands for `times` equal steps. `others` counts, by
    type, the messages up to the next line that have none.
    """

    step: int
    version: int
    end_version: int | None
    kind: str
    depth: int
    name: str | None
    thread_id: Annotated[str | None, Field(description="A worker's own thread.")]
    started_at: str | None
    after_ms: float | None
    elapsed_ms: float | None
    calls: list[Called]
    replied: bool
    times: int
    open: bool
    input_tokens: int | None
    output_tokens: int | None
    cost_usd: Annotated[float | None, Field(description="As reported.")]
    computed_cost_usd: Annotated[float | None, Field(description="Where none was reported.")]
    outcome: str | None
    suspected: list[str]
    others: dict[str, int]


class Outline(TypedDict):
    """The steps of a thread; `prices` names the list that costs were computed by."""

    threadId: str
    version: int
    position: int | None
    prices: str | None
    steps: list[Step]


def outline_json(found: results.Outline) -> JsonValue:
    """Return the outline of a thread, for printing."""
    steps = [Step.model_validate(each) for each in found.steps]
    is_priced = any(step.computed_cost_usd is not None for step in steps)
    return {
        "threadId": found.thread_id,
        "version": found.version,
        "position": found.position,
        "prices": price_list() if is_priced else None,
        "steps": PrintedArray.of([each.model_dump_json(by_alias=True).encode() for each in steps]),
    }
