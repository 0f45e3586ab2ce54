"""The commands of `agentlog subscriptions`."""

import pytest

from agentlog.infrastructure.eventlog.reader import LogReader
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.subscriptions.queue import Queue
from agentlog.infrastructure.subscriptions.subscriptions import Subscriptions
from tests.api.conftest import threads_over
from tests.command_line import Outcome, agentlog
from tests.infrastructure.appends import reply

TENANT = "default"


def test_a_subscription_is_made_listed_paused_resumed_and_deleted(database_url: str) -> None:
    def run(*words: str, code: int = 0) -> Outcome:
        outcome = agentlog("subscriptions", *words, url=database_url)
        assert outcome.code == code, outcome.err
        return outcome

    made = run("create", "s", "--filter", "type:reply thread:t* metadata.team:red")
    assert "'s' begins after @0" in made.err
    (listed,) = run("list", "--json").lines
    assert listed["filter"] == "type:reply thread:t* metadata.team:red"
    assert "choose another name" in run("create", "s", code=2).err
    run("pause", "s")
    assert "paused" in run("list").out
    run("resume", "s")
    assert run("list", "--json").lines[0]["state"] == "active"
    assert "there is no subscription 'x'" in run("pause", "x", code=2).err
    run("delete", "s")
    assert run("list", "--json").lines == []


def test_parked_deliveries_are_listed_retried_and_discarded(
    database_url: str, own_database: Database
) -> None:
    assert agentlog("subscriptions", "create", "s", url=database_url).code == 0
    threads_over(own_database, tenant=TENANT).append("t", [reply("one"), reply("two")])
    subscriptions = Subscriptions(own_database, tenant=TENANT)
    reader = LogReader(own_database, tenant=TENANT)
    queue = Queue(own_database, subscriptions, reader, tenant=TENANT)
    lease = queue.pull("s", limit=2, seconds=60)
    assert lease is not None
    queue.refuse("s", lease.id, error="no such order", seconds=0, park=True)
    parked = agentlog("subscriptions", "parked", "s", url=database_url)
    assert "no such order" in parked.out
    first, second = agentlog("subscriptions", "parked", "s", "--json", url=database_url).lines
    assert (first["threadId"], first["position"], second["position"]) == ("t", 1, 2)
    retried = agentlog("subscriptions", "retry", "s", str(first["id"]), url=database_url)
    assert retried.err == "1 to be delivered again\n"
    assert agentlog("subscriptions", "discard", "s", url=database_url).err == "1 dropped\n"
    assert agentlog("subscriptions", "parked", "s", "--json", url=database_url).lines == []
    assert subscriptions.get("s").pending == 1


def test_a_webhook_has_its_secret_printed_and_nothing_else_on_standard_output(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("subscriptions", "create", "s", "--webhook", "http://127.0.0.1:9/hook")
    refused = agentlog(*words, url=database_url)
    assert refused.code == 2
    assert "AGENTLOG_WEBHOOK_NETWORKS" in refused.err
    monkeypatch.setenv("AGENTLOG_WEBHOOK_NETWORKS", "127.0.0.0/8")
    made = agentlog(*words, url=database_url)
    assert made.out.startswith("whsec_")
    assert made.out.count("\n") == 1
    listed = agentlog("subscriptions", "list", url=database_url)
    assert "http://127.0.0.1:9/hook" in listed.out
    assert made.out.strip() not in listed.out
