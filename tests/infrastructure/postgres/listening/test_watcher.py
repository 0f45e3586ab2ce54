"""Watching: whatever a look fails of, the next ring has it look again."""

import threading
from collections.abc import Iterator

import psycopg
import pytest
from typing_extensions import override

from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.postgres.errors import DatabaseUnavailable
from agentlog.infrastructure.postgres.listening.notifications import ERASED, Listener
from agentlog.infrastructure.postgres.listening.watcher import Watch
from tests.waiting import WAIT_SECONDS


class _Failing(Watch):
    """Fails of one thing after another, and is well then."""

    def __init__(self, listener: Listener, errors: Iterator[Exception]) -> None:
        self.looked = threading.Event()
        self._errors = errors
        super().__init__(listener, ERASED, name="failing", failing="it cannot look")

    @override
    def _look(self) -> None:
        for error in self._errors:
            raise error
        self.looked.set()


def test_a_look_that_fails_is_repeated_whatever_the_reason(
    own_database: Database, caplog: pytest.LogCaptureFixture
) -> None:
    errors = (
        DatabaseUnavailable("gone"),
        psycopg.errors.UndefinedTable("no such table"),
        RuntimeError("a defect"),
    )
    with (
        Listener(own_database, poll_seconds=0.1) as listener,
        _Failing(listener, iter(errors)) as watch,
    ):
        assert watch.looked.wait(WAIT_SECONDS)
    assert caplog.text.count("it cannot look, trying on") == 1
