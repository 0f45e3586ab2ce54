"""Training data: turns, calls and preferences of ShareGPT's and Alpaca's records."""

from pathlib import Path
from typing import Any

from agentlog.extensions.formats.datasets import alpaca, sharegpt
from agentlog.projections.readers.history import History
from tests.projections.readers.test_golden_readers import histories_of
from tests.test_golden import GOLDEN

READERS = GOLDEN / "readers"


def _types(path: Path) -> list[list[str]]:
    return [[str(draft["type"]) for draft in history.drafts] for history in histories_of(path)]


def _read(turns: list[Any], **fields: Any) -> History:
    return next(sharegpt.FORMAT.read({"conversations": turns, **fields}))


def _says(speaker: str, value: Any) -> dict[str, Any]:
    return {"from": speaker, "value": value}


def test_every_turn_is_a_message() -> None:
    assert _types(READERS / "sharegpt" / "tools.json") == [
        ["system", "input", "tool_calls", "tool_results", "reply", "sharegpt.record"],
        [
            *["system", "input", "tool_calls", "tool_results", "reply", "sharegpt.narrator"],
            *["sharegpt.turn", "sharegpt.function_call", "tool_results", "sharegpt.record"],
        ],
    ]


def test_results_belong_to_the_calls_before_them() -> None:
    _, both = histories_of(READERS / "sharegpt" / "tools.json")
    calls = next(draft for draft in both.drafts if draft["type"] == "tool_calls")["calls"]
    results = [r for d in both.drafts if d["type"] == "tool_results" for r in d["results"]]
    assert [call["args"] for call in calls] == [{"city": "Kiel"}, {"city": "Bonn"}]
    assert [result.get("callId") for result in results] == ["call-1", "call-2", None]
    assert "error" not in results[0]


def test_one_result_of_several_calls_is_that_of_the_first() -> None:
    call = '{"name": "f", "arguments": {}}'
    read = _read([_says("function_call", f"[{call}, {call}]"), _says("observation", "done")])
    assert read.drafts[1]["results"] == [{"callId": "call-1", "name": "f", "output": "done"}]


def test_a_call_inside_an_answer_is_a_call() -> None:
    history = histories_of(READERS / "sharegpt" / "preferences.jsonl")[2]
    said, asked = history.drafts[2:4]
    assert said["text"] == "I shall look."
    assert asked["calls"] == [{"id": "call-1", "name": "lookup", "args": {"title": "Emma"}}]
    assert said["metadata"]["responseId"] == asked["metadata"]["responseId"]


def test_what_is_no_call_is_kept_whole_and_noted() -> None:
    for text in ("<tool_call>lookup</tool_call>", "<tool_call>[]</tool_call>"):
        history = _read([_says("gpt", text)])
        assert [draft["type"] for draft in history.drafts] == ["sharegpt.gpt"]
        assert [aside.place for aside in history.unmapped] == [".conversations[0]"]


def test_input_follows_the_instruction_on_its_own_line() -> None:
    adding, river, tea = histories_of(READERS / "alpaca" / "instructions.json")
    assert [draft["text"] for draft in adding.drafts] == [
        "Add the numbers.\n17 and 25",
        "They make 42.",
    ]
    assert [draft["type"] for draft in river.drafts] == ["system", *["input", "reply"] * 3]
    assert [aside.what for aside in tea.unmapped] == ["field 'score'", "field 'history'"]


def test_other_records_are_not_taken() -> None:
    others: list[Any] = [None, "x", [], {}, {"conversations": []}, {"instruction": "x"}]
    others += [{"conversations": [{"role": "user"}]}, {"instruction": 1, "output": "x"}]
    for value in others:
        assert not sharegpt.FORMAT.is_document(value)
        assert not alpaca.FORMAT.is_document(value)
