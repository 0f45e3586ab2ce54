"""The thread's rules: given events, when a message comes, then what follows or why not."""

import copy
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlog.domain.catalogue import validate_fact, validate_message
from agentlog.domain.errors import RuleBroken
from agentlog.domain.facts import Fact, Policy
from agentlog.domain.messages import Message
from agentlog.domain.threads import Breach, LedgerEntry, LedgerKey, Rule, Thread, decide, mentions
from tests.histories import drafts

Draft = dict[str, Any]


def calls(*ids: str) -> Draft:
    return {"type": "tool_calls", "calls": [{"id": call_id, "name": "search"} for call_id in ids]}


def results(*ids: str | None) -> Draft:
    given_ids = [{} if call_id is None else {"callId": call_id} for call_id in ids]
    return {"type": "tool_results", "results": [{"output": 1, **result} for result in given_ids]}


def asks(call_id: str) -> Draft:
    return {"type": "approval_request", "callId": call_id, "tool": "shell"}


def answers(call_id: str) -> Draft:
    return {"type": "approval_response", "callId": call_id, "approved": True}


def spawns(worker_id: str) -> Draft:
    return {"type": "worker_spawned", "workerId": worker_id, "objective": "o"}


def returns(worker_id: str) -> Draft:
    return {"type": "worker_result", "workerId": worker_id, "output": "x"}


INPUT: Draft = {"type": "input", "text": "hi"}
LOG: Draft = {"type": "log", "text": "x"}
EXIT: Draft = {"type": "exit", "reason": "complete"}
STARTED: Draft = {"type": "thread.started"}
CLOSED: Draft = {"type": "thread.closed"}
ANNOTATED: Draft = {"type": "thread.annotated", "metadata": {"a": 1}}
HIDDEN: Draft = {"type": "thread.hidden"}
SHOWN: Draft = {"type": "thread.shown"}

fact_drafts = st.sampled_from(
    [STARTED, {**STARTED, "policy": "record"}, {**STARTED, "policy": "strict"}, CLOSED, ANNOTATED]
)
all_drafts = drafts | fact_drafts


def message(draft: Draft) -> Message | Fact:
    raw = {"id": "01ARZ3NDEKTSV4RRFFQ69G5FAV", "timestamp": 1, **draft}
    return validate_fact(raw) if draft["type"].startswith("thread.") else validate_message(raw)


def given_events(*past: Draft, policy: Policy = "strict") -> Thread:
    thread = Thread("t", policy=policy)
    for draft in past:
        thread, _ = decide(thread, message(draft))
    return thread


def recorded(*past: Draft) -> Thread:
    """The thread after anything at all: a start among it does not make the rules strict."""
    thread = Thread("t", policy="record")
    for draft in past:
        after, _ = decide(thread, message(draft))
        thread = after._replace(policy="record")
    return thread


def words(breaches: Sequence[Breach]) -> list[tuple[str, str, str]]:
    return [(breach.rule, breach.flaw.place, breach.flaw.reason) for breach in breaches]


ALLOWED: list[tuple[list[Draft], Draft]] = [
    ([], INPUT),
    ([], STARTED),
    ([], calls("a", "b")),
    ([calls("a")], results("a")),
    ([calls("a", "b")], results("b", "a")),
    ([calls("a", "b"), results("b")], results("a")),
    ([calls("a"), INPUT, LOG], results("a")),
    ([asks("a")], answers("a")),
    ([calls("a"), asks("a"), answers("a")], results("a")),
    ([asks("a")], asks("a")),
    ([asks("a"), answers("a")], asks("a")),
    ([asks("a"), answers("a"), asks("a")], answers("a")),
    ([spawns("w")], returns("w")),
    ([calls("a"), spawns("a"), asks("a")], returns("a")),
    ([EXIT], LOG),
    ([EXIT], CLOSED),
    ([EXIT], ANNOTATED),
    ([EXIT, LOG], LOG),
    ([CLOSED], ANNOTATED),
    ([CLOSED], HIDDEN),
    ([EXIT], HIDDEN),
    ([CLOSED, HIDDEN], SHOWN),
    ([calls("a"), HIDDEN], results("a")),
]


@pytest.mark.parametrize(("past", "draft"), ALLOWED)
def test_what_keeps_the_rules_is_taken_without_a_word(past: list[Draft], draft: Draft) -> None:
    before = given_events(*past)
    after, breaches = decide(before, message(draft))
    assert (after.version, after.id) == (len(past) + 1, "t")
    assert not breaches


TAKEN = "is taken by version 1: ids are unique in a thread"
CALLS_FIRST = "append its tool_calls first"
EXITED = "the agent has exited: only log messages follow; start another thread"
OVER = "the thread is closed: start another thread"

FORBIDDEN: list[tuple[list[Draft], Draft, list[tuple[Rule, str, str]]]] = [
    ([calls("a")], calls("a"), [("duplicate_call", "calls[0].id", f"call id 'a' {TAKEN}")]),
    (
        [calls("a"), results("a")],
        calls("b", "a"),
        [("duplicate_call", "calls[1].id", f"call id 'a' {TAKEN}")],
    ),
    ([], calls("a", "a"), [("duplicate_call", "calls[1].id", f"call id 'a' {TAKEN}")]),
    (
        [],
        results("a"),
        [
            (
                "orphan_result",
                "results[0].callId",
                f"nothing asked for call 'a': {CALLS_FIRST}",
            )
        ],
    ),
    (
        [calls("a")],
        results(None, "a"),
        [
            (
                "orphan_result",
                "results[0].callId",
                f"nothing asked for call (no id given): {CALLS_FIRST}",
            )
        ],
    ),
    (
        [calls("a"), results("a")],
        results("a"),
        [
            (
                "answered_twice",
                "results[0].callId",
                "call 'a' was answered by version 2 already",
            )
        ],
    ),
    (
        [calls("a")],
        results("a", "a"),
        [
            (
                "answered_twice",
                "results[1].callId",
                "call 'a' was answered by version 2 already",
            )
        ],
    ),
    (
        [calls("a")],
        answers("a"),
        [
            (
                "orphan_approval",
                "callId",
                "nothing asked for approval of call 'a': append its approval_request first",
            )
        ],
    ),
    (
        [asks("a"), answers("a")],
        answers("a"),
        [
            (
                "approved_twice",
                "callId",
                "approval of call 'a' was answered by version 2 already",
            )
        ],
    ),
    ([spawns("w")], spawns("w"), [("duplicate_worker", "workerId", f"worker 'w' {TAKEN}")]),
    (
        [],
        returns("w"),
        [
            (
                "orphan_worker_result",
                "workerId",
                "nothing asked for worker 'w': append its worker_spawned first",
            )
        ],
    ),
    (
        [spawns("w"), returns("w")],
        returns("w"),
        [
            (
                "worker_answered_twice",
                "workerId",
                "worker 'w' was answered by version 2 already",
            )
        ],
    ),
    ([EXIT], INPUT, [("after_exit", "", EXITED)]),
    ([EXIT], EXIT, [("after_exit", "", EXITED)]),
    ([EXIT], STARTED, [("after_exit", "", EXITED)]),
    ([CLOSED], LOG, [("after_close", "", OVER)]),
    ([CLOSED], CLOSED, [("after_close", "", OVER)]),
    ([EXIT, CLOSED], LOG, [("after_close", "", OVER)]),
    (
        [calls("a"), EXIT],
        calls("a", "b", "b"),
        [
            ("after_exit", "", EXITED),
            ("duplicate_call", "calls[0].id", f"call id 'a' {TAKEN}"),
            (
                "duplicate_call",
                "calls[2].id",
                "call id 'b' is taken by version 3: ids are unique in a thread",
            ),
        ],
    ),
]


@pytest.mark.parametrize(("past", "draft", "broken"), FORBIDDEN)
def test_strict_refuses_what_breaks_a_rule_and_names_every_flaw(
    past: list[Draft], draft: Draft, broken: list[tuple[Rule, str, str]]
) -> None:
    thread = given_events(*past)
    with pytest.raises(RuleBroken) as caught:
        decide(thread, message(draft))
    assert caught.value.rule == broken[0][0]
    assert caught.value.thread_id == "t"
    assert [(flaw.place, flaw.reason) for flaw in caught.value.flaws] == [
        (place, reason) for _, place, reason in broken
    ]


@pytest.mark.parametrize(("past", "draft", "broken"), FORBIDDEN)
def test_record_keeps_what_breaks_a_rule_and_lists_every_breach(
    past: list[Draft], draft: Draft, broken: list[tuple[Rule, str, str]]
) -> None:
    after, breaches = decide(given_events(*past, policy="record"), message(draft))
    assert words(breaches) == broken
    assert after.version == len(past) + 1


def test_the_cases_above_break_every_rule() -> None:
    assert {rule for _, _, broken in FORBIDDEN for rule, _, _ in broken} == set(get_args(Rule))


def test_a_call_made_again_under_record_is_open_again() -> None:
    thread = given_events(calls("a"), results("a"), calls("a"), policy="record")
    assert thread.ledger[LedgerKey("call", "a")] == LedgerEntry(3)
    after, breaches = decide(thread, message(results("a")))
    assert not breaches
    assert after.ledger[LedgerKey("call", "a")] == LedgerEntry(3, 4)


def test_an_orphan_under_record_counts_as_answered() -> None:
    thread = given_events(results("a"), policy="record")
    assert thread.ledger[LedgerKey("call", "a")] == LedgerEntry(1, 1)
    assert [anomaly.rule for anomaly in decide(thread, message(results("a")))[1]] == [
        "answered_twice"
    ]


def test_a_second_answer_leaves_the_first_on_record() -> None:
    thread = given_events(calls("a"), results("a"), results("a"), policy="record")
    assert thread.ledger[LedgerKey("call", "a")] == LedgerEntry(1, 2)


def test_a_second_approval_request_opens_the_approval_again() -> None:
    assert given_events(asks("a"), answers("a"), asks("a")).ledger == {
        LedgerKey("approval", "a"): LedgerEntry(3)
    }


def test_the_start_sets_the_policy_that_holds_from_then_on() -> None:
    assert given_events(STARTED).policy == "strict"
    assert given_events({**STARTED, "policy": "record"}).policy == "record"
    assert given_events(INPUT, policy="record").policy == "record"


@pytest.mark.parametrize(
    ("past", "status"),
    [
        ([INPUT], "open"),
        ([EXIT], "exited"),
        ([EXIT, INPUT], "exited"),
        ([CLOSED], "closed"),
        ([EXIT, CLOSED], "closed"),
        ([CLOSED, EXIT], "closed"),
    ],
)
def test_a_thread_is_open_until_an_exit_or_a_close(past: list[Draft], status: str) -> None:
    assert given_events(*past, policy="record").status == status


@pytest.mark.parametrize("policy", get_args(Policy))
@given(past=st.lists(all_drafts, max_size=8), draft=all_drafts)
def test_deciding_never_changes_the_thread_it_was_given(
    policy: Policy, past: list[Draft], draft: Draft
) -> None:
    thread = recorded(*past)._replace(policy=policy)
    before = copy.deepcopy(thread)
    with suppress(RuleBroken):
        assert decide(thread, message(draft))[0].version == before.version + 1
    assert thread == before


@given(past=st.lists(all_drafts, max_size=10), draft=all_drafts)
def test_the_entries_that_are_mentioned_are_all_that_a_decision_needs(
    past: list[Draft], draft: Draft
) -> None:
    whole = recorded(*past)
    keys = mentions(message(draft))
    few = whole._replace(ledger={key: whole.ledger[key] for key in keys if key in whole.ledger})
    after_whole, breaches_whole = decide(whole, message(draft))
    after_few, breaches_few = decide(few, message(draft))
    assert breaches_few == breaches_whole
    assert {**whole.ledger, **after_few.ledger} == after_whole.ledger
    assert after_few._replace(ledger={}) == after_whole._replace(ledger={})


@given(past=st.lists(all_drafts, max_size=10), draft=all_drafts)
def test_every_entry_that_is_mentioned_is_needed(past: list[Draft], draft: Draft) -> None:
    thread = recorded(*past)._replace(ledger={})
    after, _ = decide(thread, message(draft))
    assert set(after.ledger) == set(mentions(message(draft)))


@given(past=st.lists(all_drafts, max_size=10), draft=all_drafts)
def test_strict_refuses_just_what_record_lists(past: list[Draft], draft: Draft) -> None:
    recording = recorded(*past)
    after, breaches = decide(recording, message(draft))
    strict = recording._replace(policy="strict")
    if breaches:
        with pytest.raises(RuleBroken) as caught:
            decide(strict, message(draft))
        assert caught.value.flaws == tuple(breach.flaw for breach in breaches)
    else:
        strict_after, none = decide(strict, message(draft))
        assert not none
        assert (strict_after.status, strict_after.ledger) == (after.status, after.ledger)
