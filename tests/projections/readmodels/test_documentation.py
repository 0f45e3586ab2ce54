"""The document of the tables says what their definitions say; AGENTLOG_WRITE_DOCS=1 writes it."""

import os
import textwrap
from pathlib import Path

from agentlog.projections.readmodels.registry import PUBLIC_READ_MODELS
from agentlog.projections.readmodels.table import Table

DOCUMENT = Path(__file__).parents[3] / "docs" / "reference" / "tables.md"
BEGIN = "<!-- tables: written from their definitions -->\n"
END = "<!-- end of tables -->\n"
WRITE = os.environ.get("AGENTLOG_WRITE_DOCS") == "1"


def described(table: Table) -> str:
    """Return a table as a section of a Markdown document."""
    lines = [
        f"### {table.name}",
        "",
        table.comment,
        "",
        f"Key: {', '.join(f'`{column}`' for column in table.key)}.",
        "",
        *(
            textwrap.fill(
                f"- `{column.name}` ({column.type}{'' if column.nullable else ', not null'}): "
                f"{column.comment}",
                width=99,
                subsequent_indent="  ",
            )
            for column in table.columns
        ),
    ]
    return "\n".join(lines) + "\n"


def test_the_document_of_the_tables_is_what_their_definitions_say() -> None:
    tables = "\n".join(described(model.table) for model in PUBLIC_READ_MODELS.values())
    before, begin, rest = DOCUMENT.read_text().partition(BEGIN)
    said, end, after = rest.partition(END)
    assert begin
    assert end
    if WRITE:
        DOCUMENT.write_text(f"{before}{BEGIN}\n{tables}\n{END}{after}")
    else:
        assert said == f"\n{tables}\n", "run this test with AGENTLOG_WRITE_DOCS=1"
