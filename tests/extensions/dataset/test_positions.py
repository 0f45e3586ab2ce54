"""An export goes on after the tenant's own last event, wherever the log stands by other tenants."""

import re

import pytest

from agentlog.extensions.dataset.manifest import NAME
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.threads import Threads
from tests.extensions.dataset.conftest import threads_on
from tests.extensions.dataset.datasets import Exporter, check_equal
from tests.infrastructure.appends import calls, reply, results, unguarded


def go_back(database: Database, position: int) -> None:
    """Have the log end where a backup ended: later events are another tenant's."""
    with database.connection() as connection, connection.transaction():
        connection.execute("ALTER TABLE agentlog.events DISABLE TRIGGER events_only_grow")
        connection.execute("DELETE FROM agentlog.events WHERE position > %s", (position,))
        connection.execute("ALTER TABLE agentlog.events ENABLE TRIGGER events_only_grow")
        connection.execute("DELETE FROM agentlog.threads WHERE position > %s", (position,))
        connection.execute("UPDATE agentlog.tracking SET notification_id = %s", (position,))
        with unguarded(connection):
            connection.execute("UPDATE agentlog.counter SET position = %s", (position,))


@pytest.mark.parametrize("is_of_before", [False, True])
def test_events_below_the_old_position_of_a_restored_log_are_exported(
    threads: Threads, exporter: Exporter, own_database: Database, *, is_of_before: bool
) -> None:
    threads.append("t", [calls("a"), calls("b")])
    threads_on(own_database, "another").append("o", [reply(text) for text in "lost"])
    exporter()
    assert exporter.manifest.position == 2
    if is_of_before:  # with the log's position, as 0.23 wrote it
        path = exporter.folder / NAME
        path.write_text(re.sub(r'("position": )2(,\n "redacted")', r"\g<1>6\2", path.read_text()))
        assert exporter.manifest.position == 6
    go_back(own_database, 2)
    threads.append("t", [results("a")])
    assert exporter().events == 1
    check_equal(exporter)
    threads.append("t", [results("b"), calls("c"), calls("d")])
    assert exporter().events == 3
    check_equal(exporter)
