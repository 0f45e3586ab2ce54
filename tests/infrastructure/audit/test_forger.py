"""The owner of the database, without triggers, changes what is on record.

docs/reference/proof.md lists the changes.

Each change is found by `agentlog verify`, by what whoever checks holds from elsewhere, or comes to
nothing: readers are shown what was there before.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import get_args

import pytest

from agentlog.infrastructure.audit.notes import Checkpoint
from agentlog.infrastructure.audit.signing import SigningKey
from agentlog.infrastructure.postgres.database import Database
from tests.databases import new_database
from tests.infrastructure.appends import (
    TENANT,
    fetch,
)
from tests.infrastructure.audit.conftest import Owner
from tests.infrastructure.audit.forged_log import By, Log

_YES = {True: "yes", False: "no"}
DOCS = Path(__file__).parents[3] / "docs" / "reference" / "proof.md"

pytestmark = pytest.mark.usefixtures("small_tiles")


@dataclass(frozen=True)
class Change:
    """What the owner does, and what it comes to: the finding, or nothing.

    `by_links`: whether something is found even if only the threads are read that have grown since.
    """

    sql: str
    what: str | None
    by: By = "verify"
    by_links: bool = False


def _event(change: str, version: int, thread: str = "t") -> str:
    return (
        f"UPDATE agentlog.events SET {change} "  # noqa: S608 - our own words
        f"WHERE thread_id = '{thread}' AND version = {version}"
    )


def _head(change: str, thread: str = "t") -> str:
    return f"UPDATE agentlog.threads SET {change} WHERE thread_id = '{thread}'"  # noqa: S608 - as above


_NO_SUCH = "decode('ff', 'hex') || substr(sha256(''), 2)"
_FORGED = (
    "body = replace(convert_from(body, 'UTF8'), 'seventy', 'ninety!')::bytea, "
    f"cuts = int4send(length(body)) || {_NO_SUCH}"
)

_FORGED_FIGURES = _event(
    "body = replace(convert_from(body, 'UTF8'), '\"inputTokens\":10', '\"inputTokens\":99')::bytea",
    1,
    "redacted",
)

_PUT_BACK = (
    "UPDATE agentlog.events SET redacted = NULL, metadata = NULL, metadata_sha256 = NULL, "
    'body = convert_to(\'{"id":"\' || message_id || \'","timestamp":1767268800000,'
    '"type":"reply","text":"a secret"}\', \'UTF8\') '
    "WHERE thread_id = 'redacted' AND version = 3"
)


def _under(thread_id: str, thread: str) -> str:
    tables = ("events", "threads", "ledger")
    updates = [
        f"UPDATE agentlog.{table} SET thread_id = {thread_id} WHERE thread_id = '{thread}'"  # noqa: S608 - as above
        for table in tables
    ]
    return f"WITH a AS ({updates[0]}), b AS ({updates[1]}) {updates[2]}"


CHANGES: dict[str, Change] = {
    # bodies
    "a body": Change(_event("body = '{}'", 3), "body-altered"),
    "a body, with a cut at its end that names no content": Change(
        _event(_FORGED, 3), "content-missing"
    ),
    "a body and its hash": Change(
        _event("body = '{}', body_sha256 = sha256('{}')", 2), "link-broken"
    ),
    "a body, its hash and its link": Change(
        _event("body = '{}', body_sha256 = sha256('{}'), chain = sha256('x')", 2),
        "link-broken",
        by_links=True,
    ),
    "a body by one byte": Change(_event("body = set_byte(body, 9, 33)", 2), "body-altered"),
    "two bodies, swapped": Change(
        "UPDATE agentlog.events AS a SET body = b.body FROM agentlog.events AS b WHERE "
        "a.thread_id = 't' AND b.thread_id = 't' AND a.version + b.version = 7 "
        "AND a.version IN (3, 4)",
        "body-altered",
    ),
    "an empty body": Change(_event("body = ''", 3), "body-altered"),
    # metadata and columns that the link covers
    "metadata": Change(_event('metadata = \'{"actor":"me"}\'', 2), "link-broken"),
    "metadata, taken away": Change(_event("metadata = NULL", 3), "link-broken"),
    "metadata, empty in place of none": Change(_event("metadata = ''", 4), "link-broken"),
    "a hash of metadata that is not redacted": Change(
        _event("metadata = NULL, metadata_sha256 = sha256(metadata)", 3), "link-broken"
    ),
    "what a redaction may leave": Change(_event("left_sha256 = sha256('')", 3), "link-broken"),
    "what a redaction may leave, taken away": Change(
        _event("left_sha256 = NULL", 3), "link-broken"
    ),
    "a type": Change(_event("type = 'reasoning'", 3), "link-broken"),
    "a message id": Change(_event("message_id = '01JD8Z3Q5N7V2M4K6H8G0F1E2D'", 3), "link-broken"),
    "a time, by a microsecond": Change(
        _event("recorded_at = recorded_at - interval '1 microsecond'", 3), "link-broken"
    ),
    "a time that is none": Change(_event("recorded_at = 'infinity'", 3), "link-broken"),
    # cuts and contents that stand apart
    "cuts, taken away": Change(_event("cuts = NULL", 2), "body-altered"),
    "cuts that are none": Change(_event("cuts = 'nonsense'", 2), "content-missing"),
    "empty cuts": Change(_event("cuts = ''", 3), "content-missing"),
    "a cut at another place": Change(
        _event("cuts = int4send(0) || substr(cuts, 5)", 2), "body-altered"
    ),
    "a cut beyond the body": Change(
        _event("cuts = int4send(100000) || substr(cuts, 5)", 2), "content-missing"
    ),
    "a cut that names another content": Change(
        _event(
            "cuts = substr(cuts, 1, 4) || (SELECT substr(cuts, 5, 32) FROM agentlog.events "
            "WHERE thread_id = 'files' AND version = 1)",
            2,
        ),
        "body-altered",
    ),
    "a cut of a text that is said to be a file": Change(
        _event("cuts = set_byte(cuts, 0, get_byte(cuts, 0) | 128)", 2), "body-altered"
    ),
    "a content": Change("UPDATE agentlog.blobs SET content = 'other'", "content-missing"),
    "a content, cut short": Change(
        "UPDATE agentlog.blobs SET content = substr(content, 2)", "content-missing"
    ),
    "a content, with a second piece": Change(
        "INSERT INTO agentlog.blobs SELECT tenant, sha256, 1, 'more' FROM agentlog.blobs",
        "content-missing",
    ),
    "the number of a content's piece": Change(
        "UPDATE agentlog.blobs SET piece = 1", "content-missing"
    ),
    "a content, cut into other pieces": Change(
        "INSERT INTO agentlog.blobs SELECT tenant, sha256, 1, substr(content, 10) "
        "FROM agentlog.blobs; UPDATE agentlog.blobs SET content = substr(content, 1, 9) "
        "WHERE piece = 0",
        "content-missing",
    ),
    "a content under another name": Change(
        "UPDATE agentlog.blobs SET sha256 = sha256('x') WHERE length(content) < 1100",
        "content-missing",
    ),
    "all contents, deleted": Change("DELETE FROM agentlog.blobs", "content-missing"),
    # links, versions, positions
    "a link": Change(_event("chain = sha256('')", 3), "link-broken", by_links=True),
    "an event, deleted": Change(
        "DELETE FROM agentlog.events WHERE thread_id = 't' AND version = 4",
        "version-missing",
        by_links=True,
    ),
    "the last event, deleted": Change(
        "DELETE FROM agentlog.events WHERE thread_id = 'strict' AND version = 3",
        "head-differs",
        by_links=True,
    ),
    "the last event and its head, deleted": Change(
        "WITH gone AS (DELETE FROM agentlog.events WHERE thread_id = 'strict' AND version = 3) "
        "UPDATE agentlog.threads AS head SET version = 2, position = e.position, chain = e.chain "
        "FROM agentlog.events AS e WHERE e.thread_id = 'strict' AND e.version = 2 "
        "AND head.thread_id = 'strict'",
        "position-missing",
        by_links=True,
    ),
    "a whole thread, deleted": Change(
        "WITH e AS (DELETE FROM agentlog.events WHERE thread_id = 'strict'), "
        "h AS (DELETE FROM agentlog.ledger WHERE thread_id = 'strict') "
        "DELETE FROM agentlog.threads WHERE thread_id = 'strict'",
        "position-missing",
        by_links=True,
    ),
    "a whole thread, given to another tenant": Change(
        "WITH e AS (UPDATE agentlog.events SET tenant = 'other' WHERE thread_id = 'strict'), "
        "l AS (UPDATE agentlog.ledger SET tenant = 'other' WHERE thread_id = 'strict') "
        "UPDATE agentlog.threads SET tenant = 'other' WHERE thread_id = 'strict'",
        "tree-differs",
        by_links=True,
    ),
    "two events, in another order": Change(
        "UPDATE agentlog.events SET version = CASE version WHEN 3 THEN 104 ELSE 103 END "
        "WHERE thread_id = 't' AND version IN (3, 4)",
        "link-broken",
    ),
    "an event of another thread": Change(
        "UPDATE agentlog.events SET thread_id = 'strict', version = 4 "
        "WHERE thread_id = 't' AND version = 4",
        "link-broken",
    ),
    "an event, before the first": Change(
        "INSERT INTO agentlog.events SELECT tenant, thread_id, 0, 0, type, 'x', recorded_at, "
        "body, body_sha256, chain, metadata, cuts FROM agentlog.events "
        "WHERE thread_id = 't' AND version = 2",
        "link-broken",
        by_links=True,
    ),
    "an event, after the last": Change(
        "INSERT INTO agentlog.events SELECT tenant, thread_id, 4, 9999, type, 'x', recorded_at, "
        "body, body_sha256, chain, metadata, cuts FROM agentlog.events "
        "WHERE thread_id = 'strict' AND version = 3",
        "link-broken",
        by_links=True,
    ),
    "a whole thread, under the id ''": Change(_under("''", "strict"), "not-appendable"),
    "a whole thread, under an id that no append takes": Change(
        _under("'a thread/\u00e9'", "strict"), "not-appendable"
    ),
    "the last event, below all versions, and its head set back": Change(
        "WITH gone AS (UPDATE agentlog.events SET version = -9223372036854775808 "
        "WHERE thread_id = 'strict' AND version = 3) "
        "UPDATE agentlog.threads AS head SET version = 2, position = e.position, chain = e.chain "
        "FROM agentlog.events AS e WHERE e.thread_id = 'strict' AND e.version = 2 "
        "AND head.thread_id = 'strict'",
        "not-appendable",
    ),
    "an event, below all positions": Change(
        _event("position = -9223372036854775808", 3, "strict"), "position-missing", by_links=True
    ),
    "a position": Change(_event("position = position - 1", 5), "link-broken", by_links=True),
    "the counter, ahead": Change(
        "UPDATE agentlog.counter SET position = position + 5", "position-missing", by_links=True
    ),
    "the counter, back": Change(
        "UPDATE agentlog.counter SET position = position - 1", "position-missing", by_links=True
    ),
    # heads and ledgers
    "the status of a head": Change(_head("status = 'closed'"), "head-differs"),
    "the goal of a head": Change(_head("goal = 'another'"), "head-differs"),
    "the facts of a head": Change(_head('facts = \'{"goal":"x"}\''), "head-differs"),
    "facts of a head, 1 in place of true": Change(
        _head("facts = replace(convert_from(facts, 'UTF8'), ':true', ':1')::bytea"), "head-differs"
    ),
    "facts of a head, with a key twice": Change(
        _head(
            "facts = replace(convert_from(facts, 'UTF8'), '\"team\"', '\"team\":1,\"team\"')::bytea"
        ),
        "head-differs",
    ),
    "facts of a head that are no JSON": Change(_head("facts = 'x'"), "head-differs"),
    "whether a head is hidden": Change(_head("hidden = true"), "head-differs"),
    "the policy of a head": Change(_head("policy = 'strict'"), "head-differs"),
    "the count of anomalies of a head": Change(_head("anomalies = anomalies + 1"), "head-differs"),
    "the parent of a head": Change(_head("parent = 'strict'"), "head-differs"),
    "when a thread began": Change(
        _head("started_at = started_at - interval '1 day'"), "head-differs"
    ),
    "when a thread last moved": Change(
        _head("updated_at = updated_at + interval '1 day'"), "head-differs"
    ),
    "the version of a head": Change(_head("version = version - 1"), "head-differs"),
    "the link of a head": Change(_head("chain = sha256('')"), "head-differs"),
    "a head, deleted": Change("DELETE FROM agentlog.threads WHERE thread_id = 't'", "head-missing"),
    "an open call that is said to be answered": Change(
        "UPDATE agentlog.ledger SET answered = 3 WHERE thread_id = 'strict'", "ledger-differs"
    ),
    "a call that is said to be open": Change(
        "INSERT INTO agentlog.ledger VALUES ('tests', 'strict', 'call', sha256('b'), 1, NULL)",
        "ledger-differs",
    ),
    "what a thread asked for, deleted": Change(
        "DELETE FROM agentlog.ledger WHERE thread_id = 'strict'", "ledger-differs"
    ),
    "what a thread asked for that is not there": Change(
        "INSERT INTO agentlog.ledger VALUES ('tests', 'ghost', 'call', sha256('b'), 1, NULL)",
        "ledger-differs",
    ),
    "a head of a thread that is not there": Change(
        "INSERT INTO agentlog.threads SELECT tenant, 'ghost', version, position, chain, policy, "
        "status, anomalies, parent, goal, facts, started_at, updated_at FROM agentlog.threads "
        "WHERE thread_id = 'strict'",
        "head-differs",
    ),
    "a head of a tenant that has no events": Change(
        "INSERT INTO agentlog.threads SELECT 'ghost', thread_id, version, position, chain, policy, "
        "status, anomalies, parent, goal, facts, started_at, updated_at FROM agentlog.threads "
        "WHERE thread_id = 'strict'",
        "rows-unaccounted",
        by_links=True,
    ),
    "what a thread asked for, given to no tenant": Change(
        "UPDATE agentlog.ledger SET tenant = '' WHERE thread_id = 'strict'",
        "not-appendable",
        by_links=True,
    ),
    # redactions
    "a mark of redaction without a redaction": Change(
        _event(
            "redacted = 9, metadata_sha256 = sha256(coalesce(metadata, '')), metadata = NULL, "
            "body = '{}', cuts = NULL",
            3,
        ),
        "redaction-unfounded",
    ),
    "figures of a redacted message": Change(_FORGED_FIGURES, "body-altered"),
    "a text in place of a redacted one": Change(
        _event(
            "body = replace(convert_from(body, 'UTF8'), '[redacted]', 'all well')::bytea",
            2,
            "redacted",
        ),
        "body-altered",
    ),
    "metadata of a redacted message": Change(
        _event('metadata = \'{"responseId":"other"}\'', 2, "redacted"), "body-altered"
    ),
    "the rest of a message whose file was redacted": Change(
        _event("body = replace(convert_from(body, 'UTF8'), 'both', 'none')::bytea", 1, "files"),
        "body-altered",
    ),
    "a skeleton, in a thread that was redacted as a whole": Change(
        _event("body = replace(convert_from(body, 'UTF8'), 'gone', 'else')::bytea", 2, "gone"),
        "body-altered",
    ),
    "a skeleton, and that its redaction was carried out": Change(
        "WITH marks AS (UPDATE agentlog.erasures SET number = NULL, done_at = NULL RETURNING 1) "
        "UPDATE agentlog.events SET body = "
        "replace(convert_from(body, 'UTF8'), 'gone', 'else')::bytea "
        "WHERE thread_id = 'gone' AND version = 2 AND EXISTS (SELECT FROM marks)",
        "body-altered",
    ),
    "figures of a redacted message and its digest in its redaction, cut": Change(
        "WITH fact AS (SELECT tenant, version, convert_from(body, 'UTF8') AS body "  # noqa: S608 - as above
        "FROM agentlog.events WHERE thread_id = 'redacted' AND type = 'thread.redacted'), "
        "piece AS (SELECT *, substring(body FROM ',\"left\":\\[[^]]*\\]') AS text FROM fact), "
        "kept AS (INSERT INTO agentlog.blobs SELECT tenant, sha256(text::bytea), 0, text::bytea "
        "FROM piece), forged AS (" + _FORGED_FIGURES + ") "
        "UPDATE agentlog.events AS fact SET body = replace(piece.body, text, '')::bytea, "
        "cuts = int4send(strpos(piece.body, text) - 1) || sha256(text::bytea) "
        "FROM piece WHERE thread_id = 'redacted' AND fact.version = piece.version",
        "redaction-unfounded",
    ),
    "a redacted content, put back": Change(_PUT_BACK, "redaction-undone"),
    "a redacted content, put back, and some of its redaction kept apart": Change(
        f"WITH back AS ({_PUT_BACK}), "  # noqa: S608 - as above
        "fact AS (SELECT tenant, version, convert_from(body, 'UTF8') AS body "
        "FROM agentlog.events WHERE thread_id = 'redacted' AND type = 'thread.redacted'), "
        'piece AS (SELECT *, substring(body FROM \'"reason":"[^"]*"\') AS text FROM fact), '
        "kept AS (INSERT INTO agentlog.blobs SELECT tenant, sha256(text::bytea), 0, text::bytea "
        "FROM piece) "
        "UPDATE agentlog.events AS fact SET body = replace(piece.body, text, '')::bytea, "
        "cuts = int4send(strpos(piece.body, text) - 1) || sha256(text::bytea) "
        "FROM piece WHERE thread_id = 'redacted' AND fact.version = piece.version",
        "body-altered",
    ),
    "a redacted content, put back, and its redaction unfinished": Change(
        f"WITH back AS ({_PUT_BACK}) "  # noqa: S608 - as above
        "UPDATE agentlog.erasures SET number = NULL, done_at = NULL WHERE thread_id = 'redacted'",
        "redaction-unfinished",
    ),
    "a redacted content, put back, and its redaction below all versions": Change(
        f"WITH back AS ({_PUT_BACK}), "  # noqa: S608 - as above
        "done AS (DELETE FROM agentlog.erasures WHERE thread_id = 'redacted') "
        "UPDATE agentlog.events SET version = -9223372036854775808 "
        "WHERE thread_id = 'redacted' AND type = 'thread.redacted'",
        "not-appendable",
    ),
    "that a redaction was carried out, deleted": Change(
        "DELETE FROM agentlog.erasures WHERE thread_id = 'redacted'", "erasure-differs"
    ),
    "that a redaction was carried out that is not there": Change(
        "UPDATE agentlog.erasures SET thread_id = 'ghost' WHERE thread_id = 'gone'",
        "erasure-differs",
    ),
    # the tree and its checkpoints
    "a tile": Change("UPDATE agentlog.tiles SET root = sha256('')", "tile-differs", by_links=True),
    "where a tile ends": Change(
        "UPDATE agentlog.tiles SET last_position = last_position - 1", "tile-differs", by_links=True
    ),
    "a tile of events that are not there": Change(
        "INSERT INTO agentlog.tiles VALUES ('tests', 99, sha256(''), 5)",
        "tile-differs",
        by_links=True,
    ),
    "the root of a checkpoint": Change(
        "UPDATE agentlog.checkpoints SET root = sha256('')", "tree-differs", by_links=True
    ),
    "the note of a checkpoint": Change(
        "UPDATE agentlog.checkpoints SET note = replace(note, 'tests', 'others')",
        "signature-invalid",
        by_links=True,
    ),
    "the position of a checkpoint": Change(
        "UPDATE agentlog.checkpoints SET position = 5", "checkpoint-differs", by_links=True
    ),
    "the key of a checkpoint": Change(
        "UPDATE agentlog.checkpoints SET public_key = sha256('')", "other-key", "what you hold"
    ),
    "the log told anew as a whole, and its checkpoints deleted": Change(
        "WITH c AS (DELETE FROM agentlog.checkpoints), d AS (DELETE FROM agentlog.tiles) "
        "UPDATE agentlog.events SET chain = sha256(chain)",
        "tree-differs",
        "what you hold",
    ),
    # what is derived
    "a snapshot's carry": Change(
        "UPDATE agentlog.snapshots SET carry = 'forged' WHERE carry IS NOT NULL",
        "derived-differs",
        "no reader",
    ),
    "a snapshot's items": Change(
        "UPDATE agentlog.snapshots AS a SET items = b.items FROM agentlog.snapshots AS b "
        "WHERE a.view = b.view AND a.options = b.options AND a.thread_id = b.thread_id "
        "AND a.version = 10 AND b.version = 5",
        "derived-differs",
        "no reader",
    ),
    "a snapshot's lists": Change(
        "UPDATE agentlog.snapshots SET grown = substr(grown, 1, 33) WHERE grown IS NOT NULL",
        "derived-differs",
        "no reader",
    ),
    "a snapshot of another thread": Change(
        "UPDATE agentlog.snapshots AS a SET items = b.items, carry = b.carry, grown = b.grown "
        "FROM agentlog.snapshots AS b WHERE a.view = b.view AND a.options = b.options "
        "AND a.version = b.version AND a.thread_id = 't' AND b.thread_id = 'many'",
        "derived-differs",
        "no reader",
    ),
    "a row of a read model": Change(
        "UPDATE agentlog_readmodels.threads_1 SET goal = 'another'",
        "derived-differs",
        "verify --derived",
    ),
    "a time of a row of a read model, which is none": Change(
        "UPDATE agentlog_readmodels.threads_1 SET recorded_at = 'infinity'",
        "derived-differs",
        "verify --derived",
    ),
    "a row of a read model, deleted": Change(
        "DELETE FROM agentlog_readmodels.tool_calls_1", "derived-differs", "verify --derived"
    ),
    "the words of a message": Change(
        "UPDATE agentlog_readmodels.message_words_1 SET words = strip('another')",
        "derived-differs",
        "verify --derived",
    ),
    "what a thread is found by": Change(
        "UPDATE agentlog.thread_search SET content = 'another' WHERE thread_id = 't'",
        "derived-differs",
        "verify --derived",
    ),
    "a thread that no search finds": Change(
        "DELETE FROM agentlog.thread_search", "derived-differs", "verify --derived"
    ),
}


@pytest.fixture
def log(server_url: str, filled: tuple[str, Checkpoint], signing: SigningKey) -> Iterator[Log]:
    """A copy of the log for one change."""
    name, held = filled
    with (
        new_database(server_url, template=name) as url,
        Database(url, pool_size=2) as database,
    ):
        yield Log.on(database, signing, held)


def test_of_a_log_that_nobody_changed_nothing_is_found(log: Log) -> None:
    assert log.findings(by="verify --derived") == set()
    assert log.findings(by="what you hold") == set()
    kept = fetch(log.database, "SELECT count(*) FROM agentlog.snapshots")
    assert kept > [(20,)]


@pytest.mark.drawn(25)
@pytest.mark.parametrize("change", CHANGES.values(), ids=list(CHANGES))
def test_a_change_is_found_or_comes_to_nothing(log: Log, change: Change) -> None:
    right = log.shown() if change.by == "no reader" else None
    log.views.recent.discard((TENANT, "t"))
    Owner(log.database).do(change.sql)
    assert change.what in log.findings(by=change.by)
    if change.by == "verify":
        assert bool(log.findings(by="verify", since=log.held)) == change.by_links
        beginning = Checkpoint("", 0, sha256().digest())
        assert log.findings(by="verify", since=beginning) == log.findings(by="verify")
    if change.by in {"verify --derived", "what you hold"}:
        assert log.findings(by="verify") <= {
            "signature-invalid",
            "link-broken",
            "head-differs",
            "fork-differs",
        }
    if right is not None:
        assert log.findings(by="verify") == set()
        assert Log.on(log.database, SigningKey(None)).shown() == right


def test_the_tables_of_the_docs_are_what_was_tried() -> None:
    text = DOCS.read_text(encoding="utf-8")
    for by in get_args(By):
        rows = [
            f"| {name} | `{change.what}` |"
            + (f" {_YES[change.by_links]} |" if by == "verify" else "")
            for name, change in CHANGES.items()
            if change.by == by
        ]
        assert "--|\n" + "\n".join(rows) + "\n\n" in text
    assert len(CHANGES) >= 60
