"""Builds that go live beside each other show analysts what both come to."""

from threading import Thread

from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.readmodels import builds
from agentlog.projections.readmodels.registry import READ_MODELS
from tests.infrastructure.appends import fetch

VIEW = "SELECT pg_get_viewdef('agentlog_analytics.threads'::regclass)"


def test_read_models_that_begin_at_once_see_each_other(own_database: Database) -> None:
    def begin() -> None:
        with own_database.connection() as connection:
            builds.begin(connection, READ_MODELS["threads"])

    other = Thread(target=begin)
    with own_database.connection() as connection, connection.transaction():
        builds.begin(connection, READ_MODELS["model_calls"])
        other.start()
        other.join(0.2)  # it waits for the commit; where it is slow it begins after that
    other.join()
    ((shown,),) = fetch(own_database, VIEW)
    assert "copy_of" in shown
