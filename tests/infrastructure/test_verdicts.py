"""What a run came to is the same in lists, worker trees, reports, tasks and answers to why."""

from collections.abc import Iterator
from itertools import count
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlog.domain.json.values import JsonValue
from agentlog.infrastructure.appending.append_request import AppendRequest
from agentlog.infrastructure.appending.writer import Writer
from agentlog.infrastructure.comparison.run_sets import SetsAsked, TaskComparer
from agentlog.infrastructure.definitions.rules import Rules
from agentlog.infrastructure.eventlog.reader import LogReader
from agentlog.infrastructure.eventlog.thread_heads import ThreadFilter
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.reports.question import Question
from agentlog.infrastructure.reports.reports import Reports
from agentlog.infrastructure.reports.summaries import Summaries, SummaryQuery
from agentlog.infrastructure.reports.worker_trees import WorkerTrees
from agentlog.infrastructure.views.snapshots.snapshots import Snapshots
from agentlog.infrastructure.views.views import Views
from agentlog.projections.filters.expression import Expression, Term
from agentlog.projections.filters.grammar import parse_filter
from agentlog.projections.filters.terms import terms_of
from agentlog.projections.registry import choose_view
from tests.databases import new_database
from tests.histories import examples, json_values
from tests.infrastructure.appends import TENANT, Clock, Ids, started
from tests.infrastructure.reports.histories import build_all
from tests.projections.filters.drawn import expressions

KERNEL = choose_view("kernel")
NUMBERS = count()

values = (
    st.sampled_from([0, 0.0, 0.5, 1, 1.0, True, False, None, "C", "I", "x" * 600, "", [1]])
    | json_values
)
metadata = st.dictionaries(
    st.sampled_from(["reward", "score.a", "score.b", "failed"]), values, min_size=1
)
score = values.map(lambda value: {"type": "inspect.score", "payload": {"score": {"value": value}}})
judgement = st.fixed_dictionaries(
    {
        "type": st.just("thread.judged"),
        "verdict": st.sampled_from([None, "pass", "Fail", "flaky"]),
        "score": st.none() | st.sampled_from([0, 0.2, 1]),
        "criterion": st.sampled_from([None, None, "tone"]),
        "metadata": st.sampled_from([{}, {"actor": "sam"}]),
    }
)
messages = st.one_of(
    score,
    judgement,
    st.sampled_from(["complete", "step_limit", "user_request", "error"]).map(
        lambda reason: {"type": "exit", "reason": reason}
    ),
    metadata.map(lambda added: {"type": "thread.annotated", "metadata": added}),
    st.just({"type": "thread.closed"}),
)
written = st.sampled_from(
    [
        "metadata.reward>=1",
        "metadata.score.a:C or exit:complete",
        "inspect.score$.payload.score.value:C",
        "-exit:error metadata.failed:x*",
        "inspect.score$.payload.score.value>=0.5 or inspect.score$.payload.score.value:true",
        "metadata.reward:null or inspect.score$.payload.score.value:x*",
    ]
).map(lambda text: parse_filter(text, "success"))
rules = st.none() | written | expressions(sorted(terms_of("success")), "success")


@pytest.fixture(scope="module")
def log(server_url: str, template_database: str) -> Iterator[tuple[Database, Writer]]:
    """A log of its own, and its writer."""
    with (
        new_database(server_url, template=template_database) as url,
        Database(url, pool_size=2) as database,
    ):
        yield database, Writer(database, clock=Clock(), new_id=Ids())


def verdicts(database: Database, thread: str, number: int, rule: Expression | None) -> list[str]:
    """Return what the run of one thread came to, as each place has it.

    List and why agree on who judged it, too.
    """

    def of_tenant() -> Rules:
        return Rules(success=rule)

    reader = LogReader(database, tenant=TENANT)
    snapshots = Snapshots(database, tenant=TENANT, key=b"key")
    views = Views(reader, tenant=TENANT, snapshots=snapshots, rules=of_tenant)
    summaries = Summaries(database, tenant=TENANT, rules=of_tenant)
    which = ThreadFilter(metadata={"number": number})
    where = Term("metadata", ":", number, key="number")
    (row,) = summaries.page(SummaryQuery(where)).items
    (worker,) = WorkerTrees(database, summaries, tenant=TENANT).tree(thread).items
    asked = Question(by=("verdict",), where=where)
    report = Reports(database, tenant=TENANT, rules=of_tenant).ask("outcomes", asked)
    (task,) = TaskComparer(views).compare(SetsAsked(which, KERNEL, "number")).items
    outcome = views.why(thread).outcome
    judged = outcome.verdict if outcome.basis == "judgement" else None
    assert (row.judged, row.judged_by) == (judged, outcome.judged_by)
    return [
        row.verdict or "unknown",
        worker.verdict or "unknown",
        str(report.rows[0][0]),
        task.threads[0].verdict,
        outcome.verdict,
    ]


@given(given=st.just({}) | metadata, history=st.lists(messages, max_size=5), rule=rules)
@examples(60, long=600)
def test_every_place_says_the_same_of_a_run(
    log: tuple[Database, Writer],
    given: dict[str, JsonValue],
    history: list[dict[str, Any]],
    rule: Expression | None,
) -> None:
    database, writer = log
    number = next(NUMBERS)
    thread = f"t{number}"
    for draft in (started(policy="record", metadata={**given, "number": number}), *history):
        is_fact = draft["type"].startswith("thread.")
        drafts, facts = ([], [draft]) if is_fact else ([draft], [])
        writer.append(AppendRequest(TENANT, thread, drafts, facts))
    build_all(database, "threads", "approvals", "suspicions", "model_calls")
    places = verdicts(database, thread, number, rule)
    assert len(set(places)) == 1, places
