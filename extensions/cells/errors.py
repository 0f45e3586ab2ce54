"""Errors of tenants that move.

MoveRefused
├── SameDatabase       both ends are one database
├── OtherSchema        the target's schema is not the source's
├── MoveUnderWay       another process moves this tenant
├── TenantThere        the target has rows of the tenant already
├── NothingToMove      the source has no such tenant
├── OtherMove          the tenant is on its way to another database, or there
├── KeyTaken           another key of the target has the id of one
├── OtherTenant        the target knows another tenant of that name
├── CopyDiffers        what arrived is not what was sent
├── NotLeft            a tenant that has not left cannot be dropped
└── NotArrived         nor one that the target does not have
"""

from agentlog.domain.errors import Refused


class MoveRefused(Refused):
    """A tenant cannot be moved, or dropped."""


class SameDatabase(MoveRefused):
    """Source and target are one database."""

    def __init__(self) -> None:
        super().__init__("--to names the database that the tenant is in: name another")


class OtherSchema(MoveRefused):
    """The two databases have other migrations."""

    def __init__(self) -> None:
        super().__init__(
            "the two databases have other migrations: run `agentlog migrate` of one version at both"
        )


class MoveUnderWay(MoveRefused):
    """Another process moves or drops this tenant."""

    def __init__(self, tenant: str) -> None:
        super().__init__(f"another process moves {tenant!r}: wait for it, or end it")
        self.tenant = tenant


class TenantThere(MoveRefused):
    """The target has rows of the tenant."""

    def __init__(self, tenant: str, table: str) -> None:
        super().__init__(
            f"the target has rows of {tenant!r} in agentlog.{table}: a tenant is in one database; "
            f"if it left that one before, run `agentlog tenant drop` there first"
        )
        self.tenant, self.table = tenant, table


class NothingToMove(MoveRefused):
    """The source has no events of the tenant."""

    def __init__(self, tenant: str) -> None:
        super().__init__(f"there are no events of {tenant!r} here: `agentlog verify` lists tenants")
        self.tenant = tenant


class OtherMove(MoveRefused):
    """The tenant is fenced for another target, or has left for it."""

    def __init__(self, tenant: str, *, step: str, other: str) -> None:
        what = "is on its way to" if step == "fenced" else "has left for"
        super().__init__(
            f"{tenant!r} {what} {other}: run the same move again to finish it"
            + (", or `agentlog tenant release` to give it up" if step == "fenced" else "")
        )
        self.tenant, self.step, self.other = tenant, step, other


class KeyTaken(MoveRefused):
    """Another key of the target has the id of one that would arrive."""

    def __init__(self, key_id: str) -> None:
        super().__init__(
            f"the target has another key of the id {key_id}: nothing was kept there; `agentlog "
            "tenant release` ends the move, and keys made by cells with names of their own "
            "(AGENTLOG_CELL) share no id"
        )
        self.key_id = key_id


class OtherTenant(MoveRefused):
    """A tenant of that name was at the target before, with another log, or has keys there."""

    def __init__(self, tenant: str) -> None:
        super().__init__(
            f"the target knows another tenant {tenant!r}, by the record of its moves or by keys of "
            "that name: nothing was moved; revoke those keys, or name another database"
        )
        self.tenant = tenant


class CopyDiffers(MoveRefused):
    """The rows that arrived are not those that were sent."""

    def __init__(self, tenant: str) -> None:
        super().__init__(
            f"what arrived of {tenant!r} has another tree than what was sent: nothing was kept at "
            "the target; `agentlog verify` says what is wrong here"
        )
        self.tenant = tenant


class NotArrived(MoveRefused):
    """The target does not have what left."""

    def __init__(self, tenant: str, other: str) -> None:
        super().__init__(
            f"{other} does not have the log with which {tenant!r} left: nothing is dropped; did "
            "that database go back to an older state?"
        )
        self.tenant, self.other = tenant, other


class NotLeft(MoveRefused):
    """The tenant is owned here, or on its way."""

    def __init__(self, tenant: str) -> None:
        super().__init__(
            f"{tenant!r} has not left this database: only what another database owns is dropped"
        )
        self.tenant = tenant
