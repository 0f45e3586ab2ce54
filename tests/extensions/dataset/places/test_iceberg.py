"""The document's recipe makes an Iceberg table of a dataset's files, and follows each export."""

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.threads import Threads
from tests.extensions.dataset.datasets import events_in_database, spread_over_days
from tests.extensions.dataset.places.buckets import BucketExporter
from tests.infrastructure.appends import reply
from tests.infrastructure.erasure.conftest import redactor_on

DOCUMENT = Path(__file__).parents[4] / "docs" / "how-to" / "parquet.md"
SECRET = "Zarquon-4711"  # noqa: S105 - what is to be erased

ANSWER = """
answers = []
for snapshot in table.snapshots():
    try:
        scan = table.scan(snapshot_id=snapshot.snapshot_id, selected_fields=("position", "body"))
        answers.append(scan.to_arrow().to_pylist())
    except FileNotFoundError:
        answers.append(None)
print(json.dumps(answers))
"""
"""What each snapshot shows; nothing where its files are gone."""


@pytest.fixture
def synced(
    bucket_exporter: BucketExporter, endpoint: str, tmp_path: Path
) -> Callable[[], list[Any]]:
    """What runs the recipe, and returns what each snapshot of the table shows."""
    python = os.environ.get("AGENTLOG_TEST_ENGINES")
    if python is None:
        pytest.skip("AGENTLOG_TEST_ENGINES does not name a Python; `make test-slow` does")
    _, _, rest = DOCUMENT.read_text().partition("make the table name what the manifest names:\n\n")
    recipe = dedent(rest.partition("\nFor a read model")[0])
    program = recipe.replace("s3://BUCKET/PREFIX", bucket_exporter.where) + ANSWER
    settings = {
        "TYPE": "sql",
        "URI": f"sqlite:///{tmp_path}/catalog.db",
        "WAREHOUSE": f"file://{tmp_path}",
        "S3__ENDPOINT": endpoint,
        "S3__ACCESS_KEY_ID": "key",
        "S3__SECRET_ACCESS_KEY": "secret",
    }
    catalog = {f"PYICEBERG_CATALOG__DEFAULT__{name}": value for name, value in settings.items()}

    def run() -> list[Any]:
        done = subprocess.run(
            [python, "-"],
            input=program,
            env={**os.environ, **catalog},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        snapshots: list[Any] = json.loads(done.stdout)
        return snapshots

    return run


@pytest.mark.slow
def test_a_table_shows_what_the_manifest_names_and_nothing_erased(
    threads: Threads,
    bucket_exporter: BucketExporter,
    own_database: Database,
    synced: Callable[[], list[Any]],
) -> None:
    for number in range(20):
        threads.append(f"t{number}", [reply("plain")])
    threads.append("t", [reply(SECRET)])
    spread_over_days(own_database, events_a_day=9)
    bucket_exporter()
    first = synced()
    assert shown(first) == kept(own_database)
    assert SECRET in str(first)
    assert synced() == first  # nothing new: no snapshot
    threads.append("t0", [reply("later")])
    bucket_exporter()
    assert shown(synced()) == kept(own_database)
    redactor_on(own_database, threads).redact("t", None, "why")
    bucket_exporter()
    last = synced()
    assert shown(last) == kept(own_database)
    assert SECRET not in str(last)
    assert None in last  # snapshots whose files are gone


def shown(snapshots: list[Any]) -> list[tuple[int, bytes]]:
    """Return the events of the last snapshot."""
    return sorted((row["position"], row["body"].encode()) for row in snapshots[-1])


def kept(database: Database) -> list[tuple[int, bytes]]:
    """Return the events of the log."""
    return [(row[0], bytes(row[6])) for row in events_in_database(database)]
