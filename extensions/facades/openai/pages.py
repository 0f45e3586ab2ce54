"""What routes share: pages of lists, and metadata, as OpenAI's client reads them."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal

from fastapi import Query

from agentlog.domain.json.values import JsonValue
from agentlog.extensions.facades.errors import UnknownItem
from agentlog.projections.call_texts import value_text
from agentlog.projections.view import Item

PREFIX = "/openai/v1"

After = Annotated[str | None, Query()]
Limit = Annotated[int, Query(ge=1, le=100)]
Order = Literal["asc", "desc"]


def page_of(items: Sequence[Item], *, after: str | None, limit: int, order: Order) -> Item:
    """Return a page of items, which are in ascending order; raises `UnknownItem` for `after`."""
    ordered = items if order == "asc" else items[::-1]
    begin = 0
    if after is not None:
        begin = 1 + next((n for n, item in enumerate(ordered) if item["id"] == after), -1)
        if begin == 0:
            raise UnknownItem(after)
    page = list(ordered[begin : begin + limit])
    return listed(page, has_more=begin + limit < len(ordered))


def listed(page: Sequence[Item], *, has_more: bool) -> Item:
    """Return a list; the ids of its first and last item are empty where there is none."""
    ids = [item["id"] for item in page] or [""]
    data: list[JsonValue] = [*page]
    ends: Item = {"first_id": ids[0], "last_id": ids[-1]}
    return {"object": "list", "data": data, **ends, "has_more": has_more}


def texts_of(metadata: Mapping[str, JsonValue]) -> Item:
    """Return metadata as strings, which it is there; other values as their JSON."""
    return {key: value_text(value) for key, value in metadata.items()}
