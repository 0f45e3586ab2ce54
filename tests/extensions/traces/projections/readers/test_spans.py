"""Spans of a trace become one thread: nothing is told twice, and nothing is left out."""

from agentlog.projections.readers.registry import FORMATS
from tests.extensions.traces.projections.readers.spans_of import (
    asked,
    lines,
    model,
    run,
    said,
    thread,
)
from tests.projections.readers.of_format import noted, of_type

SYSTEM, USER = said("system", "be brief"), said("user", "hello")
HI = said("assistant", "hi")


def test_a_request_that_tells_the_history_again_adds_only_what_is_new() -> None:
    more = said("user", "and now?")
    history = thread(
        model("a", 1, [SYSTEM, USER], HI), model("b", 3, [SYSTEM, USER, HI, more], "well")
    )
    assert lines(history) == [
        "system be brief",
        "input hello",
        "llm_request",
        "llm_response",
        "reply hi",
        "input and now?",
        "llm_request",
        "llm_response",
        "reply well",
    ]


def test_a_word_that_is_said_twice_is_there_twice() -> None:
    again = [USER, HI, USER]
    history = thread(model("a", 1, [USER], HI), model("b", 3, again, HI))
    assert [line for line in lines(history) if "llm" not in line] == [
        "input hello",
        "reply hi",
        "input hello",
        "reply hi",
    ]


def test_a_changed_system_prompt_does_not_bring_the_history_twice() -> None:
    other = said("system", "be long")
    history = thread(model("a", 1, [SYSTEM, USER], HI), model("b", 3, [other, USER, HI], "well"))
    assert lines(history)[5:] == ["system be long", "llm_request", "llm_response", "reply well"]


def test_two_agents_in_turn_keep_their_own_contexts() -> None:
    critic = [said("system", "judge"), said("user", "hi")]
    history = thread(
        model("a", 1, [SYSTEM, USER], HI),
        model("b", 3, critic, "good"),
        model("c", 5, [SYSTEM, USER, HI, said("user", "more")], "well"),
    )
    texts = [line for line in lines(history) if "llm" not in line]
    assert texts[3:] == ["system judge", "input hi", "reply good", "input more", "reply well"]


def test_the_same_question_in_a_new_trace_is_asked_again() -> None:
    first, second = model("a", 1, [SYSTEM, USER], HI), model("b", 3, [SYSTEM, USER], HI)
    for sent in (first, second):
        sent["extra"] = {"metadata": {"thread_id": "one"}}
    texts = lines(thread(first, {**second, "trace_id": "u"}))
    assert texts.count("input hello") == 2
    assert texts.count("system be brief") == 1
    retried = lines(thread(first, second))
    assert retried.count("input hello") == 1


def test_the_result_of_a_tool_span_is_not_told_again_by_the_next_request() -> None:
    call = asked("c1", "look")
    result = said("tool", "a wall", tool_call_id="c1")
    history = thread(
        model("a", 1, [USER], call),
        run("b", "tool", 3, name="look", inputs={}, outputs={"output": "a wall"}),
        model("c", 5, [USER, call, result], "a wall it is"),
    )
    assert lines(history)[3:5] == ["tool_calls c1 look", "tool_results c1 a wall"]
    assert sum("tool_results" in line for line in lines(history)) == 1
    assert of_type(history, "tool_results")[0]["results"][0]["error"] is None


def test_a_result_is_what_the_model_was_sent_and_the_record_has_the_tools_own() -> None:
    call = asked("c1", "look")
    result = said("tool", "a wall, shortened", tool_call_id="c1")
    history = thread(
        model("a", 1, [USER], call),
        run("b", "tool", 3, name="look", outputs={"output": "a wall of bricks"}),
        model("c", 5, [USER, call, result], "well"),
        model("d", 7, [USER, call, result], "well"),
    )
    (results,) = of_type(history, "tool_results")
    assert results["results"][0]["output"] == "a wall, shortened"
    (record,) = of_type(history, "langsmith.tool")
    assert record["payload"]["outputs"] == {"output": "a wall of bricks"}


def test_a_call_id_that_is_used_again_is_another_call() -> None:
    call, result = asked("call_0", "look"), said("tool", "wall", tool_call_id="call_0")
    other, last = asked("call_0", "listen"), said("tool", "hum", tool_call_id="call_0")
    history = thread(
        model("a", 1, [USER], call),
        model("b", 3, [USER, call, result], other),
        model("c", 5, [USER, call, result, other, last], "well"),
    )
    assert [line for line in lines(history) if line.startswith("tool")] == [
        "tool_calls call_0 look",
        "tool_results call_0 wall",
        "tool_calls call_0 listen",
        "tool_results call_0 hum",
    ]


def test_parallel_results_may_come_in_any_order() -> None:
    call = said("assistant", None, tool_calls=[*asked("x", "a")["tool_calls"]])
    call["tool_calls"] += asked("y", "b")["tool_calls"]
    told = [said("tool", f"of {call_id}", tool_call_id=call_id) for call_id in ("x", "y")]
    history = thread(
        model("m", 1, [USER], call),
        run("s", "tool", 3, name="b", outputs={"output": "of y"}),
        run("t", "tool", 4, name="a", outputs={"output": "of x"}),
        model("n", 6, [USER, call, *told], "well"),
    )
    assert [line for line in lines(history) if "results" in line] == [
        "tool_results y of y",
        "tool_results x of x",
    ]


def test_a_tool_without_a_model_has_a_call_of_its_own() -> None:
    failed = run("s", "tool", 1, name="look", inputs={"at": 1}, error="no light")
    history = thread(failed)
    assert of_type(history, "tool_calls")[0]["calls"][0]["args"] == {"at": 1}
    assert of_type(history, "tool_results")[0]["results"][0]["error"] == "no light"


def test_a_model_span_in_another_is_a_record_alone_so_that_tokens_count_once() -> None:
    figures = {"prompt_tokens": 5, "completion_tokens": 2, "total_tokens": 7}
    history = thread(
        model("a", 1, [USER], HI, **figures),
        model("b", 1, [USER], HI, **figures, parent_run_id="a"),
    )
    assert len(of_type(history, "langsmith.llm")) == 2
    assert [draft["usage"] for draft in of_type(history, "llm_response")] == [
        {"inputTokens": 5, "outputTokens": 2, "totalTokens": 7}
    ]


def test_an_error_is_told_where_it_began() -> None:
    history = thread(
        run("a", "chain", 1, error="boom"),
        run("b", "chain", 1, error="boom", parent_run_id="a"),
        model("c", 2, [USER], None, error="boom", parent_run_id="b"),
    )
    assert lines(history) == [
        "langsmith.chain",
        "langsmith.chain",
        "input hello",
        "llm_request",
        "runtime_error boom",
    ]
    assert lines(thread(run("a", "chain", 1, error="bust")))[1:] == ["runtime_error bust"]


def test_children_before_parents_and_any_order_of_rows_make_the_same_thread() -> None:
    rows = [
        run("root", "chain", 0),
        model("a", 1, [USER], HI, parent_run_id="root"),
        model("b", 3, [USER, HI, USER], "well", parent_run_id="root"),
    ]
    assert thread(*rows).drafts == thread(*reversed(rows)).drafts


def test_a_row_that_stands_twice_is_read_once_and_another_of_its_id_too() -> None:
    row = model("a", 1, [USER], HI)
    assert thread(row, dict(row)).drafts == thread(row).drafts
    changed = thread(row, {**row, "tags": ["changed"]})
    assert len({draft["id"] for draft in changed.drafts}) == len(changed.drafts)
    assert lines(changed).count("llm_response") == 2


def test_a_circle_of_parents_ends() -> None:
    rows = (run("a", "chain", 0, parent_run_id="b"), run("b", "chain", 0, parent_run_id="a"))
    assert len(thread(*rows).drafts) == 2


def test_what_is_no_message_is_kept_whole_and_noted() -> None:
    odd = run("a", "llm", 1, inputs={"q": {"deep": 1}}, outputs=[{"x": 1}])
    history = thread(odd)
    assert lines(history) == [
        "langsmith.block",
        "llm_request",
        "llm_response",
        "langsmith.block",
    ]
    assert noted(history) == ["[0].content[0]", "[0].content[0]"]


def test_items_of_responses_are_calls_and_results() -> None:
    items = [
        {"type": "function_call", "call_id": "c", "name": "look", "arguments": "{}", "id": "fc"},
        {"type": "function_call_output", "call_id": "c", "output": "wall"},
    ]
    history = thread(run("a", "llm", 1, inputs={"input": [USER, *items]}, outputs={"output": [HI]}))
    assert lines(history)[1:3] == ["tool_calls c look", "tool_results c wall"]


def test_the_same_rows_have_the_same_ids_in_a_longer_file() -> None:
    first = model("a", 1, [USER], HI)
    longer = thread(first, model("b", 3, [USER, HI, USER], "well"))
    assert list(longer.drafts)[: len(thread(first).drafts)] == list(thread(first).drafts)
    assert FORMATS["langsmith"].thread_of is None
