"""Whatever the database's owner changes is found, where it is, and called by its name."""

from base64 import b64encode
from typing import Any

import psycopg
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from agentlog.domain.errors import UnknownThread
from agentlog.domain.integrity.chain_audit import Finding
from agentlog.domain.integrity.hash_chain import GENESIS, digest, link
from agentlog.infrastructure.audit.auditor import Auditor
from agentlog.infrastructure.audit.checkpoints import Checkpoints, LogContradicted
from agentlog.infrastructure.audit.findings import MOST_FINDINGS
from agentlog.infrastructure.audit.notes import Checkpoint, public_key_of, signed_note
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.threads import Threads
from tests.infrastructure.appends import TENANT, fetch, reply, results
from tests.infrastructure.audit.conftest import Owner

LONG = 'é\x00\U0001f99c\\"' * 200


def _found(auditor: Auditor, thread_id: str = "t") -> list[tuple[str, int | None]]:
    return [(finding.what, finding.version) for finding in auditor.thread(thread_id).findings]


def test_what_nobody_touched_is_whole(told: Threads, auditor: Auditor) -> None:
    audit = auditor.thread("t")
    assert (audit.whole, audit.findings) == (True, ())
    assert audit.events == told.head("t").version
    assert auditor.thread("beside").whole
    assert all(audit.whole for _, audit in auditor.log())
    with pytest.raises(UnknownThread):
        auditor.thread("nowhere")


def test_nul_unicode_and_bodies_larger_than_a_page_are_whole(
    threads: Threads, auditor: Auditor, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = [{"data": b64encode(bytes([n]) * 2**20).decode()} for n in range(3)]
    threads.append("t", [{"type": "system", "text": LONG}, {"type": "input", "files": files}])
    threads.append("t", [reply(LONG * 100, metadata={"note": "\x00 \U0001f99c"})] * 3)
    ((expected,),) = fetch(database, "SELECT count(*) FROM agentlog.events")
    assert (auditor.thread("t").whole, auditor.thread("t").events) == (True, expected)
    monkeypatch.setattr("agentlog.infrastructure.audit.records.PAGE_BYTES", 1000)
    assert (auditor.thread("t").whole, auditor.thread("t").events) == (True, expected)
    monkeypatch.setattr("agentlog.infrastructure.audit.records.PAGE_EVENTS", 1)
    assert (auditor.thread("t").whole, auditor.thread("t").events) == (True, expected)


CHANGES = {
    "a body": ("body = 'other'", "body-altered"),
    "a body and its hash": ("body = 'other', body_sha256 = sha256('other')", "link-broken"),
    "metadata": ("""metadata = '{"actor":"somebody"}'""", "link-broken"),
    "a time": ("recorded_at = recorded_at - interval '1 microsecond'", "link-broken"),
    "a time that is none": ("recorded_at = 'infinity'", "link-broken"),
    "a type": ("type = 'reasoning'", "link-broken"),
    "an id": ("message_id = '01JD8Z3Q5N7V2M4K6H8G0F1E2D'", "link-broken"),
    "cuts": ("cuts = 'nonsense'", "content-missing"),
}


@pytest.mark.parametrize(("change", "what"), CHANGES.values(), ids=list(CHANGES))
@pytest.mark.usefixtures("told")
def test_a_changed_column_is_found_at_its_version(
    auditor: Auditor, owner: Owner, change: str, what: str
) -> None:
    if change.startswith("cuts"):
        change += ", body = 'less'"
    owner.do(f"UPDATE agentlog.events SET {change} WHERE thread_id = 't' AND version = 6")  # noqa: S608
    assert _found(auditor) == [(what, 6)]
    assert not auditor.thread("t").whole
    assert auditor.thread("beside").whole


@pytest.mark.usefixtures("told")
def test_another_position_or_link_is_found_and_so_is_what_follows_it(
    auditor: Auditor, owner: Owner
) -> None:
    owner.do("UPDATE agentlog.events SET position = 1 WHERE thread_id = 't' AND version = 6")
    assert _found(auditor) == [("position-not-growing", 6), ("link-broken", 6)]
    owner.do("UPDATE agentlog.events SET chain = sha256('') WHERE thread_id='t' AND version = 9")
    assert _found(auditor)[2:] == [("link-broken", 9), ("link-broken", 10)]


@pytest.mark.usefixtures("told")
def test_an_event_that_is_gone_is_found(auditor: Auditor, owner: Owner) -> None:
    owner.do("DELETE FROM agentlog.events WHERE thread_id = 't' AND version IN (4, 5)")
    (finding,) = auditor.thread("t").findings
    assert finding == Finding("version-missing", "versions 4 to 5 are not there", "t", 4)
    owner.do("DELETE FROM agentlog.events WHERE thread_id = 't' AND version = 1")
    assert _found(auditor)[0] == ("version-missing", 1)


def test_the_last_event_that_is_gone_is_found_by_the_head(
    told: Threads, auditor: Auditor, owner: Owner
) -> None:
    last = told.head("t").version
    owner.do("DELETE FROM agentlog.events WHERE thread_id = 't' AND version = %s", last)
    assert _found(auditor) == [("head-differs", last - 1)]
    owner.do("DELETE FROM agentlog.events WHERE thread_id = 't'")
    assert _found(auditor) == [("head-differs", 0)]


@pytest.mark.usefixtures("told")
def test_an_event_put_before_the_first_is_found(auditor: Auditor, owner: Owner) -> None:
    owner.do(
        "INSERT INTO agentlog.events SELECT tenant, thread_id, -5, -5, type, 'x', recorded_at, "
        "body, body_sha256, chain, metadata, cuts FROM agentlog.events "
        "WHERE thread_id = 't' AND version = 1"
    )
    assert ("link-broken", -5) in _found(auditor)


@pytest.mark.usefixtures("told")
def test_two_events_swapped_are_found(auditor: Auditor, owner: Owner) -> None:
    with owner.unhindered() as connection:
        for before, after in ((3, -3), (4, 3), (-3, 4)):
            connection.execute(
                "UPDATE agentlog.events SET version = %s WHERE thread_id = 't' AND version = %s",
                (after, before),
            )
    findings = _found(auditor)
    assert {version for _, version in findings} == {3, 4, 5}
    assert ("position-not-growing", 4) in findings


@pytest.mark.parametrize(
    "change", ["version = version + 1", "position = position + 1", "chain = sha256('')"]
)
@pytest.mark.usefixtures("told")
def test_a_head_that_differs_is_found(auditor: Auditor, owner: Owner, change: str) -> None:
    owner.do(f"UPDATE agentlog.threads SET {change} WHERE thread_id = 't'")  # noqa: S608
    assert [what for what, _ in _found(auditor)] == ["head-differs"]


@pytest.mark.usefixtures("told")
def test_a_thread_without_its_head_is_found(auditor: Auditor, owner: Owner) -> None:
    owner.do("DELETE FROM agentlog.threads WHERE thread_id = 't'")
    assert "t" in dict(auditor.log())
    assert _found(auditor) == [("head-missing", None)]


def test_a_content_that_is_gone_without_a_redaction_breaks_the_record(
    threads: Threads, auditor: Auditor, owner: Owner
) -> None:
    threads.start("t", {"policy": "record"})
    output = {"callId": "a", "output": LONG}
    threads.append("t", [results("a", results=[output]), reply("after")])
    assert auditor.thread("t").findings == ()
    owner.do("DELETE FROM agentlog.blobs")
    audit = auditor.thread("t")
    assert [(finding.what, finding.version) for finding in audit.findings] == [
        ("content-missing", 2)
    ]
    assert not audit.whole


def test_a_changed_blob_is_found(threads: Threads, auditor: Auditor, owner: Owner) -> None:
    threads.append("t", [{"type": "system", "text": LONG}])
    owner.do("UPDATE agentlog.blobs SET content = 'other'")
    assert _found(auditor) == [("content-missing", 1)]


def test_findings_are_bounded_and_counted(threads: Threads, auditor: Auditor, owner: Owner) -> None:
    threads.append("t", [reply(str(number)) for number in range(MOST_FINDINGS + 5)])
    owner.do("UPDATE agentlog.events SET type = 'reasoning'")
    audit = auditor.thread("t")
    assert (len(audit.findings), audit.count) == (MOST_FINDINGS, MOST_FINDINGS + 5)


# --- the whole log ------------------------------------------------------------------------------


def _rewrite(connection: psycopg.Connection) -> None:
    """Tell the whole log anew, with another first message, consistent in itself."""
    connection.execute("UPDATE agentlog.events SET body = 'never said' WHERE position = 1")
    rows: list[Any] = connection.execute(
        "SELECT tenant, thread_id, version, position, type, message_id, recorded_at, "
        "agentlog.body_of(tenant, body, cuts), metadata, left_sha256 FROM agentlog.events "
        "ORDER BY position"
    ).fetchall()
    links: dict[str, bytes] = {}
    for row in rows:
        tenant, thread_id, version, position, type_name, message_id, time, *contents = row
        body, metadata, left = contents
        links[thread_id] = link(
            links.get(thread_id, GENESIS),
            tenant=tenant,
            thread_id=thread_id,
            version=version,
            position=position,
            type_name=type_name,
            message_id=message_id,
            recorded_at=time,
            body_digest=digest(body),
            metadata_digest=digest(metadata or b""),
            left=left,
        )
        connection.execute(
            "UPDATE agentlog.events SET body_sha256 = %b, chain = %b WHERE position = %s",
            (digest(body), links[thread_id], position),
        )
        connection.execute(
            "UPDATE agentlog.threads SET chain = %b WHERE thread_id = %s",
            (links[thread_id], thread_id),
        )


def test_a_history_rewritten_as_a_whole_is_found_only_by_an_earlier_checkpoint(
    told: Threads, auditor: Auditor, checkpoints: Checkpoints, owner: Owner
) -> None:
    earlier = checkpoints.make()
    held = Checkpoint.parse(earlier.note)
    told.append("beside", [reply("and on")])
    with owner.unhindered() as connection:
        _rewrite(connection)
    for thread_id in ("before", "t", "beside"):
        assert auditor.thread(thread_id).whole
    assert [finding.what for finding in auditor.tree().findings] == ["tree-differs"]
    with pytest.raises(LogContradicted):
        checkpoints.make()
    # he takes the checkpoint away too, and signs anew with the service's own key
    owner.do("DELETE FROM agentlog.checkpoints")
    later = checkpoints.make()
    assert later.size == earlier.size + 1
    assert auditor.tree().findings == ()
    assert [finding.what for finding in auditor.tree([held]).findings] == ["tree-differs"]
    # and if he puts the old one beside the new one, no proof leads from one to the other
    owner.do(
        "INSERT INTO agentlog.checkpoints (tenant, size, position, root, note, public_key) "
        "VALUES (%s, %s, %s, %b, %s, %b)",
        TENANT,
        earlier.size,
        earlier.position,
        earlier.root,
        earlier.note,
        earlier.public_key,
    )
    with pytest.raises(LogContradicted):
        checkpoints.consistency(earlier.size, later.size)


def test_a_log_cut_short_is_found(
    told: Threads, auditor: Auditor, checkpoints: Checkpoints, owner: Owner
) -> None:
    del told
    made = checkpoints.make()
    owner.do("DELETE FROM agentlog.events WHERE thread_id = 'before'")
    (finding,) = auditor.tree().findings
    assert finding.what == "tree-differs"
    assert f"over {made.size} events; the log has {made.size - 1}" in finding.detail
    with pytest.raises(LogContradicted):
        checkpoints.make()


@pytest.mark.usefixtures("told")
def test_a_checkpoint_that_was_changed_is_found(
    auditor: Auditor, checkpoints: Checkpoints, owner: Owner
) -> None:
    checkpoints.make()
    owner.do("UPDATE agentlog.checkpoints SET root = sha256('')")
    assert {finding.what for finding in auditor.tree().findings} == {
        "signature-invalid",
        "tree-differs",
    }
    owner.do("UPDATE agentlog.checkpoints SET note = replace(note, 'agentlog', 'other')")
    assert auditor.tree().findings[0].what == "signature-invalid"


@pytest.mark.usefixtures("told")
def test_checkpoints_of_another_key_are_found_by_who_holds_the_true_one(
    auditor: Auditor, checkpoints: Checkpoints, owner: Owner
) -> None:
    made = checkpoints.make()
    held = checkpoints.public_key()
    assert auditor.tree(public_key=held).findings == ()
    forger = Ed25519PrivateKey.generate()
    note = signed_note(Checkpoint.parse(made.note), forger)
    public = public_key_of(forger)
    owner.do("UPDATE agentlog.checkpoints SET note = %s, public_key = %b", note, public)
    assert auditor.tree().findings == ()
    assert [finding.what for finding in auditor.tree(public_key=held).findings] == ["other-key"]


def test_a_tile_that_was_changed_is_found(
    threads: Threads,
    database: Database,
    auditor: Auditor,
    checkpoints: Checkpoints,
    owner: Owner,
) -> None:
    threads.append("t", [reply(str(number)) for number in range(1030)])
    checkpoints.make()
    assert fetch(database, "SELECT count(*) FROM agentlog.tiles") == [(1,)]
    assert auditor.tree().findings == ()
    owner.do("UPDATE agentlog.tiles SET root = sha256('')")
    assert [finding.what for finding in auditor.tree().findings] == ["tile-differs"]


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE agentlog.checkpoints SET size = 5",
        "DELETE FROM agentlog.checkpoints",
        "TRUNCATE agentlog.checkpoints",
    ],
)
def test_the_database_refuses_to_change_checkpoints(own_database: Database, change: str) -> None:
    fetch(
        own_database,
        "INSERT INTO agentlog.checkpoints VALUES ('t', 1, 1, '', '', '') RETURNING size",
    )
    with pytest.raises(psycopg.errors.RestrictViolation):
        fetch(own_database, change)
