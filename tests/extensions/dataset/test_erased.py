"""The next export leaves nothing in a dataset of what was erased, and writes no more than that."""

import pytest

from agentlog.extensions.dataset.errors import ForeignDataset
from agentlog.extensions.dataset.export import EventsExport
from agentlog.infrastructure.erasure.redactor import Redactor
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.threads import Threads
from tests.extensions.dataset.datasets import (
    Exporter,
    all_rows,
    check_equal,
    spread_over_days,
)
from tests.extensions.dataset.test_export import files_of
from tests.extensions.dataset.test_export_killed import Killed
from tests.extensions.dataset.test_positions import go_back
from tests.infrastructure.appends import STORY, TENANT, fetch, reply
from tests.infrastructure.erasure.conftest import redactor_on

SECRET = "Zarquon-4711"  # noqa: S105 - what is to be erased


def _redactor(database: Database, threads: Threads) -> Redactor:
    return redactor_on(database, threads)


def test_files_with_what_was_erased_are_written_anew_and_no_others(
    threads: Threads, exporter: Exporter, own_database: Database
) -> None:
    for number in range(30):
        threads.append(f"t{number}", [reply("plain"), reply("x", metadata={"actor": "a"})])
    threads.start("t", {"policy": "record", "goal": SECRET})
    for draft in [*STORY, reply(SECRET, metadata={"actor": SECRET})]:
        threads.append("t", [draft])
    threads.append("u", [reply(f"{SECRET} of another"), *STORY[:3]])
    spread_over_days(own_database, events_a_day=9)
    exporter()
    assert SECRET in all_rows(exporter.folder)
    before = files_of(exporter)
    redactor = _redactor(own_database, threads)
    redactor.redact("t", None, "why")
    redactor.redact("u", [threads.messages("u")[0].message_id], "why")
    exporter()
    assert SECRET not in all_rows(exporter.folder)
    check_equal(exporter)
    after = files_of(exporter)
    events = [path for path in before if path.startswith("events/")]
    same = [path for path in events if after[path] == before[path]]
    assert 0 < len(same) < len(events)
    # and nothing more the next time
    assert exporter().days == 0
    assert files_of(exporter) == after


def test_an_export_of_some_tables_takes_it_out_of_the_others_too(
    threads: Threads, exporter: Exporter, own_database: Database
) -> None:
    threads.start("t", {"goal": SECRET})
    threads.append("t", [reply(SECRET)])
    exporter()
    _redactor(own_database, threads).redact("t", None, "why")
    exporter(["messages"])
    assert SECRET not in all_rows(exporter.folder)


def test_an_export_that_broke_off_in_between_is_made_good(
    threads: Threads, exporter: Exporter, own_database: Database
) -> None:
    threads.append("t", [reply(SECRET), reply("two")])
    exporter()
    old = (exporter.folder / "_agentlog.json").read_bytes()
    _redactor(own_database, threads).redact("t", None, "why")
    exporter()
    (exporter.folder / "_agentlog.json").write_bytes(old)  # the files were renamed, it was not
    exporter()
    assert SECRET not in all_rows(exporter.folder)
    check_equal(exporter)
    assert fetch(own_database, "SELECT count(*) FROM agentlog.events WHERE tenant = %s", TENANT)


def test_what_is_erased_late_is_erased_though_later_redactions_were_carried_out_before(
    threads: Threads, exporter: Exporter, own_database: Database
) -> None:
    for thread_id in "tu":
        threads.append(thread_id, [reply(f"{SECRET} of {thread_id}")])
    spread_over_days(own_database, events_a_day=1)
    exporter()
    redactor = _redactor(own_database, threads)
    for thread_id in "tu":
        redactor.redact(thread_id, None, "why")
    set_done = "UPDATE agentlog.erasures SET number = {}, done_at = {} WHERE thread_id = 't'"
    fetch(own_database, f"{set_done.format('NULL', 'NULL')} RETURNING 1")
    exporter()
    assert f"{SECRET} of t" in all_rows(exporter.folder)
    assert f"{SECRET} of u" not in all_rows(exporter.folder)
    fetch(own_database, f"{set_done.format(3, 'now()')} RETURNING 1")
    exporter()
    assert SECRET not in all_rows(exporter.folder)
    check_equal(exporter)
    before = files_of(exporter)
    exporter()
    assert files_of(exporter) == before


def test_numbers_of_erasures_may_go_back_with_a_restored_log(
    threads: Threads, exporter: Exporter, own_database: Database
) -> None:
    for thread_id in "tu":
        threads.append(thread_id, [reply(f"{SECRET} of {thread_id}")])
    redactor = _redactor(own_database, threads)
    redactor.redact("t", None, "why")
    number = "UPDATE agentlog.erasures SET number = {} RETURNING 1"
    fetch(own_database, number.format(7))  # after those of other tenants, which the backup lacks
    exporter()
    fetch(own_database, number.format(1))
    redactor.redact("u", None, "why")
    exporter()
    assert SECRET not in all_rows(exporter.folder)
    check_equal(exporter)


def test_a_log_that_lacks_a_redaction_that_was_applied_is_refused(
    threads: Threads,
    exporter: Exporter,
    own_database: Database,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    threads.append("t", [reply(SECRET), reply("kept")])
    exporter(["events"])
    _redactor(own_database, threads).redact("t", None, "why")

    def end(_: EventsExport, **__: object) -> None:
        raise Killed

    monkeypatch.setattr(EventsExport, "write", end)
    with pytest.raises(Killed):
        exporter(["events"])
    assert exporter.manifest.position == 2
    go_back(own_database, 2)
    with pytest.raises(ForeignDataset, match="up to position 3 that this log has not"):
        exporter(["events"])
