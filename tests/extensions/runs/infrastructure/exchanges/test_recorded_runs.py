"""Recorded runs, read from the log."""

from agentlog.extensions.runs.infrastructure.exchanges.recorded_runs import resumed_run
from agentlog.infrastructure.erasure.eraser import Eraser
from agentlog.infrastructure.erasure.redactor import Redactor
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.threads import Threads
from agentlog.projections.exchanges.exchange import TYPE
from tests.extensions.runs.projections.recordings.test_recording import Run
from tests.infrastructure.appends import TENANT
from tests.providers.agent import Agent
from tests.providers.script import Answer


def test_a_run_with_erased_exchanges_is_not_gone_on_with(
    threads: Threads, database: Database
) -> None:
    run, agent = Run(), Agent("", "chat")
    for text in ("hello", "more"):
        agent.say(text)
        run.ask(agent, Answer(f"you say {text}"))
    threads.append("main", run.recorded()["main"])
    resumed = resumed_run(threads, "main")
    assert resumed is not None
    assert resumed.exchanges == 2
    _, last = threads.messages("main", types=[TYPE])
    redactor = Redactor(database, threads, Eraser(database, threads.writer), tenant=TENANT)
    redactor.redact("main", [last.message_id], "asked for")
    assert resumed_run(threads, "main") is None
