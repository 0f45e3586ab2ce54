"""Spans out: as lines, and to a collector."""

from pathlib import Path

import pytest

from agentlog.infrastructure.postgres.database import Database
from tests.api.collector import Collector
from tests.command_line import agentlog

EXAMPLES = Path(__file__).parents[4] / "examples"


@pytest.fixture
def url(own_database: Database, database_url: str) -> str:
    """A log with an example in it."""
    del own_database
    assert agentlog("import", EXAMPLES / "deploy.json", url=database_url).code == 0
    return database_url


def test_threads_are_lines_of_otlp(url: str) -> None:
    exported = agentlog("export", "spans", "deploy", url=url)
    assert exported.code == 0
    (line,) = exported.lines
    (group,) = line["resourceSpans"]
    spans = group["scopeSpans"][0]["spans"]
    assert spans[0]["name"] == "invoke_agent deploy"
    assert isinstance(spans[0]["startTimeUnixNano"], str)
    assert agentlog("export", "spans", url=url).lines == exported.lines


def test_threads_go_to_a_collector_with_the_same_ids_each_time(url: str) -> None:
    with Collector() as collector:
        for _ in range(2):
            sent = agentlog("export", "spans", "--to", collector.url, url=url)
            assert (sent.code, sent.err) == (0, f"threads sent to {collector.url}: 1\n")
        half = len(collector.spans) // 2
        assert collector.spans[:half] == collector.spans[half:]
        assert collector.spans[0].name == "invoke_agent deploy"
        assert collector.spans[0].service == "agentlog"
        tools = [span for span in collector.spans[:half] if span.name.startswith("execute_tool")]
        assert tools
        assert {tool.parent for tool in tools} == {collector.spans[0].id}
        missing = f"{collector.url}/elsewhere"
        refused = agentlog("export", "spans", "--to", missing, url=url)
        assert refused.code == 2
        assert "answers 404" in refused.err


@pytest.mark.parametrize(
    "words", [["--to", "ftp://x"], ["--to", "http://127.0.0.1:9"], ["--after", "3"]], ids=str
)
def test_what_cannot_be_sent_is_said(url: str, words: list[str]) -> None:
    refused = agentlog("export", "spans", *words, url=url)
    assert refused.code != 0
    assert "Traceback" not in refused.err
