"""Lists as Letta's client pages them, in either direction, by the ids of items.

One message may give several items of the same id: a page never ends among them. So its limit
counts ids, as Letta's own server counts messages.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from fastapi import Depends, Query

from agentlog.domain.errors import InvalidCursor
from agentlog.projections.view import Item

Order = Literal["asc", "desc"]


@dataclass(frozen=True, slots=True)
class Paging:
    """A page of a list: `after` or `before` an id in the list's order.

    A client that pages by `before` gets the last items before it; each page is in the order.
    """

    after: str | None = None
    before: str | None = None
    limit: int = 100
    order: Order = "desc"

    def page(self, items: Sequence[Item]) -> list[Item]:
        """Return the page of items that stand in the order of time.

        Raises:
            InvalidCursor: no item has the id of `after` or `before`.
        """
        groups = _groups(items if self.order == "asc" else items[::-1])
        begin, end = 0, len(groups)
        if self.after is not None:
            begin = _place(groups, self.after) + 1
        if self.before is not None:
            end = _place(groups, self.before)
        if self.before is None:
            end = min(end, begin + self.limit)
        else:
            begin = max(begin, end - self.limit)
        return [item for group in groups[begin:end] for item in group]


def _groups(items: Sequence[Item]) -> list[list[Item]]:
    """Return items in groups, none of which has an id of another."""
    last = {item.get("id"): n for n, item in enumerate(items)}
    groups: list[list[Item]] = []
    upto = -1
    for n, item in enumerate(items):
        if n > upto:
            groups.append([])
        groups[-1].append(item)
        upto = max(upto, last[item.get("id")])
    return groups


def _place(groups: Sequence[Sequence[Item]], item_id: str) -> int:
    for n, group in enumerate(groups):
        if any(item.get("id") == item_id for item in group):
            return n
    raise InvalidCursor(item_id)


async def newest_first(
    after: str | None = None,
    before: str | None = None,
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
    order: Order = "desc",
) -> Paging:
    """Return the paging of most lists."""
    return Paging(after, before, limit, order)


async def oldest_first(
    after: str | None = None,
    before: str | None = None,
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
    order: Order = "asc",
) -> Paging:
    """Return the paging of what is within a run or step."""
    return Paging(after, before, limit, order)


Newest = Annotated[Paging, Depends(newest_first)]
Oldest = Annotated[Paging, Depends(oldest_first)]
