"""What routes read of a thread: its items, its turns; and what no thread has."""

from collections.abc import Callable, Iterator, Sequence

from agentlog.domain.errors import InvalidInput, NotThere
from agentlog.domain.events import Event
from agentlog.domain.points_in_time import AtVersion, Moment
from agentlog.extensions.facades.letta.paging import Order
from agentlog.extensions.facades.letta.turns import Turn, turns_of
from agentlog.infrastructure.eventlog.thread_heads import Head, ThreadFilter
from agentlog.infrastructure.tenants import Tenant
from agentlog.infrastructure.threads import Threads
from agentlog.projections.registry import choose_view
from agentlog.projections.view import Item

_CHUNK = 1000


class UnknownRun(NotThere):
    """No thread has such a run."""

    def __init__(self, run_id: str) -> None:
        super().__init__(f"there is no run {run_id[:160]!r}: GET /v1/runs/?agent_id= lists them")


class ListedForwards(InvalidInput):
    """Agents and conversations are listed by activity, newest first, by `after` alone."""

    def __init__(self) -> None:
        super().__init__("list newest first, page by `after`: `before` and order=asc are not there")


def items_of(
    tenant: Tenant, agent_id: str, *, at: Moment | None, types: Sequence[str] | None = None
) -> Callable[[], Iterator[Item]]:
    """Return what yields the messages of an agent, of these types alone if they are given.

    Each time the same: a message that comes meanwhile is none of them.
    """
    version = AtVersion(tenant.threads.version_at(agent_id, at))

    def read() -> Iterator[Item]:
        for printed in tenant.views.items(agent_id, choose_view("letta"), at=version):
            item = printed.item
            if types is None or item["message_type"] in types:
                yield item

    return read


def turns_in(tenant: Tenant, agent_id: str, *, at: Moment | None) -> list[Turn]:
    """Return the turns of a thread."""
    version = tenant.threads.version_at(agent_id, at)
    return turns_of(_events(tenant.threads, agent_id, version))


def run_at(tenant: Tenant, run_id: str, *, at: Moment | None) -> tuple[str, Turn]:
    """Return the agent of a run, and the turn; raises `UnknownRun`."""
    kind, _, named = run_id.partition("-")
    begin, _, agent_id = named.partition("-")
    if kind == "run" and begin.isdecimal() and agent_id:
        for turn in turns_in(tenant, agent_id, at=at):
            if str(turn.begin) == begin:
                return agent_id, turn
    raise UnknownRun(run_id)


def _events(threads: Threads, agent_id: str, version: int) -> Iterator[Event]:
    after = 0
    while events := threads.messages(agent_id, after=after, at=AtVersion(version), limit=_CHUNK):
        yield from events
        after = events[-1].version


def recent_heads(  # noqa: PLR0913 - one parameter a choice
    tenant: Tenant,
    which: ThreadFilter,
    *,
    after: str | None,
    before: str | None,
    order: Order,
    limit: int,
) -> list[Head]:
    """Return threads by activity, those after the thread `after`."""
    if before is not None or order == "asc":
        raise ListedForwards
    begin = None if after is None else tenant.threads.head(after).position
    return tenant.threads.heads(which, before=begin, limit=limit)
