"""What was redacted leaves the chain whole; what only says that it was is found."""

from typing import Any

import pytest
from typing_extensions import override

from agentlog.domain.integrity.hash_chain import GENESIS, link
from agentlog.domain.json.text import parse, print_bytes
from agentlog.domain.redaction import left_digest, redacted_body, without_files
from agentlog.infrastructure.audit.auditor import Auditor
from agentlog.infrastructure.audit.bundle import check_bundle
from agentlog.infrastructure.audit.checkpoints import Checkpoints
from agentlog.infrastructure.audit.evidence import Evidence
from agentlog.infrastructure.erasure.eraser import Eraser
from agentlog.infrastructure.erasure.redactor import Redactor
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.threads import Threads
from tests.infrastructure.appends import TENANT, check_log, fetch
from tests.infrastructure.audit.conftest import Owner
from tests.infrastructure.audit.forged_appends import append, settle


@pytest.fixture
def redactor(database: Database, told: Threads) -> Redactor:
    """Whom the tests ask to erase."""
    return Redactor(database, told, Eraser(database, told.writer), tenant=TENANT)


def _found(auditor: Auditor) -> list[tuple[str, int | None, bool]]:
    return [
        (finding.what, finding.version, finding.breaks) for finding in auditor.thread("t").findings
    ]


def test_a_redacted_message_is_listed_and_nothing_is_broken(
    told: Threads,
    redactor: Redactor,
    auditor: Auditor,
    checkpoints: Checkpoints,
    database: Database,
) -> None:
    checkpoints.make()
    redactor.redact("t", [told.messages("t")[5].message_id], "why")
    assert _found(auditor) == [("content-redacted", 6, False)]
    assert auditor.thread("t").whole
    (finding,) = auditor.thread("t").findings
    assert f"redacted by version {told.head('t').version}" in finding.detail
    assert auditor.tree().whole
    checkpoints.make()
    assert auditor.tree().whole
    check_log(database)


class Interrupted(Eraser):
    """It is ended before it erases anything."""

    @override
    def finish(self, tenant: str, thread_id: str) -> int:
        return 0


@pytest.mark.parametrize("messages", [None, "sixth"])
def test_a_redaction_that_is_not_carried_out_yet_is_neither_whole_nor_broken(
    told: Threads, auditor: Auditor, database: Database, messages: str | None
) -> None:
    named = None if messages is None else [told.messages("t")[5].message_id]
    Redactor(database, told, Interrupted(database, told.writer), tenant=TENANT).redact(
        "t", named, "why"
    )
    audit, version = auditor.thread("t"), told.head("t").version
    assert (audit.verdict, audit.whole) == ("not finished", False)
    assert _found(auditor) == [("redaction-unfinished", version, False)]
    assert [audit.verdict for thread, audit in auditor.log() if thread != "t"] == ["whole"] * 3
    Eraser(database, told.writer).finish_all()
    assert auditor.thread("t").verdict == "whole"


def test_a_deviation_beside_an_unfinished_redaction_is_broken(
    told: Threads, auditor: Auditor, database: Database, owner: Owner
) -> None:
    Redactor(database, told, Interrupted(database, told.writer), tenant=TENANT).redact(
        "t", None, "why"
    )
    owner.do("UPDATE agentlog.threads SET goal = 'another' WHERE thread_id = 't'")
    assert auditor.thread("t").verdict == "broken"


def test_a_redaction_keeps_a_name_that_is_stored_apart(
    told: Threads, redactor: Redactor, auditor: Auditor
) -> None:
    long = "x" * 600  # the name is written first, and cut out
    told.append("t", [{"type": "tool_results", "results": [{"name": long, "output": long}]}])
    event = told.messages("t")[-1]
    redactor.redact("t", [event.message_id], "why")
    assert _found(auditor) == [("content-redacted", event.version, False)]
    left = parse(told.message("t", event.message_id).body)
    assert left["results"] == [{"name": long, "output": "[redacted]"}]


def test_evidence_of_a_redacted_thread_verifies_offline(
    told: Threads, redactor: Redactor, evidence: Evidence
) -> None:
    redactor.redact("t", None, "why")
    text = "".join(evidence.of_thread("t", signing=True)).encode()
    verdict = check_bundle(text)
    assert verdict.whole
    assert {finding.what for finding in verdict.findings} == {"content-redacted"}
    assert len(verdict.findings) == told.head("t").version - 1
    bundle = parse(text)
    event = bundle["events"][3]
    assert (event["body"], event["metadata"]) == (None, None)
    # whatever is put in its place, or marked without a reason, shows
    event["body"] = "e30="
    assert not check_bundle(print_bytes(bundle)).whole
    event["body"] = None
    assert check_bundle(print_bytes(bundle)).whole
    event["redacted"] = 2
    findings = [
        finding.what for finding in check_bundle(print_bytes(bundle)).findings if finding.breaks
    ]
    assert findings == ["redaction-unfounded"]


@pytest.mark.usefixtures("redactor")
def test_a_mark_without_a_redaction_is_found(auditor: Auditor, owner: Owner) -> None:
    erased = (
        "UPDATE agentlog.events SET redacted = %s, metadata_sha256 = sha256(coalesce(metadata,'')),"
        " metadata = NULL, body = '{}' WHERE thread_id = 't' AND version = %s"
    )
    owner.do(erased, 9, 6)
    assert _found(auditor) == [
        ("content-redacted", 6, False),
        ("redaction-unfounded", 6, True),
    ]


def test_a_mark_of_a_redaction_of_others_is_found(
    told: Threads, redactor: Redactor, auditor: Auditor, owner: Owner
) -> None:
    done = redactor.redact("t", [told.messages("t")[5].message_id], "why")
    owner.do(
        "UPDATE agentlog.events SET redacted = %s WHERE thread_id = 't' AND version = 4",
        done.version,
    )
    assert ("redaction-unfounded", 4, True) in _found(auditor)
    owner.do("UPDATE agentlog.events SET redacted = NULL WHERE thread_id = 't' AND version = 4")
    assert [finding for finding in _found(auditor) if finding[2]] == []
    # a body that is gone without a mark is one that was altered
    owner.do("UPDATE agentlog.events SET redacted = NULL WHERE thread_id = 't' AND version = 6")
    assert ("body-altered", 6, True) in _found(auditor)


def test_something_else_in_the_place_of_a_redacted_event_is_found(
    told: Threads, redactor: Redactor, auditor: Auditor, owner: Owner
) -> None:
    done = redactor.redact("t", None, "why")
    owner.do(
        "UPDATE agentlog.events SET body = replace(convert_from(body, 'UTF8'), '[redacted]', 'lie')"
        "::bytea WHERE thread_id = 't' AND type = 'reply' AND version = 6"
    )
    assert [finding for finding in _found(auditor) if finding[2]] == [
        ("body-altered", 6, True),
        ("body-altered", done.version, True),
    ]
    owner.do(
        "UPDATE agentlog.events SET metadata_sha256 = sha256('') "
        "WHERE thread_id = 't' AND version = 6"
    )
    assert ("link-broken", 6, True) in _found(auditor)
    assert told.head("t").goal == "[redacted]"


FILES = [
    {"data": "QQ=="},
    {"data": "Qg==", "filename": "b"},
]


@pytest.mark.parametrize(
    ("draft", "other"),
    [
        ({"type": "reply", "text": "x", "timestamp": 1}, {"timestamp": 2}),
        ({"type": "llm_response", "usage": {"totalTokens": 7}}, {"usage": {"totalTokens": 8}}),
        ({"type": "tool_calls", "calls": [{"id": "z", "name": "pay"}]}, {"calls": []}),
        ({"type": "input", "text": "yes", "files": FILES}, {"text": "no", "files": FILES}),
        ({"type": "input", "text": "yes", "files": FILES}, {"files": [FILES[0], {"data": "Qw=="}]}),
    ],
)
def test_a_forged_redaction_whose_digest_fits_leaves_nothing_else(
    told: Threads, auditor: Auditor, owner: Owner, draft: dict[str, Any], other: dict[str, Any]
) -> None:
    told.append("t", [draft])
    event = told.messages("t")[-1]
    body = print_bytes({**parse(event.body), **other})
    of_file = {"blob": "0" * 64} if "files" in draft else {}
    left = (
        without_files(body, [0]) if of_file else redacted_body(event.type, event.message_id, body)
    )
    with owner.unhindered() as connection:
        stated = {"messages": [event.message_id], "left": [left_digest(left, None).hex()]}
        by = append(connection, "t", {**stated, **of_file}, pending=False)
        connection.execute(
            "UPDATE agentlog.events SET redacted = %s, body = %b, metadata_sha256 = sha256('') "
            "WHERE thread_id = 't' AND version = %s",
            (by, left, event.version),
        )
        settle(connection, "t")
    assert [finding for finding in _found(auditor) if finding[2]] == [
        ("body-altered", event.version, True)
    ]


def test_events_of_versions_that_bound_nothing_are_whole(
    told: Threads, database: Database, redactor: Redactor, auditor: Auditor, owner: Owner
) -> None:
    redactor.redact("t", [told.messages("t")[5].message_id], "why")
    rows: list[Any] = fetch(
        database,
        "SELECT version, position, type, message_id, recorded_at, body_sha256, "
        "coalesce(metadata_sha256, sha256(coalesce(metadata, ''))) FROM agentlog.events "
        "WHERE thread_id = 't' ORDER BY version",
    )
    chain = GENESIS
    for version, position, kind, message_id, recorded_at, body_digest, metadata_digest in rows:
        chain = link(
            chain,
            tenant=TENANT,
            thread_id="t",
            version=version,
            position=position,
            type_name=kind,
            message_id=message_id,
            recorded_at=recorded_at,
            body_digest=body_digest,
            metadata_digest=metadata_digest,
            left=None,
        )
        owner.do(
            "UPDATE agentlog.events SET left_sha256 = NULL, chain = %b WHERE position = %s",
            chain,
            position,
        )
    owner.do("UPDATE agentlog.threads SET chain = %b WHERE thread_id = 't'", chain)
    assert _found(auditor) == [("content-redacted", 6, False)]
