"""The schema that is documented is the one that is written.

AGENTLOG_WRITE_DOCS=1 writes it into docs/reference/tables.md.
"""

import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from agentlog.extensions.dataset.export import TABLES
from agentlog.extensions.dataset.schema import EVENTS, arrow_schema
from agentlog.infrastructure.threads import Threads
from tests.extensions.dataset.datasets import Exporter, duck
from tests.infrastructure.appends import STORY, TENANT

DOCUMENT = Path(__file__).parents[3] / "docs" / "reference" / "tables.md"
BEGIN, END = "<!-- events: written from its definition -->\n", "<!-- end of events -->\n"
TYPES = {
    "string": ("string", "VARCHAR"),
    "int64": ("int64", "BIGINT"),
    "double": ("double", "DOUBLE"),
    "timestamp[us, tz=UTC]": ("timestamp", "TIMESTAMP WITH TIME ZONE"),
    "bool": ("boolean", "BOOLEAN"),
    "binary": ("binary", "BLOB"),
}
"""Arrow's types as the document and DuckDB name them."""


def documented(field: pa.Field) -> str:
    kind, _ = TYPES[str(field.type)]
    null = "" if field.nullable else ", not null"
    return f"- `{field.name}` ({kind}{null}): {field.metadata[b'comment'].decode()}\n"


def test_the_document_has_the_columns_of_events() -> None:
    text = DOCUMENT.read_text()
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    lines = map(documented, arrow_schema(EVENTS, tenant=TENANT))
    expected = "".join([before, begin, "\n", *lines, "\n", end, after])
    if os.environ.get("AGENTLOG_WRITE_DOCS") == "1":
        DOCUMENT.write_text(expected)
    assert text == expected, "AGENTLOG_WRITE_DOCS=1 writes the columns as they are now"


def test_files_have_the_schema_that_is_documented(threads: Threads, exporter: Exporter) -> None:
    threads.append("t", STORY)
    exporter()
    read = set()
    for path in exporter.manifest.files():
        name = path.split("/")[0]
        written = pq.read_schema(exporter.folder / path)
        assert written.equals(arrow_schema(name, tenant=TENANT), check_metadata=True)
        read.add(name)
        with duck(exporter.folder) as connection:
            rows = connection.sql(f"DESCRIBE {name}").fetchall()
        schema = arrow_schema(name, tenant=TENANT)
        expected = [(column.name, TYPES[str(column.type)][1]) for column in schema]
        assert [row[:2] for row in rows] == [*expected, ("day", "DATE")]
    assert read >= {EVENTS, "messages", "tool_calls", "threads"}


@pytest.mark.parametrize("name", TABLES)
def test_no_column_takes_the_partitions_name(name: str) -> None:
    assert "day" not in arrow_schema(name, tenant=TENANT).names
