"""Definitions of a tenant, each change kept."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from psycopg.errors import UniqueViolation
from psycopg.rows import class_row

from agentlog.domain.errors import InvalidInput, NotThere
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.postgres.queries import fetch, run
from agentlog.infrastructure.postgres.statements import statement

Kind = Literal["rule", "filter"]

MOST_FILTERS = 200
"""Most saved filters of a tenant."""

_NAME = re.compile(r"\S(?:.{0,62}\S)?")
_MOST_CHANGES = 1000
_TRIES = 3


class InvalidDefinition(InvalidInput):
    """A rule or filter cannot be defined like that."""


class UnknownDefinition(NotThere):
    """No rule or filter of that name is defined."""

    def __init__(self, kind: Kind, name: str) -> None:
        super().__init__(f"no {kind} {name[:64]!r} is defined")


@dataclass(frozen=True, slots=True)
class Definition:
    """A definition as it was set: `number` counts the changes of its name. None: taken away."""

    name: str
    number: int
    value: str | None
    set_at: datetime
    set_by: str | None


def tenants_defining(database: Database, kind: Kind, name: str) -> Sequence[str]:
    """Return the tenants here that have set a rule or filter of that name; for the service."""
    return [
        tenant for (tenant,) in fetch(database, "select_defining_tenants", kind=kind, name=name)
    ]


class Definitions:
    """The definitions of one tenant, in the service's role; `changed` is told the tenant."""

    def __init__(
        self, database: Database, *, tenant: str, changed: Callable[[str], None] = lambda _: None
    ) -> None:
        self._database = database
        self._tenant = tenant
        self._changed = changed

    def all(self, kind: Kind) -> Sequence[Definition]:
        """Return the definitions of a kind that hold, by name."""
        return self._select("select_definitions", kind=kind, name=None)

    def get(self, kind: Kind, name: str) -> Definition:
        """Return a definition that holds; raises `UnknownDefinition`."""
        rows = self._select("select_definitions", kind=kind, name=name)
        if not rows:
            raise UnknownDefinition(kind, name)
        return rows[0]

    def changes(self, kind: Kind, name: str) -> Sequence[Definition]:
        """Return the changes of a name, the latest first; none of a name never defined."""
        return self._select("select_changes", kind=kind, name=name, limit=_MOST_CHANGES)

    def set(self, kind: Kind, name: str, value: str, *, set_by: str | None = None) -> Definition:
        """Define, or define anew.

        Raises:
            InvalidDefinition: the name cannot be one, or there are too many.
        """
        if _NAME.fullmatch(name) is None or not name.isprintable():
            raise InvalidDefinition("name: use 1 to 64 characters, without spaces at its ends")
        known = {definition.name for definition in self.all(kind)}
        if name not in known and len(known) >= MOST_FILTERS:
            raise InvalidDefinition(f"there are {MOST_FILTERS} already: take one away first")
        self._insert(kind, name, value, set_by)
        return self.get(kind, name)

    def remove(self, kind: Kind, name: str, *, set_by: str | None = None) -> Definition:
        """Take a definition away; return it as it was. Raises `UnknownDefinition`."""
        definition = self.get(kind, name)
        self._insert(kind, name, None, set_by)
        return definition

    def _insert(self, kind: Kind, name: str, value: str | None, set_by: str | None) -> None:
        parameters = {"kind": kind, "name": name, "value": value, "set_by": set_by}
        for last in range(_TRIES - 1, -1, -1):
            try:
                run(self._database, "insert_definition", tenant=self._tenant, **parameters)
            except UniqueViolation:  # another process changed it at the same time
                if not last:
                    raise
            else:
                self._changed(self._tenant)
                return

    def _select(self, name_of_statement: str, **parameters: object) -> Sequence[Definition]:
        with (
            self._database.connection() as connection,
            connection.cursor(row_factory=class_row(Definition)) as cursor,
        ):
            return cursor.execute(
                statement(name_of_statement), {"tenant": self._tenant, **parameters}
            ).fetchall()
