"""The schema that is documented is the one that is written.

AGENTLOG_WRITE_DOCS=1 writes it into docs/parquet.md.
"""

import os
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from infrastructure.dataset.export import TABLES
from infrastructure.dataset.schema import EVENTS, schema_of
from infrastructure.views.store import Store
from projections.readmodels.registry import READ_MODELS
from tests.infrastructure.appends import STORY, TENANT
from tests.infrastructure.dataset.datasets import Exporter, duck

DOCUMENT = Path(__file__).parents[3] / "docs" / "parquet.md"
MARK = "test_schema.py -->\n"
TYPES = {
    "string": ("string", "VARCHAR"),
    "int64": ("int64", "BIGINT"),
    "double": ("double", "DOUBLE"),
    "timestamp[us, tz=UTC]": ("timestamp", "TIMESTAMP WITH TIME ZONE"),
    "bool": ("boolean", "BOOLEAN"),
    "binary": ("binary", "BLOB"),
}
"""Arrow's types as the document and DuckDB name them."""


def documented(name: str) -> str:
    """Return what the document has to say of a table."""
    about = "One row an event of any thread." if name == EVENTS else READ_MODELS[name].table.comment
    lines = [f"### {name}", "", about, "", "| column | type | |", "|---|---|---|"]
    for each in schema_of(name, tenant=TENANT):
        kind, _ = TYPES[str(each.type)]
        null = " or null" if each.nullable else ""
        comment = each.metadata[b"comment"].decode().replace("|", "/")
        lines.append(f"| `{each.name}` | {kind}{null} | {comment} |")
    return "\n".join(lines)


def test_the_document_has_the_schema_of_every_table() -> None:
    text = DOCUMENT.read_text()
    kept, mark, _ = text.partition(MARK)
    expected = kept + mark + "\n" + "\n\n".join(map(documented, TABLES)) + "\n"
    if os.environ.get("AGENTLOG_WRITE_DOCS") == "1":
        DOCUMENT.write_text(expected)
    assert text == expected, "AGENTLOG_WRITE_DOCS=1 writes the schema as it is now"


def test_files_have_the_schema_that_is_documented(store: Store, exporter: Exporter) -> None:
    store.append("t", STORY)
    exporter()
    read = set()
    for path in exporter.manifest.files():
        name = path.split("/")[0]
        written = pq.read_schema(exporter.folder / path)
        assert written.equals(schema_of(name, tenant=TENANT), check_metadata=True)
        read.add(name)
        with duck(exporter.folder) as connection:
            found = connection.sql(f"DESCRIBE {name}").fetchall()
        schema = schema_of(name, tenant=TENANT)
        expected = [(each.name, TYPES[str(each.type)][1]) for each in schema]
        assert [row[:2] for row in found] == [*expected, ("day", "DATE")]
    assert read >= {EVENTS, "messages", "tool_calls", "threads"}


@pytest.mark.parametrize("name", TABLES)
def test_no_column_takes_the_partitions_name(name: str) -> None:
    assert "day" not in schema_of(name, tenant=TENANT).names
