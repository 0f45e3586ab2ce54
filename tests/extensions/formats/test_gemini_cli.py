"""Sessions of Gemini CLI."""

from typing import Any

from agentlog.domain.json.text import parse
from agentlog.projections.readers.history import History
from tests.projections.readers.of_format import of_type, read
from tests.test_golden import GOLDEN


def _source(name: str, file: str) -> Any:
    data = (GOLDEN / "readers" / name / file).read_bytes()
    return [parse(line) for line in data.splitlines()] if file.endswith("l") else parse(data)


def _results(history: History) -> list[tuple[Any, Any, Any]]:
    return [
        (result.get("callId"), result["output"], result.get("error"))
        for draft in of_type(history, "tool_results")
        for result in draft["results"]
    ]


def test_a_message_written_again_adds_what_is_new() -> None:
    history = read("gemini-cli", _source("gemini-cli", "session-lines.jsonl"))
    assert [draft["text"] for draft in of_type(history, "reply")] == ["I list."]
    assert [draft["usage"]["inputTokens"] for draft in of_type(history, "llm_response")] == [10]
    assert _results(history) == [("ls-1", "a.txt", None)]


def test_the_status_of_a_call_says_whether_it_failed() -> None:
    history = read("gemini-cli", _source("gemini-cli", "session.json"))
    first, second = _results(history)
    assert first == ("run_shell_command-1-a", "12 a.txt", None)
    assert second[0] == "read_file-1-b"
    assert second[2] is not None
