"""The command report: on any log, at once, readable; the same words as over HTTP."""

import csv
import json
from io import StringIO
from pathlib import Path

import pytest
from psycopg.conninfo import make_conninfo

from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.readmodels import builds
from agentlog.infrastructure.threads import Threads
from tests.api.conftest import threads_over
from tests.command_line import agentlog, agentlog_process
from tests.infrastructure.appends import STORY

EXAMPLES = Path(__file__).parents[3] / "examples"


@pytest.fixture
def threads(own_database: Database) -> Threads:
    """The store of the tests' tenant, whose threads the commands do not see."""
    return threads_over(own_database)


def test_what_was_just_imported_is_reported(own_database: Database, database_url: str) -> None:
    del own_database
    assert agentlog("import", EXAMPLES, url=database_url).code == 0
    outcome = agentlog("report", "tools", url=database_url)
    assert outcome.code == 0, outcome.err
    lines = [[cell.strip() for cell in line.split("│")[1:-1]] for line in outcome.out.splitlines()]
    assert ["run_tests", "2", "2", "1", "1", "-", "12,600", "20,160", "20,832", "0", "0"] in lines
    assert any(line[:6] == ["weather", "2", "2", "0", "0", "-"] for line in lines)
    heading = next(line for line in outcome.out.splitlines() if line.startswith("┃"))
    assert "error rate (%)" in heading
    assert "latency p95 (ms)" in heading
    assert "as of position 64 of the log" in outcome.out
    value = json.loads(agentlog("report", "tools", "--json", url=database_url).out)
    (weather,) = [row for row in value["rows"] if row["tool"] == "weather"]
    assert weather == {
        "tool": "weather",
        "calls": 2,
        "answered": 2,
        "stated": 0,
        "failed": 0,
        "error_rate": None,
        "latency_p50": 1200.0,
        "latency_p95": 1200.0,
        "latency_p99": 1200.0,
        "uncalled": 1,
        "told": 0,
    }


def test_a_report_that_cannot_be_filled_where_nothing_is_written_says_so(
    threads: Threads, database_url: str
) -> None:
    """As on a standby; what needs no read model is reported."""
    threads.append("t", STORY)
    url = make_conninfo(database_url, options="-c default_transaction_read_only=on")
    outcome = agentlog("report", "tools", url=url)
    assert outcome.code != 0
    assert "the read models cannot be filled up to the log" in outcome.err
    assert "name the primary" in outcome.err
    assert agentlog("report", "anomalies", url=url).code == 0


def test_every_report_of_an_empty_log_is_empty(database_url: str) -> None:
    for name in ("usage", "slowest", "failures", "threads", "anomalies"):
        outcome = agentlog("report", name, url=database_url)
        assert outcome.code == 0
        assert outcome.err == "no row of the tenant 'default', which AGENTLOG_TENANT names\n"
        assert "as of position 0 of the log" in outcome.out


def test_options_are_those_of_http(own_database: Database, database_url: str) -> None:
    del own_database
    agentlog("import", EXAMPLES, url=database_url)
    outcome = agentlog(
        *("report", "tools", "--by", "tool,metadata.team", "--by", "day", "--clock", "sent"),
        *("--from", "2026-01-05", "--to", "2100-01-01T00:00:00Z"),
        *(
            "--filter",
            "metadata.team:platform and tool:run_tests",
            "--order=-calls",
            "--limit",
            "1",
            "--csv",
        ),
        url=database_url,
    )
    rows = list(csv.reader(StringIO(outcome.out)))
    assert rows[0][:4] == ["tool", "metadata.team", "day", "calls"]
    assert [row[:4] for row in rows[1:]] == [["run_tests", "platform", "2026-01-05", "2"]]
    assert outcome.err == ""
    assert "there are more rows" in agentlog("report", "tools", "--limit=1", url=database_url).err
    whole = agentlog("report", "tools", "--by", "", "--csv", url=database_url)
    assert whole.out.splitlines()[1].startswith("10,10,2,1,0.5,")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("weather",), "no report 'weather': there are models, "),
        (("tools", "--by", "colour"), "report tools has no 'colour'; it has tool"),
        (
            ("tools", "--filter", "provider:x"),
            "'provider' is a term of rows of some reports; here are tool:, action:",
        ),
        (("tools", "--only", "tool=a b"), """write --filter 'tool:"a b"'"""),
        (("tools", "--metadata", "team=red"), "write --filter 'metadata.team:red'"),
        (("tools", "--from", "yesterday"), "is no date"),
    ],
)
def test_what_is_off_is_said(
    own_database: Database, database_url: str, arguments: tuple[str, ...], words: str
) -> None:
    del own_database
    outcome = agentlog("report", *arguments, url=database_url)
    assert (outcome.code, outcome.out) == (2, "")
    assert words in outcome.err


def test_a_projection_that_stands_still_is_told(own_database: Database, database_url: str) -> None:
    agentlog("import", EXAMPLES / "refund.json", url=database_url)
    agentlog("report", "tools", url=database_url)
    with own_database.connection() as connection:
        builds.set_paused(connection, "tool_calls", paused=True)
    agentlog("import", EXAMPLES / "deploy.json", url=database_url)
    outcome = agentlog("report", "tools", url=database_url)
    assert outcome.code == 0
    assert "run_tests" not in outcome.out
    assert "the answer is up to there: projection tool_calls stands at" in outcome.err
    assert "it is paused: `agentlog projections resume tool_calls`" in outcome.err


def test_what_tools_are_called_does_not_drive_the_terminal(
    own_database: Database, database_url: str, tmp_path: Path
) -> None:
    del own_database
    draft = {"type": "tool_calls", "calls": [{"id": "1", "name": "\x1b[2Jred\u202e[b]"}]}
    draft_file = tmp_path / "drafts.json"
    draft_file.write_text(json.dumps([draft]))
    assert agentlog("import", draft_file, url=database_url).code == 0
    outcome = agentlog("report", "tools", url=database_url)
    assert "\\x1b[2Jred\\u202e[b]" in outcome.out
    assert "\x1b[2J" not in outcome.out


def test_a_real_process_prints_only_the_answer(own_database: Database, database_url: str) -> None:
    del own_database
    agentlog("import", EXAMPLES, url=database_url)
    outcome = agentlog_process("report", "failures", "--json", url=database_url)
    assert (outcome.code, outcome.err) == (0, "")
    (row,) = outcome.lines[0]["rows"]
    assert (row["tool"], row["error_class"], row["thread"]) == (
        "run_tests",
        "TimeoutError",
        "deploy",
    )


def test_only_what_is_ours_is_reported(threads: Threads, database_url: str) -> None:
    threads.append("another-tenants", STORY)
    value = json.loads(agentlog("report", "tools", "--json", url=database_url).out)
    assert (value["rows"], value["asOf"]) == ([], len(STORY))
