"""Lists as Letta's client pages them, in either direction, by the ids of items.

One message may give several items of the same id: a page never ends among them. So its limit
counts ids, as Letta's own server counts messages.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Annotated, Literal

from fastapi import Depends, Query

from agentlog.domain.errors import InvalidCursor
from agentlog.domain.json.values import JsonValue
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
        """Return the page of items that stand in the order of time, as `read` does."""
        return self.read(lambda: items)

    def read(self, read: Callable[[], Iterable[Item]]) -> list[Item]:
        """Return the page of items that `read` yields in the order of time, each time the same.

        They are read for their ids, then for the page: a long list is never in memory.

        Raises:
            InvalidCursor: no item has the id of `after` or `before`.
        """
        ids = [item.get("id") for item in read()]
        if self.order == "desc":
            ids.reverse()
        groups = _groups(ids)
        begin, end = 0, len(groups)
        if self.after is not None:
            begin = _place(ids, groups, self.after) + 1
        if self.before is not None:
            end = _place(ids, groups, self.before)
        if self.before is None:
            end = min(end, begin + self.limit)
        else:
            begin = max(begin, end - self.limit)
        first, beyond = ((*groups, len(ids))[n] for n in (begin, max(begin, end)))
        if self.order == "asc":
            return list(islice(read(), first, beyond))
        return list(islice(read(), len(ids) - beyond, len(ids) - first))[::-1]


def _groups(ids: Sequence[JsonValue]) -> list[int]:
    """Return where groups of items begin, none of which has an id of another."""
    last = {item_id: n for n, item_id in enumerate(ids)}
    groups: list[int] = []
    upto = -1
    for n, item_id in enumerate(ids):
        if n > upto:
            groups.append(n)
        upto = max(upto, last[item_id])
    return groups


def _place(ids: Sequence[JsonValue], groups: Sequence[int], item_id: str) -> int:
    if item_id not in ids:
        raise InvalidCursor(item_id)
    return bisect_right(groups, ids.index(item_id)) - 1


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
