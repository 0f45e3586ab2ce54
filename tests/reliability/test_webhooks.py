"""Services that post to webhooks are killed in the middle: every event comes, in order a thread."""

import signal
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

import httpx2
import pytest

from tests.api.cli.operations.test_service import address_of
from tests.clients import TLS
from tests.command_line import started
from tests.infrastructure.webhooks.receiver import Posted, Receiver
from tests.waiting import until

WAIT = 90
EVENTS = 1000
SETTINGS = {"AGENTLOG_WEBHOOK_NETWORKS": "127.0.0.0/8"}


@pytest.fixture
def http() -> Iterator[httpx2.Client]:
    """A client that asks no proxy for what is on loopback."""
    with httpx2.Client(trust_env=False, timeout=WAIT, verify=TLS) as client:
        yield client


def _serve(url: str) -> Any:
    return started("serve", "--port", "0", url=url, **SETTINGS)


@pytest.mark.slow  # leases of the killed ones last half a minute
@pytest.mark.timeout(300)
def test_services_are_killed_and_nothing_is_lost_or_out_of_order(
    database_url: str, http: httpx2.Client
) -> None:
    with Receiver() as receiver, _serve(database_url) as first, _serve(database_url) as second:
        secret = _subscribe(http, address_of(first), receiver)
        address = address_of(second)
        for victim in (first, second):
            before = len(receiver.posted)
            _append(http, address)
            until(lambda before=before: len(receiver.posted) > before + 100, seconds=WAIT)  # type: ignore[misc]
            victim.send_signal(signal.SIGKILL)
            victim.wait()
        with _serve(database_url) as third:
            address = address_of(third)
            until(lambda: _is_done(http, address), seconds=WAIT)
    _check(receiver.posted, secret)


def _append(http: httpx2.Client, address: str) -> None:
    """Append half of the events, to threads in turn."""
    lines = "".join(
        f'{{"threadId":"t{number % 25}","messages":[{{"type":"reply","text":"on"}}]}}\n'
        for number in range(EVENTS // 2)
    )
    assert http.post(f"{address}/v1/log", content=lines).status_code == 200


def _subscribe(http: httpx2.Client, address: str, receiver: Receiver) -> str:
    asked = {"name": "s", "webhook": {"url": receiver.url}}
    answer = http.post(f"{address}/v1/subscriptions", json=asked)
    assert answer.status_code == 201, answer.text
    secret: str = answer.json()["secret"]
    assert "secret" not in http.get(f"{address}/v1/subscriptions/s").json()
    return secret


def _is_done(http: httpx2.Client, address: str) -> bool:
    state = http.get(f"{address}/v1/subscriptions/s").json()
    return bool(state["lag"] == state["pending"] == 0)


def _check(posted: Sequence[Posted], secret: str) -> None:
    """Check that all came: again only what was under way, and in the order of its thread."""
    seen: defaultdict[str, list[int]] = defaultdict(list)
    repeated = 0
    for request in posted:
        thread_id = request.body["data"]["threadId"]
        if request.position in seen[thread_id]:
            assert request.position == seen[thread_id][-1]
            repeated += 1
        else:
            seen[thread_id].append(request.position)
    assert sorted(chain.from_iterable(seen.values())) == list(range(1, EVENTS + 1))
    assert all(positions == sorted(positions) for positions in seen.values())
    assert repeated <= 3 * 8
    for request in posted[-10:]:  # those before may be older than a receiver takes
        request.verify(secret)
