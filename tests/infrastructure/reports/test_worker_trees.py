"""Trees of workers are of the log; figures come with the read models."""

from agentlog.infrastructure.appending.append_request import AppendRequest
from agentlog.infrastructure.appending.writer import Writer
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.reports.summaries import Summaries
from agentlog.infrastructure.reports.worker_trees import WorkerTrees
from agentlog.projections.work import NONE
from tests.infrastructure.appends import TENANT, Clock, Ids, reply, started
from tests.infrastructure.reports.histories import build_all


def test_a_tree_is_there_before_the_read_models_and_its_figures_come_with_them(
    own_database: Database,
) -> None:
    writer = Writer(own_database, clock=Clock(), new_id=Ids())
    writer.append(AppendRequest(TENANT, "boss", [reply("a")], []))
    writer.append(AppendRequest(TENANT, "worker", [reply("b")], [started(parent="boss")]))
    trees = WorkerTrees(own_database, Summaries(own_database, tenant=TENANT), tenant=TENANT)
    tree = trees.tree("worker")
    assert not tree.truncated
    assert [(thread.depth, thread.thread_id) for thread in tree.items] == [
        (0, "boss"),
        (1, "worker"),
    ]
    assert all(thread.verdict is None and thread.whole == NONE for thread in tree.items)
    build_all(own_database)
    assert [thread.whole.threads for thread in trees.tree("worker").items] == [2, 1]
