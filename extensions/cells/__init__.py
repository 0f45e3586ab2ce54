"""Tenants that move from one database to another.

    errors         the errors, each with the way out
    steps          steps at the source, under the lock of the log
    copying        rows of a query to a table of another database
    tenant_copy    a tenant's rows of the log
    read_models    and those of read models
    mover          the move: fence, copy, switch; and the drop of what was left behind

Each database records the steps (see audit/moves.py). A tenant keeps its positions, which its links
and proofs cover. So the positions of a database are without gaps but for those that its record
explains: an arrival raised the counter beyond what it brought along, and a departure took positions
with it. What arrived is checked within its tenant.
"""

from agentlog.extension import Command, Extension

EXTENSION = Extension(
    "Tenants that move from one database to another, whole and provable.",
    commands={
        "tenant": Command(
            "agentlog.extensions.cells.commands:app",
            "Tenants: move one to another database, whole and provable.",
            "Tenants and keys",
            words=("move",),
        ),
    },
)
