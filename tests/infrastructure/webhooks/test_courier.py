"""Deliveries are posted at least once, in order within a thread, and no address delays another."""

import json
import logging
import threading
from collections import defaultdict
from http.server import BaseHTTPRequestHandler

import pytest

from agentlog.domain.integrity.chain_audit import Finding
from agentlog.infrastructure.subscriptions.conditions import note_audit
from agentlog.infrastructure.webhooks.payload import MOST_CONTENT_BYTES
from tests.infrastructure.appends import reply
from tests.infrastructure.webhooks.conftest import PUBLIC, SECRET, Posting
from tests.infrastructure.webhooks.receiver import Posted, Receiver
from tests.waiting import until

WAIT = 60


def test_what_is_posted_is_signed_and_names_the_event(posting: Posting) -> None:
    with Receiver() as receiver, posting.courier():
        posting.subscribe(receiver, filter="type:reply")
        posting.tenant.threads.append("t", [reply("a secret", metadata={"actor": "ann"})])
        until(lambda: receiver.posted, seconds=WAIT)
        (posted,) = receiver.posted
    posted.verify(SECRET.reveal())
    (event,) = posting.tenant.threads.log()
    assert event.recorded_at is not None
    assert posted.body == {
        "type": "reply",
        "timestamp": event.recorded_at.isoformat().replace("+00:00", "Z"),
        "data": {
            "subscription": "s",
            "threadId": "t",
            "version": 1,
            "position": 1,
            "messageId": event.message_id,
        },
    }
    assert posted.path == "/hook"
    assert posted.headers["content-type"] == "application/json"
    assert "." not in posted.id


def test_the_message_itself_is_posted_where_that_is_asked_for(posting: Posting) -> None:
    threads = posting.tenant.threads
    large = reply("x" * MOST_CONTENT_BYTES)
    threads.append("t", [reply("hello", metadata={"actor": "ann"}), reply("erased"), large])
    message = threads.messages("t")[1].message_id
    posting.tenant.redactor.redact("t", [message], "asked")
    with Receiver() as receiver, posting.courier():
        posting.subscribe(receiver, content=True, filter="type:reply")
        until(lambda: len(receiver.posted) == 3, seconds=WAIT)
    data = {posted.position: posted.body["data"] for posted in receiver.posted}
    assert data[1]["message"]["text"] == "hello"
    assert data[1]["metadata"] == {"actor": "ann"}
    assert data[2]["redacted"] == 4
    assert "message" not in data[2]
    assert "message" not in data[3]
    assert all(b"erased" not in posted.content for posted in receiver.posted)


def test_an_audit_that_broke_is_posted(posting: Posting) -> None:
    with Receiver() as receiver, posting.courier():
        posting.subscribe(receiver, filter="type:audit_broken")
        finding = Finding("body-altered", "it is not what was signed", "t", 7)
        note_audit(posting.database, [finding], tenant=posting.tenant.name)
        until(lambda: receiver.posted, seconds=WAIT)
    (posted,) = receiver.posted
    posted.verify(SECRET.reveal())
    assert posted.body["type"] == "audit_broken"
    assert posted.body["timestamp"].endswith("Z")
    assert posted.body["data"] == {
        "subscription": "s",
        "position": 0,
        "count": 1,
        "findings": [
            {
                "what": "body-altered",
                "detail": "it is not what was signed",
                "threadId": "t",
                "version": 7,
            }
        ],
    }


def test_many_events_come_once_and_in_the_order_of_their_threads(posting: Posting) -> None:
    with Receiver() as receiver, posting.courier():
        posting.subscribe(receiver)
        for number in range(20):
            posting.tenant.threads.append(f"t{number % 8}", [reply("on")] * 10)
        until(lambda: posting.state().lag == posting.state().pending == 0, seconds=WAIT)
    by_thread: defaultdict[str, list[int]] = defaultdict(list)
    for posted in receiver.posted:
        posted.verify(SECRET.reveal())
        by_thread[posted.body["data"]["threadId"]].append(posted.position)
    assert sorted(receiver.positions) == list(range(1, 201))
    assert all(positions == sorted(positions) for positions in by_thread.values())


def test_what_fails_is_posted_again_by_the_same_id_before_what_follows(posting: Posting) -> None:
    def respond(posted: Posted, _: BaseHTTPRequestHandler) -> int:
        return 500 if posted.position == 1 and receiver.positions.count(1) < 3 else 200

    with Receiver(respond) as receiver, posting.courier():
        posting.subscribe(receiver)
        posting.tenant.threads.append("t", [reply("one"), reply("two")])
        posting.tenant.threads.append("u", [reply("three")])
        until(lambda: posting.attempts == {1: 1, 2: 0}, seconds=WAIT)
        posting.make_due()
        until(lambda: posting.attempts == {1: 2, 2: 0}, seconds=WAIT)
        posting.make_due()
        until(lambda: 2 in receiver.positions, seconds=WAIT)
        until(lambda: posting.state().pending == 0, seconds=WAIT)
    assert receiver.positions.index(3) < receiver.positions.index(2)
    assert [position for position in receiver.positions if position != 3] == [1, 1, 1, 2]
    assert len({posted.id for posted in receiver.posted if posted.position == 1}) == 1
    assert posting.state().failing_since is None


def test_what_fails_too_often_is_parked(posting: Posting) -> None:
    with Receiver(lambda _posted, _handler: 500) as receiver, posting.courier():
        posting.subscribe(receiver, maxAttempts=1)
        posting.tenant.threads.append("t", [reply("one"), reply("two")])
        until(lambda: posting.state().parked == 2, seconds=WAIT)
    parked = posting.tenant.queue.parked("s")
    assert [(item.position, item.error) for item in parked] == [
        (1, "it answered 500"),
        (2, "it answered 500"),
    ]


def test_an_address_that_is_gone_is_posted_to_no_more(
    posting: Posting, caplog: pytest.LogCaptureFixture
) -> None:
    with Receiver(lambda _posted, _handler: 410) as receiver, posting.courier():
        posting.subscribe(receiver)
        posting.tenant.threads.append("t", [reply("one"), reply("two")])
        until(lambda: posting.state().paused_at, seconds=WAIT)
        assert "410" in (posting.state().paused_why or "")
        assert receiver.positions == [1]
        receiver.respond = lambda _posted, _handler: 200
        posting.tenant.subscriptions.resume("s")
        posting.make_due()
        until(lambda: receiver.positions == [1, 1, 2], seconds=WAIT)
    warned = [record for record in caplog.records if record.levelno == logging.WARNING]
    assert any("'s'" in record.getMessage() and "410" in record.getMessage() for record in warned)


def test_an_address_without_success_for_days_is_paused(posting: Posting) -> None:
    with Receiver(lambda _posted, _handler: 503) as receiver, posting.courier():
        posting.subscribe(receiver)
        posting.tenant.threads.append("t", [reply("one")])
        until(lambda: posting.state().failing_since, seconds=WAIT)
        assert posting.state().paused_at is None
        with posting.database.connection() as connection:
            connection.execute(
                "UPDATE agentlog.subscriptions SET failing_since = now() - interval '4 days'"
            )
        posting.make_due()
        until(lambda: posting.state().paused_at, seconds=WAIT)
    assert (posting.state().pending, posting.state().parked) == (1, 0)


def test_an_address_that_hangs_or_is_dead_delays_no_other(posting: Posting) -> None:
    ending = threading.Event()

    def hang(_posted: Posted, _handler: BaseHTTPRequestHandler) -> int:
        ending.wait(WAIT)
        return 200

    with Receiver(hang) as slow, Receiver() as quick:
        posting.subscribe(slow, "slow")
        posting.subscribe("http://127.0.0.1:9/", "dead")
        posting.subscribe(quick, "quick")
        for number in range(100):
            posting.tenant.threads.append(f"t{number}", [reply("on")])
        with posting.courier(seconds=30):
            until(lambda: slow.posted and len(quick.posted) == 100, seconds=25)
            ending.set()
            until(lambda: posting.state("slow").pending == 0, seconds=WAIT)
    assert posting.state("dead").pending == 100
    assert posting.state("dead").failing_since is not None


def test_a_request_that_takes_too_long_is_tried_again(posting: Posting) -> None:
    def trickle(_posted: Posted, handler: BaseHTTPRequestHandler) -> int | None:
        if len(receiver.posted) > 1:
            return 200
        for _ in range(100):  # a byte now and then, which no timeout between bytes ends
            try:
                handler.wfile.write(b"HTTP/1.1 200 OK\r\n"[:1])
                handler.wfile.flush()
            except OSError:
                return None
            if ended.wait(0.05):
                return None
        return None

    ended = threading.Event()
    with Receiver(trickle) as receiver, posting.courier(seconds=0.3):
        posting.subscribe(receiver)
        posting.tenant.threads.append("t", [reply("one")])
        until(lambda: posting.state().failing_since, seconds=WAIT)
        ended.set()
        posting.make_due()
        until(lambda: posting.state().pending == 0, seconds=WAIT)
    assert receiver.positions == [1, 1]


def test_a_redirect_is_not_followed_and_an_endless_body_not_read(posting: Posting) -> None:
    def respond(posted: Posted, handler: BaseHTTPRequestHandler) -> None:
        if posted.position == 1:
            handler.send_response(307)
            handler.send_header("location", elsewhere.url)
            handler.end_headers()
            return
        handler.send_response(200)
        handler.end_headers()
        try:
            while True:
                handler.wfile.write(b"x" * 2**16)
        except OSError:
            endless.set()

    endless = threading.Event()
    with Receiver() as elsewhere, Receiver(respond) as receiver, posting.courier():
        posting.subscribe(receiver, maxAttempts=1)
        posting.tenant.threads.append("t", [reply("one"), reply("two")])
        until(lambda: posting.state().parked == 1 and posting.state().pending == 0, seconds=WAIT)
        assert endless.wait(WAIT)
    assert elsewhere.posted == []
    (parked,) = posting.tenant.queue.parked("s")
    assert parked.error == "it answered 307"


def test_an_address_that_became_private_is_not_reached(posting: Posting) -> None:
    """It is looked up at each attempt, whatever it was when the subscription was made."""
    with Receiver() as receiver, posting.courier(addresses=PUBLIC):
        posting.subscribe(receiver, maxAttempts=1)
        posting.tenant.threads.append("t", [reply("one")])
        until(lambda: posting.state().parked == 1, seconds=WAIT)
    assert receiver.posted == []
    (parked,) = posting.tenant.queue.parked("s")
    assert "AGENTLOG_WEBHOOK_NETWORKS" in (parked.error or "")


def test_what_an_address_asks_to_wait_is_waited(posting: Posting) -> None:
    def respond(_posted: Posted, handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(429)
        handler.send_header("retry-after", "7200")
        handler.send_header("content-length", "0")
        handler.end_headers()

    with Receiver(respond) as receiver, posting.courier():
        posting.subscribe(receiver)
        posting.tenant.threads.append("t", [reply("one")])
        until(lambda: posting.state().failing_since, seconds=WAIT)
        with posting.database.connection() as connection:
            row = connection.execute(
                "SELECT due_at > now() + interval '1 hour' FROM agentlog.deliveries"
            ).fetchone()
    assert row == (True,)


def test_two_couriers_of_one_database_keep_the_order_and_post_nothing_twice(
    posting: Posting,
) -> None:
    with Receiver() as receiver:
        posting.subscribe(receiver)
        for number in range(40):
            posting.tenant.threads.append(f"t{number % 8}", [reply("on")] * 10)
        with posting.courier(), posting.courier():
            until(lambda: posting.state().lag == posting.state().pending == 0, seconds=WAIT)
    by_thread: defaultdict[str, list[int]] = defaultdict(list)
    for posted in receiver.posted:
        by_thread[posted.body["data"]["threadId"]].append(posted.position)
    assert sorted(receiver.positions) == list(range(1, 401))
    assert all(positions == sorted(positions) for positions in by_thread.values())


def test_the_secret_is_nowhere_in_what_is_listed(posting: Posting) -> None:
    with Receiver() as receiver:
        posting.subscribe(receiver)
    assert SECRET.reveal() not in json.dumps(repr(posting.state()))
