"""Sessions of Pi, Cline, Copilot Chat and Aider."""

from typing import Any

from agentlog.projections.readers.history import History
from tests.projections.readers.of_format import of_type, read
from tests.projections.readers.test_golden_readers import documents_of
from tests.test_golden import GOLDEN

READERS = GOLDEN / "readers"


def source(name: str) -> History:
    """Return the first history of a source."""
    chosen, _, value = next(documents_of(READERS / name))
    return next(chosen.read(value))


def results(history: History) -> list[tuple[str, Any]]:
    return [
        (result["callId"], result.get("error"))
        for draft in of_type(history, "tool_results")
        for result in draft["results"]
    ]


def figures(history: History) -> list[tuple[Any, Any, Any]]:
    return [
        (draft.get("model"), draft.get("usage", {}).get("inputTokens"), draft.get("costUsd"))
        for draft in of_type(history, "llm_response")
    ]


def test_pis_answers_have_cost_and_usage_and_failed_ones_none() -> None:
    model = "claude-sonnet-4-5"
    session = source("pi/session.jsonl")
    assert figures(session) == [(model, 1120, 0.0125), (model, 1180, 0.004), (model, None, None)]
    assert results(session) == [("toolu_1", None), ("toolu_2", "ENOENT: no such file")]
    assert of_type(session, "runtime_error") == [{"error": "529 overloaded"}]


def test_clines_page_gives_each_answer_its_figures_and_time() -> None:
    """Of a request that was sent again the last try counts."""
    task = source("cline/task")
    model = "claude-sonnet-4-5-20250929"
    assert figures(task) == [(model, 9583, 0.0448), (model, 9625, 0.0031)]
    asked, answered = (draft["timestamp"] for draft in task.drafts if draft["type"] == "reply")
    assert (asked, answered) == (1769053682591, 1769053691700)
    assert results(task) == [("toolu_1", None)]


def test_copilots_rounds_are_read_and_without_them_what_the_page_shows() -> None:
    session = source("copilot-chat/session.json")
    assert [draft["text"] for draft in of_type(session, "reply")] == [
        "I look.",
        "There are two.",
        "There is no B.",
    ]
    assert results(session) == [
        ("call_1", None),
        ("call_2", None),
        ("vscode-2", "ls: B: no such folder"),
    ]


def test_each_start_of_aider_is_a_thread() -> None:
    ((chosen, _, text),) = documents_of(READERS / "aider" / "started.aider.chat.history.md")
    first, second = chosen.read(text)
    assert of_type(first, "input") == [
        {"text": "Count the parcels.\nSay only the number."},
        {"text": "/add b.txt"},
    ]
    assert of_type(second, "reply") == [{"text": "You are welcome."}]
    assert second.metadata["model"] == "gpt-4o"
    grown = text + "\n> Tokens: 1k sent, 2 received.  \n#### And now?  \n"
    assert list(chosen.read(grown))[1].drafts[: len(second.drafts)] == second.drafts


def test_an_old_openhands_folder_is_read_in_the_order_of_its_numbers() -> None:
    history = source("openhands-0/conversation")
    asked = [draft["text"] for draft in of_type(history, "input")]
    assert asked == ["Fix the test.", *(f"Go on {n}." for n in range(5, 12))]
    assert history.id == "3f6c1c1d2e8f4a0db0c5a7b1d2e3f4a5"
    only_events = source("openhands-0/conversation/events")
    assert of_type(only_events, "input") == of_type(history, "input")
    assert read("openhands-0", [{"action": "message", "args": {}, "source": "user"}]).id is None
