"""Principals: the tenant and the scopes of a caller."""

from dataclasses import dataclass
from typing import Literal

from agentlog.domain.errors import AgentlogError

Scope = Literal["read", "append", "redact", "admin", "metrics"]
"""What a key allows; none includes another, but `admin` includes `metrics`.

read: threads, views, the log, reports. append: messages, facts of threads, files, saved filters.
redact: erase contents. admin: keys, checkpoints, projections, rules. metrics: figures of the whole
service.
"""

SCOPES: tuple[Scope, ...] = ("read", "append", "redact", "admin", "metrics")


@dataclass(frozen=True, slots=True)
class Principal:
    """A caller; `key_id` is None where no key was required.

    `user` is a person's name, where a trusted proxy gave one.
    """

    tenant: str
    scopes: frozenset[Scope]
    key_id: str | None = None
    user: str | None = None

    @property
    def author(self) -> str | None:
        """Who is on record for what the principal does: the user, else the id of the key."""
        return self.key_id if self.user is None else self.user

    def may(self, scope: Scope) -> bool:
        """Return whether the principal has the scope."""
        return scope in self.scopes or (scope == "metrics" and "admin" in self.scopes)


class NotAuthenticated(AgentlogError, kind="unauthenticated"):
    """A valid key is missing."""

    def __init__(self) -> None:
        super().__init__(
            "send a valid key, as `Authorization: Bearer KEY`: `agentlog keys create` makes one"
        )


class NotAllowed(AgentlogError, kind="forbidden"):
    """The key is valid, and not for this."""

    def __init__(self, scope: Scope) -> None:
        super().__init__(
            f"this takes a key of the scope {scope!r}, which yours has not: use another, "
            f"or have one made by `agentlog keys create --scope {scope}`"
        )
        self.scope = scope
