"""Exports of threads, and of the log as lines."""

from pathlib import Path

import pytest

from agentlog.domain.json.text import parse
from agentlog.infrastructure.postgres.database import Database
from tests.command_line import agentlog

EXAMPLES = Path(__file__).parents[4] / "examples"


@pytest.fixture
def url(own_database: Database, database_url: str) -> str:
    """A log with the examples in it."""
    del own_database
    assert agentlog("import", EXAMPLES, url=database_url).code == 0
    return database_url


def test_jsonl_is_the_log_from_a_position_on(url: str, tmp_path: Path) -> None:
    everything = agentlog("export", "log", url=url)
    assert everything.code == 0
    positions = [line["position"] for line in everything.lines]
    last = positions[-1]
    assert positions == list(range(1, last + 1))
    assert everything.err == f"position {last}: go on with --after {last}\n"
    first = everything.lines[0]
    shown = agentlog("show", first["threadId"], "--json", url=url).lines
    assert first == {"threadId": first["threadId"], **shown[1]}
    file = tmp_path / "log.jsonl"
    later = agentlog("export", "log", "--after", "7", "-O", file, url=url)
    assert (later.out, later.err) == ("", everything.err)
    assert [parse(line) for line in file.read_bytes().splitlines()] == everything.lines[7:]
    none = agentlog("export", "log", "--after", str(last), url=url)
    assert (none.out, none.err) == ("", everything.err)


def test_a_position_that_is_not_there_is_said(url: str) -> None:
    outcome = agentlog("export", "log", "--after", "99999", url=url)
    assert outcome.code == 2
    assert "position 99999 is not there yet: the log is at position" in outcome.err


def test_a_view_that_is_not_there_is_refused(database_url: str) -> None:
    outcome = agentlog("export", "threads", "--format", "nope", url=database_url)
    assert outcome.code == 2
    assert "there is no view 'nope'" in outcome.err
