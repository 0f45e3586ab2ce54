"""A user's application and projections of the library eventsourcing, over the log."""

import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from eventsourcing.application import AggregateNotFoundError, ProcessingEvent
from eventsourcing.domain import Aggregate
from eventsourcing.persistence import InfrastructureFactory, NotSupportedError
from eventsourcing.popo import POPOTrackingRecorder
from eventsourcing.projection import (
    EventSourcedProjection,
    EventSourcedProjectionRunner,
    ProjectionRunner,
)
from typing_extensions import override

from agentlog.api.composition import open_service
from agentlog.domain.errors import AgentlogError
from agentlog.domain.events import Event
from agentlog.domain.threads import Thread
from agentlog.infrastructure.embedded import temporary_data_dir
from agentlog.infrastructure.eventlog.reader import LogReader
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.settings import Settings
from agentlog.persistence import Factory
from examples.projection.tokens import Agents, CountTokens, Tokens
from tests.api.conftest import threads_over
from tests.command_line import environment
from tests.infrastructure.appends import TENANT, calls, fetch, reply
from tests.waiting import until

TOKENS = Path(__file__).parents[2] / "examples" / "projection" / "tokens.py"
MODULE = "agentlog.persistence"
SUMS = "SELECT model, tokens::integer FROM tokens_by_model ORDER BY model"


@pytest.fixture
def env(database_url: str) -> Mapping[str, str]:
    """What a user's process has in its environment."""
    return {
        "PERSISTENCE_MODULE": MODULE,
        "AGENTLOG_DATABASE_URL": database_url,
        "AGENTLOG_TENANT": TENANT,
    }


def _answer(model: str, tokens: int) -> dict[str, object]:
    return {"type": "llm_response", "model": model, "usage": {"totalTokens": tokens}}


def test_the_module_has_one_factory(env: Mapping[str, str]) -> None:
    factory: InfrastructureFactory = InfrastructureFactory.construct(env=env)
    assert type(factory) is Factory


def test_an_application_reads_threads_and_the_log(
    env: Mapping[str, str], own_database: Database
) -> None:
    threads_over(own_database).append("t", [reply("one"), calls("c"), reply("three")])
    threads_over(own_database).append("u", [{"type": "exit", "reason": "complete"}])
    with Agents(env) as agents:
        thread: Thread = agents.repository.get("t")
        assert (thread.id, thread.version, thread.status) == ("t", 3, "open")
        assert [(key.id, entry.asked, entry.answered) for key, entry in thread.ledger.items()] == [
            ("c", 2, None)
        ]
        before: Thread = agents.repository.get("t", version=1)
        assert (before.version, before.ledger) == (1, {})
        ended: Thread = agents.repository.get("u")
        assert ended.status == "exited"
        with pytest.raises(AggregateNotFoundError):
            agents.repository.get("unknown")
        section = agents.notification_log["1,10"]
        assert [(item.id, item.originator_id, item.topic) for item in section.items] == [
            (1, "t", "reply"),
            (2, "t", "tool_calls"),
            (3, "t", "reply"),
            (4, "u", "exit"),
        ]


def test_events_come_with_all_that_the_log_has_of_them(
    env: Mapping[str, str], own_database: Database
) -> None:
    threads = threads_over(own_database)
    threads.append("t", [reply("one", metadata={"actor": "ann"})])
    (recorded,) = LogReader(own_database, tenant=TENANT).events("t")
    with Agents(env) as agents:
        assert list(agents.events.get("t")) == [recorded]
        with agents.recorder.subscribe() as subscription:
            assert agents.mapper.to_domain_event(next(subscription)) == recorded
    assert recorded.metadata == {"actor": "ann"}


def test_another_tenant_sees_nothing(env: Mapping[str, str], own_database: Database) -> None:
    threads_over(own_database).append("t", [reply("one")])
    with Agents({**env, "AGENTS_AGENTLOG_TENANT": "another"}) as agents:
        assert agents.recorder.max_notification_id() is None
        assert agents.recorder.select_notifications(None, 10) == []
        assert list(agents.events.get("t")) == []


def test_what_would_write_the_log_is_refused_and_says_how_it_is_written(
    env: Mapping[str, str], own_database: Database
) -> None:
    threads_over(own_database).append("t", [reply("one")])
    with Agents(env) as agents:
        (recorded,) = agents.events.get("t")
        with pytest.raises(NotSupportedError, match="POST /v1/threads"):
            agents.save(recorded)
        assert agents.save() == []
        with pytest.raises(NotSupportedError, match="agentlog_client"):
            agents.factory.aggregate_recorder().insert_events(agents.recorder.select_events("t"))
    assert fetch(own_database, "SELECT count(*) FROM agentlog.events") == [(1,)]


def test_what_is_kept_elsewhere_is_refused_and_says_where(env: Mapping[str, str]) -> None:
    with pytest.raises(NotSupportedError, match="IS_SNAPSHOTTING_ENABLED"):
        Agents({**env, "IS_SNAPSHOTTING_ENABLED": "y"})
    with pytest.raises(NotSupportedError, match="STARTS_PERSISTENCE_MODULE"):
        Starts({**env})
    with pytest.raises(NotSupportedError, match="COUNTTOKENS_PERSISTENCE_MODULE"):
        ProjectionRunner(  # type: ignore[misc] # which mypy refuses too
            application_class=Agents,
            projection_class=CountTokens,
            view_class=POPOTrackingRecorder,
            env=dict(env),
        )


def test_where_there_is_no_database_the_way_out_is_named() -> None:
    url = "postgresql://nobody@127.0.0.1:1/none"
    with pytest.raises(AgentlogError, match="not available"):
        Agents({"PERSISTENCE_MODULE": MODULE, "AGENTLOG_DATABASE_URL": url})


def test_a_projection_fills_a_table_of_its_own(
    env: Mapping[str, str], own_database: Database
) -> None:
    threads = threads_over(own_database)
    threads.append("t", [_answer("a", 1), reply("one"), {"type": "llm_response"}])
    with _tokens(env) as runner:
        last = threads.append("t", [_answer("b", 10), _answer("a", 100)]).messages[-1].position
        runner.wait(last, timeout=60)
        assert fetch(own_database, SUMS) == [("a", 101), ("b", 10)]
    with _tokens(env) as runner:  # goes on from its place
        last = threads.append("u", [_answer("b", 1000)]).messages[-1].position
        runner.wait(last, timeout=60)
    assert fetch(own_database, SUMS) == [("a", 101), ("b", 1010)]
    tracked = fetch(own_database, "SELECT application_name, notification_id FROM agentlog.tracking")
    assert tracked == [(f"CountTokens.Agents@{TENANT}", last)]


def test_an_event_that_fails_stops_the_projection_and_leaves_nothing_of_it(
    env: Mapping[str, str], own_database: Database
) -> None:
    threads_over(own_database).append("t", [_answer("a", 1), _answer("a", 2**63), _answer("a", 4)])
    runner = _tokens(env)
    with pytest.raises(Exception, match="out of range"), runner:
        runner.run_forever(timeout=60)
    assert fetch(own_database, SUMS) == [("a", 1)]
    assert fetch(own_database, "SELECT notification_id FROM agentlog.tracking") == [(1,)]


def test_each_event_is_counted_once_however_often_the_projection_is_killed(
    env: Mapping[str, str], own_database: Database
) -> None:
    kills, answers = 4, 1500
    threads = threads_over(own_database)

    def counted() -> int:
        if fetch(own_database, "SELECT to_regclass('tokens_by_model')") == [(None,)]:
            return 0
        return sum(tokens for _, tokens in fetch(own_database, SUMS))

    def kill_in_the_middle() -> None:
        before = counted()
        threads.append("t", [_answer("a", 1)] * answers)
        with _started(env) as process:
            until(lambda: counted() > before, seconds=60)
            process.send_signal(signal.SIGKILL)

    for _ in range(kills):
        kill_in_the_middle()
    with _started(env) as process:
        threads.append("u", [_answer("b", 1)])
        until(lambda: counted() >= kills * answers + 1, seconds=60)
        process.kill()
    assert fetch(own_database, SUMS) == [("a", kills * answers), ("b", 1)]


def test_a_projection_that_makes_events_keeps_them_in_a_store_of_its_own(
    env: Mapping[str, str], own_database: Database
) -> None:
    threads = threads_over(own_database)
    threads.start("t", {"goal": "g"})
    threads.append("t", [reply("one")])
    own = {**env, "STARTS_PERSISTENCE_MODULE": "eventsourcing.popo"}
    with EventSourcedProjectionRunner(
        application_class=Agents, projection_class=Starts, env=own
    ) as runner:
        runner.wait(1, timeout=60)
        assert len(runner.projection.notification_log["1,10"].items) == 1
    assert fetch(own_database, "SELECT count(*) FROM agentlog.events") == [(2,)]


def test_the_embedded_database_is_read_from_its_folder() -> None:
    with temporary_data_dir() as data:
        env = {"PERSISTENCE_MODULE": MODULE, "AGENTLOG_DATA_DIR": str(data)}
        with pytest.raises(AgentlogError, match="agentlog serve"):
            Agents(env)
        with open_service(Settings(data_dir=data), new=True) as service:
            last = service.threads.append("t", [_answer("a", 7)]).messages[-1].position
        with _tokens(env) as runner:
            runner.wait(last, timeout=60)
            with runner.view.connection() as connection:
                assert connection.execute(SUMS).fetchall() == [("a", 7)]


class Starts(EventSourcedProjection[Any]):
    """Makes an aggregate of its own for each thread that starts."""

    topics = ("thread.started",)

    @override
    def policy(self, domain_event: Event, processing_event: ProcessingEvent[Any]) -> None:
        processing_event.collect_events(Aggregate())


def _tokens(env: Mapping[str, str]) -> "ProjectionRunner[Agents, Tokens]":
    return ProjectionRunner(
        application_class=Agents, projection_class=CountTokens, view_class=Tokens, env=dict(env)
    )


def _started(env: Mapping[str, str]) -> "subprocess.Popen[bytes]":
    return subprocess.Popen([sys.executable, TOKENS], env={**environment(), **env})
