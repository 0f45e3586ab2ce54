"""Threads of Amp: their figures beside those that they state, and what the model was sent."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from agentlog.domain.json.text import parse
from agentlog.extensions.formats.amp.thread import FORMAT
from agentlog.projections.context.context import context_at
from tests.extensions.formats.contexts.reading import events_in, said
from tests.histories import examples
from tests.projections.readers.of_format import of_type, read
from tests.test_golden import GOLDEN

COUNT = st.integers(0, 10**6)


def _thread(*messages: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {"v": 1, "id": "T-1", "created": 1, "messages": [*messages], **fields}


def _answer(n: int, **fields: Any) -> dict[str, Any]:
    said: Any = [{"type": "text", "text": f"a{n}"}]
    return {"role": "assistant", "messageId": n, "content": said, **fields}


@given(st.lists(st.tuples(COUNT, COUNT, COUNT, COUNT), min_size=1, max_size=5))
@examples(25)
def test_the_input_is_what_a_thread_sums_up(counts: list[tuple[int, int, int, int]]) -> None:
    """`totalInputTokens`, as `@sourcegraph/amp` computes it of Anthropic's answers."""
    usages = [
        {
            "model": "claude-sonnet-4-5",
            "inputTokens": fresh,
            "cacheReadInputTokens": was_read,
            "cacheCreationInputTokens": written,
            "outputTokens": output,
            "totalInputTokens": fresh + was_read + written,
        }
        for fresh, was_read, written, output in counts
    ]
    thread = _thread(*(_answer(n, usage=usage) for n, usage in enumerate(usages)))
    figures = [draft.get("usage") for draft in of_type(read("amp", thread), "llm_response")]
    assert [told["inputTokens"] for told in figures if told] == [
        usage["totalInputTokens"] for usage in usages if any(list(usage.values())[1:5])
    ]


@given(st.lists(st.tuples(COUNT, COUNT, st.sampled_from([None, 0, 1, 7])), max_size=6))
@examples(25)
def test_each_event_of_the_ledger_counts_once(events: list[tuple[int, int, int | None]]) -> None:
    """Whether a message is of it, has figures too, or was taken back."""
    ledger = [
        {"id": f"e{n}", "model": "m", "tokens": {"input": i, "output": o}}
        | ({} if to is None else {"toMessageId": to})
        for n, (i, o, to) in enumerate(events)
    ]
    thread = _thread(_answer(0), _answer(1), usageLedger={"events": ledger})
    told = [draft.get("usage", {}) for draft in of_type(read("amp", thread), "llm_response")]
    assert sum(it.get("inputTokens", 0) for it in told) == sum(i for i, *_ in events)
    assert sum(it.get("outputTokens", 0) for it in told) == sum(o for _, o, _ in events)


def test_a_ledger_and_a_message_have_parts_of_the_same_figures() -> None:
    history = read("amp", parse((GOLDEN / "readers/amp/old.json").read_bytes()))
    first, second = of_type(history, "llm_response")
    assert first["model"] == "claude-sonnet-4-20250514"
    usage = {"inputTokens": 170, "outputTokens": 20}
    assert first["usage"] == {**usage, "cachedInputTokens": 30, "cacheWriteTokens": 40}
    assert second["usage"] == {"inputTokens": 30, "outputTokens": 4}


def test_a_call_at_work_has_no_result() -> None:
    results = [
        {"type": "tool_result", "toolUseID": str(n), "run": {"status": status}}
        for n, status in enumerate(["in-progress", "queued", "done"])
    ]
    history = read("amp", _thread({"role": "user", "messageId": 0, "content": results}))
    assert [draft["results"][0]["callId"] for draft in of_type(history, "tool_results")] == ["2"]
    assert len(of_type(history, "amp.tool_result")) == 2


def test_the_model_is_sent_the_last_summary_and_what_follows() -> None:
    document: Any = parse((GOLDEN / "readers/amp/T-thread.json").read_bytes())
    events = events_in(FORMAT, document)
    assert said(context_at(events))[:2] == ["Parcel 7 is late.", "And 8?"]
    summary = next(event for event in events if event.type == "system")
    before = said(context_at(events, summary.version - 1))
    assert before[-1] == "$ date\nThu Jan 8"


def test_a_command_that_is_hidden_is_not_sent() -> None:
    run = {"status": "done", "result": {"output": "1"}}
    command = {"type": "manual_bash_invocation", "args": {"cmd": "ls"}, "toolRun": run}
    shown, hidden = (
        _thread({"role": "info", "messageId": 0, "content": [{**command, "hidden": flag}]})
        for flag in (False, True)
    )
    assert said(context_at(events_in(FORMAT, shown))) == ["$ ls\n1"]
    assert said(context_at(events_in(FORMAT, hidden))) == []
