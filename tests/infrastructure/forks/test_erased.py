"""What is erased in a thread is erased in its forks."""

from base64 import b64decode
from hashlib import sha256

import pytest

from agentlog.domain.points_in_time import AtVersion
from agentlog.infrastructure.appending.writer import Writer
from agentlog.infrastructure.audit.auditor import Auditor
from agentlog.infrastructure.erasure.eraser import Eraser
from agentlog.infrastructure.erasure.redactor import Redactor
from agentlog.infrastructure.eventlog.reader import LogReader
from agentlog.infrastructure.forks.edits import Edit
from agentlog.infrastructure.forks.forker import Forker
from tests.infrastructure.appends import calls, given, reply, request, results

FILE = {"data": "QUJD" * 400, "mimeType": "image/png"}
HISTORY = [
    {"type": "input", "text": "look", "files": [FILE], "id": given(1)},
    calls("a"),
    results("a"),
    reply("secret", id=given(2)),
    reply("open"),
]


@pytest.fixture(autouse=True)
def origin(writer: Writer) -> None:
    """A thread with a file and a secret."""
    writer.append(request("t", *HISTORY))


def whole(auditor: Auditor, *threads: str) -> bool:
    return all(auditor.thread(thread_id).verdict == "whole" for thread_id in threads)


def test_a_fork_of_what_was_erased_redacts_it_too(
    forker: Forker, redactor: Redactor, reader: LogReader, auditor: Auditor
) -> None:
    redactor.redact("t", [given(2)], "asked to")
    forker.fork("t", AtVersion(5), as_thread="f")
    forker.fork("t", AtVersion(2), as_thread="g")
    *_, secret, _open, fact = reader.events("f")
    assert b"secret" not in secret.body
    assert (fact.type, secret.redacted) == ("thread.redacted", fact.version)
    assert len(reader.events("g")) == 3
    assert whole(auditor, "t", "f", "g")


def test_so_of_a_thread_that_was_erased_whole_and_of_a_file(
    forker: Forker, redactor: Redactor, reader: LogReader, auditor: Auditor
) -> None:
    redactor.redact_file(sha256(b64decode(FILE["data"])).hexdigest(), "a face")
    forker.fork("t", as_thread="f")
    assert b"look" in reader.events("f")[1].body
    redactor.redact("t", None, "all of it")
    forker.fork("t", as_thread="g")
    bodies = b"".join(event.body for event in reader.events("g"))
    assert b"look" not in bodies
    assert b"open" not in bodies
    assert whole(auditor, "t", "g")


def test_an_erasure_follows_into_forks_and_their_forks(
    forker: Forker, redactor: Redactor, reader: LogReader, writer: Writer, auditor: Auditor
) -> None:
    forker.fork("t", AtVersion(4), as_thread="f")
    writer.append(request("f", reply("of its own")))
    forker.fork("f", as_thread="g")
    forker.fork("t", AtVersion(3), as_thread="before")
    redactor.redact("t", [given(2)], "asked to")
    for thread_id in ("t", "f", "g"):
        assert b"secret" not in b"".join(event.body for event in reader.events(thread_id))
    assert b"of its own" in reader.events("g")[5].body
    assert len(reader.events("before")) == 4
    assert whole(auditor, "t", "f", "g", "before")


def test_the_erasure_of_a_whole_thread_leaves_what_forks_added(
    forker: Forker, redactor: Redactor, reader: LogReader, writer: Writer, auditor: Auditor
) -> None:
    forker.fork("t", AtVersion(4), as_thread="f", edits=[Edit("replace", 3, results("a"))])
    writer.append(request("f", reply("of its own")))
    redactor.redact("t", None, "asked to")
    bodies = b"".join(event.body for event in reader.events("f"))
    assert b"secret" not in bodies
    assert b"look" not in bodies
    assert b"of its own" in bodies
    redactor.redact("f", None, "this too")
    assert b"of its own" not in b"".join(event.body for event in reader.events("f"))
    assert whole(auditor, "t", "f")


class Interrupted(Exception):
    """The process ends."""


def test_an_erasure_that_broke_off_follows_when_it_is_finished(  # noqa: PLR0913, PLR0917
    forker: Forker,
    redactor: Redactor,
    eraser: Eraser,
    reader: LogReader,
    auditor: Auditor,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    forker.fork("t", AtVersion(4), as_thread="f")

    def interrupt(*_: object) -> None:
        raise Interrupted

    monkeypatch.setattr(Eraser, "_follow", interrupt)
    with pytest.raises(Interrupted):
        redactor.redact("t", [given(2)], "asked to")
    monkeypatch.undo()
    assert b"secret" in reader.events("f")[4].body
    assert auditor.thread("t").verdict == "not finished"
    eraser.finish_all()
    assert b"secret" not in reader.events("f")[4].body
    assert whole(auditor, "t", "f")


def test_a_fork_of_what_is_to_be_erased_waits_for_that(
    forker: Forker, reader: LogReader, writer: Writer
) -> None:
    fact = {"type": "thread.redacted", "messages": [given(2)], "reason": "why", "left": ["0" * 64]}
    writer.append(request("t", facts=[fact]))
    forker.fork("t", AtVersion(4), as_thread="f")
    assert b"secret" not in reader.events("f")[4].body
