"""LangSmith's runs: threads, figures, errors, and the fields of a run."""

import json

import pytest

from agentlog.domain.errors import InvalidMessage
from agentlog.projections.readers.registry import FORMATS
from tests.extensions.traces.projections.readers.spans_of import model, run, said
from tests.projections.readers.of_format import noted, of_type, read, types
from tests.test_golden import GOLDEN

SOURCES = GOLDEN / "readers" / "langsmith"
RUNS = [json.loads(line) for line in (SOURCES / "runs.jsonl").read_bytes().splitlines()]
TREE = json.loads((SOURCES / "tree.json").read_bytes())
THREAD, OTHER = FORMATS["langsmith"].read(RUNS)


def test_runs_of_one_thread_id_are_a_thread_and_a_trace_without_is_one() -> None:
    assert THREAD.id == "thread-7"
    assert OTHER.id == RUNS[-1]["trace_id"]
    assert THREAD.metadata == {"name": "agent", "project": "parcels", "score.helpful": 0.5}


def test_calls_results_and_figures_are_those_of_the_runs() -> None:
    assert types(THREAD) == {
        "langsmith.chain": 1,
        "langsmith.llm": 3,
        "langsmith.tool": 2,
        "system": 1,
        "input": 2,
        "llm_request": 3,
        "llm_response": 2,
        "tool_calls": 1,
        "tool_results": 2,
        "reply": 1,
        "runtime_error": 1,
    }
    first, second = of_type(THREAD, "llm_response")
    assert float(first.pop("costUsd")) == 0.00052
    assert first == {
        "model": "gpt-4o",
        "provider": "openai",
        "finishReason": "tool_calls",
        "latencyMs": 2000,
        "usage": {
            "inputTokens": 50,
            "outputTokens": 12,
            "totalTokens": 62,
            "cachedInputTokens": 32,
            "reasoningTokens": 4,
        },
    }
    assert second == {"model": "gpt-4o", "provider": "openai", "latencyMs": 1900}  # 0 is unknown
    assert of_type(THREAD, "llm_request")[0] == {
        "model": "gpt-4o",
        "temperature": 0.2,
        "maxTokens": 400,
    }


def test_a_tool_failed_or_it_did_not() -> None:
    results = [draft["results"][0] for draft in of_type(THREAD, "tool_results")]
    assert [(result["callId"], result["error"]) for result in results] == [
        ("call_1", None),
        ("call_2", "ValueError('no such parcel')"),
    ]


def test_unknown_kinds_and_inputs_are_noted_with_their_place() -> None:
    assert noted(OTHER) == ["[7].sparkle", "[7]"]
    assert noted(read("langsmith", TREE)) == [
        "runs[0].child_runs[3].content[0]",
        "runs[0].child_runs[3].content[0]",
    ]


def test_an_unknown_field_of_a_model_run_is_noted() -> None:
    row = model("a", 1, [said("user", "hello")], "hi", sparkle=1)
    assert noted(read("langsmith", [row])) == ["[0].sparkle"]


def test_what_stands_beside_the_runs_becomes_a_fact() -> None:
    history = read("langsmith", {"project_name": "p", **TREE})
    assert history.metadata["project_name"] == "p"


def test_times_may_be_milliseconds() -> None:
    row = run("a", "chain", 1) | {"start_time": 1_779_271_200_123}
    assert read("langsmith", [row]).drafts[0]["timestamp"] == 1_779_271_200_123


def test_what_is_no_run_is_refused_with_its_place() -> None:
    with pytest.raises(InvalidMessage, match=r"\[1\]: no run"):
        list(FORMATS["langsmith"].read([RUNS[0], {"id": "x"}]))
    with pytest.raises(InvalidMessage, match=r"runs\[0\].child_runs\[0\]: no run"):
        list(FORMATS["langsmith"].read({"runs": [run("a", "chain", 1, child_runs=[{}])]}))


def test_other_objects_are_not_taken() -> None:
    assert not FORMATS["langsmith"].is_item({"run_type": "llm", "id": "a", "inputs": {}})
    assert not FORMATS["langsmith"].is_document({"runs": []})
