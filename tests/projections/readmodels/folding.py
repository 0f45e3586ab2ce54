"""Folding events into rows as the framework does: batch by batch, open rows kept in a table."""

import itertools
from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from agentlog.domain.events import Event
from agentlog.projections.readmodels.model import ReadModel, RowT, ThreadRows

TENANT = "tests"


def rows_of(
    model: ReadModel[RowT], events: Sequence[Event], cuts: Sequence[int] = ()
) -> list[RowT]:
    """Return the rows of one thread, by their keys; a batch ends before each index in `cuts`."""
    table: dict[tuple[Any, ...], RowT] = {}
    thread_id = events[0].thread_id if events else ""
    bounds = [0, *sorted(cuts), len(events)]
    for begin, end in itertools.pairwise(bounds):
        batch = [event for event in events[begin:end] if _concerns(model.types, event)]
        recalled = any(_concerns(model.recalls, event) for event in batch)
        open_rows = [_kept(table[key]) for key in sorted(table) if table[key].is_open and recalled]
        rows: ThreadRows[RowT] = ThreadRows(
            TENANT, thread_id, open_rows, _known(model, table, batch, open_rows)
        )
        for event in batch:
            model.fold(event, rows)
        model.finish(rows)
        for row in rows.added:
            assert _key(model, row) not in table
        for row in [*rows.changed.values(), *rows.added]:
            table[_key(model, row)] = _kept(row)
    return [table[key] for key in sorted(table)]


def _known(
    model: ReadModel[RowT],
    table: dict[tuple[Any, ...], RowT],
    batch: Sequence[Event],
    open_rows: Sequence[RowT],
) -> dict[str, list[RowT]]:
    """Return the rows that share an identity with a batch, as the framework looks them up."""
    read = {_key(model, row): row for row in open_rows}
    identities = {identity for event in batch if (identity := model.identity_of(event))}
    column = str(model.table.identity)
    return {
        identity: [
            read.get(key) or _kept(row)
            for key, row in sorted(table.items())
            if getattr(row, column) == identity
        ]
        for identity in identities
    }


def _concerns(types: frozenset[str] | None, event: Event) -> bool:
    return types is None or event.type in types


def _key(model: ReadModel[RowT], row: RowT) -> tuple[Any, ...]:
    return tuple(getattr(row, column) for column in model.table.key)


def _kept(row: RowT) -> RowT:
    """Return a row as its table gives it back."""
    return type(row)(*(_held(getattr(row, field.name)) for field in fields(row)))


def _held(value: Any) -> Any:
    match value:
        case str():
            return value.replace("\x00", "\ufffd")
        case bool():
            return value
        case int() if not -(2**63) <= value < 2**63:
            return None
        case _:
            return value
