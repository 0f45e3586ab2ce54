"""tau2-bench's results: calls, results and figures are those of the agent."""

from typing import Any

from agentlog.domain.json.text import parse
from agentlog.projections.readers.history import History
from agentlog.projections.readers.registry import FORMATS
from tests.projections.readers.of_format import of_type, types
from tests.test_golden import GOLDEN


def _results() -> Any:
    return parse((GOLDEN / "readers" / "tau2" / "results.json").read_bytes())


def _histories() -> list[History]:
    return list(FORMATS["tau2"].read(_results()))


def test_results_say_whether_the_tool_failed() -> None:
    results = [draft for read in _histories() for draft in of_type(read, "tool_results")]
    assert [result["results"][0]["error"] for result in results] == [
        None,
        "Error: no bill",
        "no line",
    ]


def test_what_the_simulated_user_calls_is_no_call_of_the_agent() -> None:
    first, _ = _histories()
    calls = [call["id"] for draft in of_type(first, "tool_calls") for call in draft["calls"]]
    assert calls == ["call_a", "call_b"]
    assert types(first)["tau2.user_calls"] == types(first)["tau2.user_result"] == 1
    assert types(first)["llm_response"] == 1


def test_what_the_file_says_of_all_stands_in_the_first_thread() -> None:
    first, second = _histories()
    assert (first.metadata["reward"], first.metadata["model"]) == (1.0, "o4-mini")
    assert ("tau2.results" in types(first), "tau2.results" in types(second)) == (True, False)


def test_a_file_of_one_simulation_is_a_thread() -> None:
    simulation = _results()["simulations"][1]
    assert FORMATS["tau2"].is_document(simulation)
    (read,) = FORMATS["tau2"].read(simulation)
    assert read.id == simulation["id"]
