"""Threads: standing, counts, sums and times over all messages of each."""

from typing import Any

import pytest

from agentlog.domain.json.numbers import WrittenFloat
from agentlog.domain.json.text import parse
from agentlog.projections.readmodels.threads import ThreadRow, Threads
from tests.histories import event
from tests.infrastructure.appends import STORY, calls, reply, started
from tests.projections.readmodels.folding import rows_of
from tests.projections.readmodels.stories import with_facts

NOON = 1_767_268_800_000


def thread(*drafts: dict[str, Any]) -> ThreadRow:
    (row,) = rows_of(Threads(), with_facts(*drafts))
    return row


def leave(reason: str) -> dict[str, Any]:
    return {"type": "exit", "reason": reason}


def test_a_total_that_was_not_reported_is_that_of_both() -> None:
    row = thread(
        {"type": "llm_response", "usage": {"totalTokens": 7, "inputTokens": 9}},
        {"type": "llm_response", "usage": {"inputTokens": 5, "outputTokens": 1}},
        {"type": "llm_response", "usage": {"outputTokens": 2}},
        {"type": "llm_response", "usage": {}},
    )
    assert (row.input_tokens, row.output_tokens, row.total_tokens) == (14, 3, 15)


def test_a_thread_counts_its_messages_by_kind() -> None:
    row = thread(*STORY)
    assert (row.last_version, row.messages) == (21, 21)
    assert (row.inputs, row.replies, row.tool_calls, row.tool_failures) == (2, 2, 3, 1)
    assert (row.model_calls, row.requests_open, row.total_tokens) == (1, 0, 7)
    assert (row.approvals_asked, row.approvals_denied, row.workers) == (1, 1, 1)
    assert (row.steps, row.status, row.outcome) == (9, "exited", "complete")


def test_tools_are_named_once_in_the_order_of_their_first_calls() -> None:
    def call(*names: str) -> dict[str, Any]:
        named = [{"id": str(n), "name": name} for n, name in enumerate(names)]
        return {"type": "tool_calls", "calls": named}

    row = thread(started(policy="record"), call("b", 'say "hi"'), call("a", "b", "\x00"))
    assert parse(row.tools) == ["b", 'say "hi"', "a", "\ufffd"]
    assert parse(thread(reply("")).tools) == []
    many = [f"tool-{number}" for number in range(150)]
    row = thread(started(policy="record"), call(*many[:90]), call(*many))
    assert parse(row.tools) == many[:100]


def test_labels_and_judgements_stand_until_they_are_taken_back() -> None:
    judged = {"type": "thread.judged", "verdict": "fail", "criterion": "tone"}
    row = thread(
        {"type": "thread.labelled", "add": ["b", "a\x00"], "remove": []},
        {"type": "thread.labelled", "add": ["c", "b"], "remove": ["a\x00"]},
        judged,
        {**judged, "criterion": None, "score": 0.5},
        {**judged, "criterion": "policy", "on": 1},
    )
    assert parse(row.labels) == ["b", "c"]
    tone = {"criterion": "tone", "verdict": "fail", "score": None, "by": None}
    assert parse(row.judgements) == [tone, {**tone, "criterion": None, "score": 0.5}]
    assert (row.judged, row.verdict) == ("failed", "failed")
    row = thread(judged, {**judged, "verdict": None})
    assert (parse(row.judgements), row.judged) == ([], None)


def test_facts_are_no_messages_and_have_no_part_in_the_duration() -> None:
    row = thread(started(goal="g", parent="p", policy="record"), reply("", timestamp=NOON))
    assert (row.goal, row.parent, row.policy) == ("g", "p", "record")
    assert (row.messages, row.last_version, row.duration_ms) == (1, 2, None)
    row = thread(started(), reply("", timestamp=NOON), reply("", timestamp=NOON + 1500))
    assert row.duration_ms == 1500.0
    assert row.first_sent_at is not None
    assert row.first_sent_at.isoformat() == "2026-01-01T12:00:00+00:00"


@pytest.mark.parametrize("times", [(0, 0), (5, 0), (0, 9, 0)])
def test_the_duration_is_missing_where_no_time_passed_or_it_ran_back(times: list[int]) -> None:
    assert thread(*(reply("", timestamp=NOON + time) for time in times)).duration_ms is None


@pytest.mark.parametrize(
    ("drafts", "status", "outcome"),
    [
        ([reply("")], "open", None),
        ([leave("step_limit")], "exited", "step_limit"),
        ([leave("error"), leave("complete")], "exited", "error"),
        ([leave("complete"), {"type": "thread.closed"}], "closed", "complete"),
        ([{"type": "thread.closed"}], "closed", "closed"),
        ([{"type": "thread.closed"}, leave("error")], "closed", "closed"),
    ],
)
def test_the_outcome_is_why_a_thread_exited_else_that_it_was_closed(
    drafts: list[dict[str, Any]], status: str, outcome: str | None
) -> None:
    row = thread(*drafts)
    assert (row.status, row.outcome) == (status, outcome)


def test_metadata_has_the_scalars_with_annotations_worked_in() -> None:
    given = {"team": "a", "n": 1, "vip": True, "list": [1], "none": None, "nul\x00": "\x00"}
    row = thread(started(metadata=given))
    assert parse(row.metadata) == {"team": "a", "n": 1, "vip": True, "nul\ufffd": "\ufffd"}
    odd = {
        "big": 2**70,
        "far": WrittenFloat("1e400"),
        "exact": WrittenFloat("1.10"),
        "long": "x" * 600,
    }
    shown = {"big": str(2**70), "far": "1e400", "exact": 1.1, "long": "x" * 500 + "…"}
    assert parse(thread(started(metadata=odd)).metadata) == shown
    row = thread(
        started(metadata=given),
        {"type": "thread.annotated", "metadata": {"team": None, "n": {"now": 2}, "new": 1.5}},
    )
    assert parse(row.metadata) == {"vip": True, "nul\ufffd": "\ufffd", "new": 1.5}


def test_figures_that_nobody_reported_are_missing_and_not_nought() -> None:
    row = thread({"type": "llm_request"}, {"type": "llm_response", "usage": {"inputTokens": 0}})
    assert (row.input_tokens, row.output_tokens, row.cost_usd) == (0, None, None)


def test_what_would_take_a_sum_beyond_its_column_is_left_out() -> None:
    usages = [5, 2**63 - 6, 1, 2**70]
    row = thread(*({"type": "llm_response", "usage": {"inputTokens": usage}} for usage in usages))
    assert row.input_tokens == 2**63 - 1
    row = thread(*({"type": "llm_response", "costUsd": cost} for cost in (1.7e308, 1.7e308, 1)))
    assert row.cost_usd == 1.7e308 + 1


def test_what_comes_out_of_one_response_is_one_step() -> None:
    one = {"metadata": {"responseId": "r1"}}
    assert thread(reply("", **one), calls("a", **one)).steps == 1
    assert thread(reply("", **one), reply(""), calls("a", **one)).steps == 2
    assert thread(reply(""), calls("a")).steps == 2


def test_a_message_that_the_catalogue_cannot_read_counts_and_does_nothing() -> None:
    good = event(1, reply(""))
    odd = event(2, reply(""))
    object.__setattr__(odd, "body", b'{"type":"reply","text":5}')
    (row,) = rows_of(Threads(), [good, odd])
    assert (row.messages, row.replies, row.steps, row.last_version) == (2, 1, 1, 2)
