"""Blobs: what is cut out of a body comes back to the byte, and stands once."""

import io
import json
from base64 import b64encode
from hashlib import sha256
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agentlog.domain.drafts import Prepared, prepare
from agentlog.domain.errors import InvalidMessage
from agentlog.domain.json.text import print_bytes
from agentlog.infrastructure.appending.writer import Writer
from agentlog.infrastructure.eventlog.blob_store import PIECE, Blobs, UnknownBlob
from agentlog.infrastructure.eventlog.body_deduplication import SHORTEST, stored, whole
from agentlog.infrastructure.eventlog.reader import LogReader
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.threads import Threads
from tests.histories import examples
from tests.infrastructure.appends import (
    TENANT,
    Clock,
    Ids,
    calls,
    check_log,
    empty_log,
    fetch,
    reply,
    request,
    results,
    ulid,
)
from tests.infrastructure.inserting_recorder import PostgresRecorder

PROMPT = 'You are an agent. Ask before you act.\n\x00\u00e9\U0001f99c\\"' * 30


def _prepared(**fields: Any) -> Prepared:
    return prepare(fields, message_id=ulid(1), timestamp=5)


def _restored(prepared: Prepared) -> bytes:
    kept = stored(prepared)
    return kept.body if kept.cuts is None else whole(kept.body, kept.cuts, dict(kept.blobs)).body


_LONG = st.sampled_from(["x" * 600, "é" * 700, "\x00" * 200, PROMPT, "short", "x" * 511])
_VALUES = st.recursive(
    st.none() | st.integers() | _LONG,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_LONG, inner, max_size=3),
    max_leaves=12,
)


@given(st.lists(_VALUES, min_size=1, max_size=4))
def test_whatever_a_tool_gave_comes_back_to_the_byte(outputs: list[Any]) -> None:
    answers = [{"output": output, "callId": str(n)} for n, output in enumerate(outputs)]
    prepared = _prepared(type="tool_results", results=answers)
    assert _restored(prepared) == prepared.body


@given(st.lists(st.binary(max_size=2000) | st.just(b"a" * 3000), min_size=1, max_size=4), st.data())
def test_files_come_back_to_the_byte(contents: list[bytes], data: st.DataObject) -> None:
    odd = ["", "\r\n", "=" * 2]
    files = [
        {"data": b64encode(content).decode() + data.draw(st.sampled_from(odd))}
        for content in contents
    ]
    try:
        prepared = _prepared(type="input", files=files)
    except InvalidMessage:  # three equals signs at the end
        return
    assert _restored(prepared) == prepared.body
    canonical = {
        content
        for content, file in zip(contents, files, strict=True)
        if file["data"] == b64encode(content).decode() and len(file["data"]) >= SHORTEST
    }
    assert canonical <= {content for _, content in stored(prepared).blobs}


def test_what_is_long_is_cut_out_of_prompts_results_and_files_and_nowhere_else() -> None:
    long = "x" * SHORTEST
    for fields in (
        {"type": "system", "text": long},
        {"type": "tool_results", "results": [{"output": {"page": [long]}}]},
        {"type": "input", "files": [{"data": "AAAA" * (SHORTEST // 4)}]},
    ):
        assert len(stored(_prepared(**fields)).body) < 200
    for fields in ({"type": "reply", "text": long}, {"type": "input", "text": long}):
        assert stored(_prepared(**fields)).cuts is None
    assert stored(_prepared(type="system", text=long[1:])).cuts is None


def test_a_body_of_many_long_texts_is_searched_but_once() -> None:
    """30,000 texts in 16 MB: a search from the start for each would take minutes."""
    output = [f"{number:06d}" + "x" * 520 for number in range(30_000)]
    prepared = _prepared(type="tool_results", results=[{"output": output}])
    kept = stored(prepared)
    assert len(kept.blobs) == 30_000
    assert _restored(prepared) == prepared.body


def test_a_prompt_of_many_threads_stands_once(
    writer: Writer, reader: LogReader, recorder: PostgresRecorder, database: Database
) -> None:
    for number in range(5):
        writer.append(request(f"t{number}", {"type": "system", "text": PROMPT}))
        writer.append(request(f"t{number}", calls("a")))
        writer.append(request(f"t{number}", results("a"), reply("done")))
    assert fetch(database, "SELECT count(*) FROM agentlog.blobs") == [(1,)]
    assert all(event.message.text == PROMPT for event in reader.log(types=["system"]))
    assert [json.loads(event.state)["text"] for event in recorder.select_events("t3", lte=1)] == [
        PROMPT
    ]
    first = recorder.select_notifications(1, 1)[0]
    assert json.loads(first.state)["text"] == PROMPT
    check_log(database)


def test_a_retry_of_what_was_cut_is_recognised(writer: Writer, database: Database) -> None:
    draft = {"type": "system", "text": PROMPT, "id": ulid(7)}
    assert not writer.append(request("t", draft)).messages[0].replayed
    other_order = {"text": PROMPT, "id": ulid(7), "type": "system"}
    assert writer.append(request("t", other_order)).messages[0].replayed
    check_log(database)


@settings(examples(10), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(_VALUES, min_size=1, max_size=3))
def test_sql_puts_a_body_together_too(database: Database, outputs: list[Any]) -> None:
    empty_log(database)
    writer = Writer(database, clock=Clock(), new_id=Ids())
    answers = [{"output": output, "callId": str(n)} for n, output in enumerate(outputs)]
    writer.append(request("t", facts=[{"type": "thread.started", "policy": "record"}]))
    writer.append(request("t", {"type": "tool_results", "results": answers}))
    rows = fetch(
        database,
        "SELECT body_sha256 = sha256(agentlog.body_of(tenant, body, cuts)) FROM agentlog.events",
    )
    assert set(rows) == {(True,)}


def test_what_is_missing_says_so_in_its_place(threads: Threads, database: Database) -> None:
    threads.append("t", [{"type": "system", "text": PROMPT}])
    fetch(database, "DELETE FROM agentlog.blobs RETURNING 1")
    (event,) = threads.messages("t")
    digest = sha256(print_bytes(PROMPT)[1:-1]).hexdigest()
    assert event.missing == (digest,)
    assert event.raw == {
        "id": event.message_id,
        "timestamp": event.raw["timestamp"],
        "type": "system",
        "text": f"[content missing: sha256 {digest}]",
    }
    whole = fetch(database, "SELECT agentlog.body_of(tenant, body, cuts) FROM agentlog.events")
    assert whole == [(event.body,)]


@pytest.mark.parametrize("size", [0, 1, PIECE, PIECE + 1, 3 * PIECE])
def test_a_blob_goes_in_and_out_in_pieces(blobs: Blobs, size: int) -> None:
    content = bytes(range(256)) * (size // 256) + b"x" * (size % 256)
    digest = sha256(content).hexdigest()
    with pytest.raises(UnknownBlob):
        blobs.size(digest)
    assert blobs.write(digest, io.BytesIO(content))
    assert not blobs.write(digest, io.BytesIO(content))
    assert blobs.size(digest) == size
    assert b"".join(blobs.read(digest)) == content
    assert blobs.known([digest, "0" * 64]) == {digest}


def test_a_file_by_its_digest_is_the_same_message_as_with_its_data(
    threads: Threads, blobs: Blobs, database: Database
) -> None:
    content = b"%PDF" * 500_000
    digest = sha256(content).hexdigest()
    blobs.write(digest, io.BytesIO(content))
    by_digest = {"type": "input", "files": [{"sha256": digest, "filename": "a.pdf"}], "id": ulid(9)}
    with_data = {
        "type": "input",
        "id": ulid(9),
        "files": [{"data": b64encode(content).decode(), "filename": "a.pdf"}],
    }
    threads.append("t", [by_digest])
    assert threads.append("t", [with_data]).messages[0].replayed
    assert fetch(database, "SELECT length(body) < 200 FROM agentlog.events") == [(True,)]
    check_log(database)


@pytest.mark.parametrize("digest", ["0" * 64, "no digest", "A" * 64, 5, None])
def test_a_file_that_is_not_there_is_refused_by_name(threads: Threads, digest: object) -> None:
    good = {"data": "QQ=="}
    draft = {"type": "input", "files": [good, {"sha256": digest}]}
    with pytest.raises(InvalidMessage, match=r"messages\[1\].files\[1\].sha256: there is no such"):
        threads.append("t", [reply("one"), draft])


def test_files_that_are_named_come_to_a_limit_however_often_one_is(
    reader: LogReader, writer: Writer, database: Database
) -> None:
    """A body of kilobytes would else ask for gigabytes."""
    blobs = Blobs(database, tenant=TENANT, most_bytes=3000)
    threads = Threads(reader=reader, writer=writer, blobs=blobs, tenant=TENANT)
    content = b"x" * 1000
    digest = sha256(content).hexdigest()
    blobs.write(digest, io.BytesIO(content))
    draft = {"type": "input", "files": [{"sha256": digest}]}
    assert threads.append("t", [draft] * 3).version == 3
    with pytest.raises(InvalidMessage, match=r"^messages\[3\].files\[0\].sha256: the files named"):
        threads.append("t", [draft] * 4)
    with pytest.raises(InvalidMessage, match=r"files\[3\].sha256: .* than 3000 bytes"):
        threads.append("t", [{"type": "input", "files": [{"sha256": digest}] * 10_000}])
    assert threads.head("t").version == 3
