"""Rows of read models as lists, reports and analysts see them.

They are those of its table, but for threads: their sums are as they count in the tenant.
"""

from collections.abc import Iterable, Mapping

from psycopg.sql import SQL, Composable, Identifier

from agentlog.infrastructure.postgres.statements import statement
from agentlog.projections.readmodels.registry import READ_MODELS

_COUNTED = frozenset(
    "model_calls input_tokens output_tokens total_tokens cost_usd computed_calls "
    "unpriced_calls".split()
)
BESIDE: Mapping[str, str] = {"threads": "model_calls"}
"""Read models whose rows need those of another one."""


def with_beside(names: Iterable[str]) -> list[str]:
    """Return some read models, and those whose rows theirs need."""
    known = [*names]
    return [*dict.fromkeys((*known, *(BESIDE[name] for name in known if name in BESIDE)))]


def counted_rows(name: str, tables: Mapping[str, Composable]) -> Composable:
    """Return the rows of a read model of `tables`; where what it needs is not there, its table."""
    if name not in BESIDE or BESIDE[name] not in tables:
        return tables[name]
    columns = SQL(", ").join(
        Identifier("counted" if column.name in _COUNTED else "thread", column.name)
        for column in READ_MODELS[name].table.columns
    )
    rows = SQL(statement("select_counted_threads")).format(columns=columns, **tables)
    return SQL("({})").format(rows)
