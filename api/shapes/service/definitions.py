"""Rules and saved filters as JSON."""

from typing import Annotated, Any, Literal

from pydantic import Field

from agentlog.api.shapes.shape import Shape
from agentlog.domain.json.answers import Time
from agentlog.domain.json.text import parse_stored, print_text
from agentlog.domain.json.values import object_of, text_at
from agentlog.infrastructure.definitions.definitions import Definition
from agentlog.projections.filters.grammar import parse_filter

FilterPlace = Literal["list", "thread"]


class Rule(Shape):
    """A rule as it was set; `number` counts its changes. `value` is null: as by default."""

    name: str
    value: str | None
    number: int
    set_at: Time
    set_by: Annotated[str | None, Field(description="A user, or the id of a key.")]


class SavedFilter(Shape):
    """A filter with a name; `place` is where it is asked."""

    name: str
    place: FilterPlace
    filter: str
    number: int
    set_at: Time
    set_by: Annotated[str | None, Field(description="A user, or the id of a key.")]


def checked_filter(place: FilterPlace, text: str) -> str:
    """Return what is kept of a saved filter; raises `InvalidFilterText` if it is none of there."""
    parse_filter(text, place)
    return print_text({"place": place, "filter": text})


def filter_json(definition: Definition) -> Any:  # noqa: ANN401 - as `Shape.of`
    """Return a saved filter."""
    kept = object_of(parse_stored((definition.value or "{}").encode()))
    return SavedFilter.of(definition, place=text_at(kept, "place"), filter=kept.get("filter"))
