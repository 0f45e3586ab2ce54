"""Imports on record: what they made, and that it is hidden and shown again, and nothing else."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ulid import ULID

from agentlog.domain.errors import UnknownThread
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.threads import Threads
from agentlog.infrastructure.transfer.documents import Plan
from agentlog.infrastructure.transfer.files.sources import find_sources
from agentlog.infrastructure.transfer.importer import Importer
from agentlog.infrastructure.transfer.imports import Imports, UnknownImport
from agentlog.infrastructure.transfer.report import ImportReport
from tests.infrastructure.appends import TENANT, check_log, fetch, reply

Import = Callable[..., str]


@pytest.fixture
def imports(database: Database, threads: Threads) -> Imports:
    return Imports(database, threads, tenant=TENANT)


class BrokenOffError(Exception):
    """The import is stopped."""


@pytest.fixture
def bring(imports: Imports, threads: Threads, tmp_path: Path) -> Import:
    """Import threads of so many messages each, and return the import's id."""

    def run(*, between: Callable[[], None] = lambda: None, **counts: int) -> str:
        file, import_id = tmp_path / "runs.jsonl", str(ULID())
        lines = [
            {"threadId": name, "messages": [reply(f"{name} {n}") for n in range(count)]}
            for name, count in counts.items()
        ]
        file.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
        running = imports.begin(import_id, [str(file)])
        importer = Importer(
            threads, Plan(), progress=lambda _: None, between=between, running=running
        )
        importer.import_sources(find_sources([file]))
        imports.end(import_id)
        assert isinstance(importer.report, ImportReport)
        assert not importer.report.failures
        return import_id

    return run


def ids(threads: Threads) -> list[str]:
    return threads.thread_ids(limit=1000)


def figures(imports: Imports, import_id: str) -> dict[str, Any]:
    only = imports.one(import_id)
    return {"threads": only.threads, "events": only.events, "grown": [*only.grown]}


def test_an_import_is_listed_with_what_it_did(imports: Imports, bring: Import) -> None:
    first = bring(a=1, b=2)
    second = bring(a=3, b=2, c=1)
    listed = imports.page()
    assert [import_.id for import_ in listed] == [second, first]
    assert all(
        import_.ended_at is not None and import_.ended_at >= import_.at for import_ in listed
    )
    assert all(path.endswith("runs.jsonl") for import_ in listed for path in import_.paths)
    assert figures(imports, first) == {"threads": 2, "events": 5, "grown": []}
    assert figures(imports, second) == {"threads": 1, "events": 4, "grown": ["a"]}


def test_the_same_import_again_made_nothing(imports: Imports, bring: Import) -> None:
    bring(a=1)
    assert figures(imports, bring(a=1)) == {"threads": 0, "events": 0, "grown": []}


def test_undo_hides_what_an_import_made_and_redo_shows_it(
    imports: Imports, bring: Import, threads: Threads, database: Database
) -> None:
    threads.append("own", [reply("before")])
    first, second = bring(a=1, b=2), bring(b=3, c=1)
    before = threads.messages("a")
    assert (imports.undo(first), ids(threads)) == (2, ["c", "own"])
    with pytest.raises(UnknownThread):
        threads.head("b")
    assert (imports.undo(first), imports.undo(second), ids(threads)) == (0, 1, ["own"])
    fact = threads.messages("a", hidden=True)[-1]
    assert (fact.type, fact.raw["importId"]) == ("thread.hidden", first)
    assert (imports.redo(first), ids(threads)) == (2, ["a", "b", "own"])
    assert imports.redo(first) == 0
    assert threads.messages("a")[: len(before)] == before
    check_log(database)


def test_more_threads_than_a_page_are_hidden(
    imports: Imports, bring: Import, threads: Threads, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agentlog.infrastructure.transfer.imports._PAGE", 3)
    made = bring(**{f"run-{n}": 1 for n in range(8)})
    assert (imports.undo(made), ids(threads)) == (8, [])


def test_an_import_that_was_broken_off_is_undone_with_all_that_it_wrote(
    imports: Imports, bring: Import, threads: Threads, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agentlog.infrastructure.transfer.importer._BATCH_MESSAGES", 1)
    times = iter(range(10))

    def stop() -> None:
        if next(times) == 3:
            raise BrokenOffError

    with pytest.raises(BrokenOffError):
        bring(between=stop, a=1, b=1, c=1, d=1)
    (broken,) = imports.page()
    assert (broken.ended_at, ids(threads)) == (None, ["a", "b", "c"])
    assert (broken.threads, imports.undo(broken.id), ids(threads)) == (3, 3, [])


def test_what_was_not_counted_as_the_process_was_killed_is_undone_too(
    imports: Imports, bring: Import, threads: Threads, database: Database
) -> None:
    made = bring(a=1, b=1)
    with database.connection() as connection:
        connection.execute(
            "UPDATE agentlog.imports SET upto = NULL, ended_at = NULL, threads = 0, events = 0"
        )
    assert (imports.undo(made), ids(threads)) == (2, [])


def test_an_import_into_hidden_threads_appends_and_shows_nothing(
    imports: Imports, bring: Import, threads: Threads
) -> None:
    imports.undo(bring(a=1, b=1))
    again = bring(a=2, b=1)
    assert figures(imports, again)["grown"] == ["a"]
    assert (imports.undo(again), ids(threads), imports.hidden(["a", "b", "c"])) == (0, [], 2)


def test_the_start_of_a_thread_names_its_import_and_no_message_does(
    bring: Import, threads: Threads
) -> None:
    made = bring(a=2)
    start, *messages = threads.messages("a")
    assert start.metadata == {"importId": made}
    assert [message.metadata for message in messages] == [{}, {}]


def test_imports_of_another_tenant_are_unknown(
    imports: Imports, bring: Import, threads: Threads, database: Database
) -> None:
    made = bring(a=1)
    others = Imports(database, threads, tenant="others")
    assert others.page() == []
    for ask in (others.one, others.undo, others.redo):
        with pytest.raises(UnknownImport, match=made):
            ask(made)
    assert fetch(database, "SELECT count(*) FROM agentlog.threads WHERE hidden") == [(0,)]
    assert [import_.id for import_ in imports.page()] == [made]
