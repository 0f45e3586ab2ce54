"""The command retention, by a file of rules and by the rules that tenants have set."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as some

from agentlog.api.composition import open_service
from agentlog.domain.facts import ThreadRedacted
from agentlog.domain.json.text import print_text
from agentlog.infrastructure.keys.accesses import Access, Accesses
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.settings import Settings
from agentlog.infrastructure.threads import Threads
from tests.command_line import agentlog
from tests.databases import new_database
from tests.infrastructure.appends import make_older, reply

SECRET = "Zarquon-4711"  # noqa: S105 - what is to be erased
TENANTS = (f"tenant-{number}" for number in count())

TEAMS = some.sampled_from(["a", "b"])
STATUSES = some.sampled_from(["open", "exited", "closed"])
AGES = some.sampled_from([0, 29, 30, 59, 60, 99])
"""In days; half an hour comes on top, so that a thread is never just as old as a rule says."""

THREADS = some.dictionaries(
    some.from_regex(r"(support|sales)-[0-9]", fullmatch=True),
    some.fixed_dictionaries({"status": STATUSES, "age": AGES, "team": TEAMS}),
    min_size=6,
    max_size=9,
)
RULES = some.lists(
    some.fixed_dictionaries(
        {
            "older_than": some.sampled_from(["1d", "30d", "60d"]),
            "reason": some.sampled_from(["over", "'it is time'"]),
        },
        optional={
            "status": STATUSES,
            "threads": some.sampled_from(["support-", "sales-1"]),
            "metadata": TEAMS.map(lambda team: {"team": team}),
        },
    ),
    min_size=1,
    max_size=2,
)


@pytest.fixture(scope="module")
def url(server_url: str, template_database: str) -> Iterator[str]:
    with new_database(server_url, template=template_database) as made:
        yield made


def put(threads: Threads, tenant: str, drawn: Mapping[str, Any], url: str) -> None:
    """Make threads, with a last event as old as drawn."""
    for thread_id, thread in drawn.items():
        threads.start(thread_id, {"goal": SECRET, "metadata": {"team": thread["team"]}})
        threads.append(thread_id, [reply(SECRET)])
        if thread["status"] == "exited":
            threads.append(thread_id, [{"type": "exit", "reason": "complete"}])
        if thread["status"] == "closed":
            threads.close(thread_id)
        with psycopg.connect(url) as owner:
            make_older(owner, tenant, thread_id, timedelta(days=thread["age"], minutes=30))


def reasons(drawn: Mapping[str, Any], rules: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Return the reason of the first rule that covers each thread, of those that any covers."""
    return {
        thread_id: covering[0]
        for thread_id, thread in drawn.items()
        if (
            covering := [
                rule["reason"]
                for rule in rules
                if thread["age"] >= int(rule["older_than"].removesuffix("d"))
                and thread["status"] == rule.get("status", thread["status"])
                and thread_id.startswith(rule.get("threads", ""))
                and rule.get("metadata", {"team": thread["team"]}) == {"team": thread["team"]}
            ]
        )
    }


def listed(tenant: str, *words: str, url: str) -> dict[str, str]:
    """Return the threads of a tenant that the command lists, with reasons."""
    outcome = agentlog("retention", *words, url=url)
    assert outcome.code == 0, outcome.err
    rows = [line.split("\t") for line in outcome.out.splitlines()]
    return {row[1]: row[-1] for row in rows if row[0] == tenant}


def bodies(threads: Threads, thread_id: str) -> list[bytes]:
    return [event.body for event in threads.messages(thread_id)]


@given(drawn=THREADS, rules=RULES)
def test_just_what_a_tenants_rules_cover_is_erased_on_record(
    url: str, drawn: dict[str, Any], rules: list[dict[str, Any]]
) -> None:
    tenant = next(TENANTS)
    with open_service(Settings(database_url=url)) as service:
        threads = service.tenants[tenant].threads
        put(threads, tenant, drawn, url)
        before = {thread_id: bodies(threads, thread_id) for thread_id in drawn}
        definitions = service.tenants[tenant].definitions
        definitions.set("rule", "retention", print_text({"rules": rules}))
    source = "(rule retention, change 1)"
    due = {name: f"{reason} {source}" for name, reason in reasons(drawn, rules).items()}
    assert listed(tenant, url=url) == due
    with open_service(Settings(database_url=url)) as service:
        threads = service.tenants[tenant].threads
        assert before == {thread_id: bodies(threads, thread_id) for thread_id in drawn}
    assert listed(tenant, "--apply", url=url) == due
    assert listed(tenant, "--apply", url=url) == {}
    with open_service(Settings(database_url=url)) as service:
        threads = service.tenants[tenant].threads
        for thread_id in drawn:
            if thread_id not in due:
                assert bodies(threads, thread_id) == before[thread_id]
                continue
            *erased, fact = threads.messages(thread_id)
            assert isinstance(fact.message, ThreadRedacted)
            assert (fact.message.all, fact.message.reason) == (True, due[thread_id])
            assert not any(SECRET.encode() in event.body for event in erased)


def test_a_rule_is_set_by_the_text_of_a_file_and_each_change_is_named(database_url: str) -> None:
    drawn = {"support-1": {"status": "closed", "age": 31, "team": "a"}}
    with open_service(Settings(database_url=database_url)) as service:
        put(service.threads, "default", drawn, database_url)
    assert listed("default", "--apply", url=database_url) == {}  # nothing is set
    text = '[[rules]]\nolder_than = "{}d"\nstatus = "closed"\nreason = "over"\n'
    for days in (90, 30):
        outcome = agentlog("rules", "set", "retention", text.format(days), url=database_url)
        assert outcome.code == 0, outcome.err
    assert listed("default", url=database_url) == {"support-1": "over (rule retention, change 2)"}
    assert agentlog("rules", "remove", "retention", url=database_url).code == 0
    assert listed("default", "--apply", url=database_url) == {}


def test_where_a_tenant_fails_the_others_go_and_it_is_said(database_url: str) -> None:
    text = print_text({"rules": [{"older_than": "30d", "reason": "over"}]})
    with open_service(Settings(database_url=database_url)) as service:
        for tenant, rule in (("a", "nonsense"), ("b", text)):
            put(
                service.tenants[tenant].threads,
                tenant,
                {"t": {"status": "open", "age": 31, "team": "a"}},
                database_url,
            )
            service.tenants[tenant].definitions.set("rule", "retention", rule)
        service.tenants["b"].forker.fork("t", as_thread="f")
    outcome = agentlog("retention", "--apply", url=database_url)
    assert outcome.code == 2
    assert "a\t*\tfailed: " in outcome.err
    assert "b\tt\tkept: f, its fork or of its run, is not due" in outcome.err
    assert "erased: 0 threads, 0 events, 0 bytes; kept: 1; failed: 1" in outcome.err
    with psycopg.connect(database_url) as owner:
        make_older(owner, "b", "f", timedelta(days=31))
    outcome = agentlog("retention", "--apply", url=database_url)
    assert outcome.code == 2
    assert len(outcome.out.splitlines()) == 2
    with psycopg.connect(database_url) as owner:
        erased = owner.execute("SELECT count(*) FROM agentlog.events WHERE redacted > 0").fetchone()
    assert erased is not None
    assert f"erased: 2 threads, {erased[0]} events" in outcome.err


def test_a_text_without_rules_is_no_rule(database_url: str) -> None:
    refused = agentlog("rules", "set", "retention", "90d", url=database_url)
    assert refused.code == 2
    assert "retention: " in refused.err
    assert "rules are TOML or JSON" in refused.err


def test_records_of_accesses_go_with_the_days_that_are_set(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = datetime.now(UTC) - timedelta(days=31)
    with Database(database_url, pool_size=1) as database:
        accesses = Accesses(database)
        accesses.note(Access("default", at, None, "GET", "/v1/threads", None, 200, None))
    assert "accesses" not in agentlog("retention", "--apply", url=database_url).err
    monkeypatch.setenv("AGENTLOG_ACCESS_DAYS", "30")
    assert "accesses" not in agentlog("retention", url=database_url).err
    removed = "removed: 1 records of accesses older than 30 days"
    assert removed in agentlog("retention", "--apply", url=database_url).err
