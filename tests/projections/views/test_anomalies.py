"""The list of breaches, held against the thread's rules with the whole ledger."""

from collections.abc import Iterator, Sequence
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from agentlog.domain.events import Event
from agentlog.domain.threads import Thread, decide
from agentlog.projections.view import Item, render
from agentlog.projections.views.anomalies import AnomaliesView
from tests.histories import drafts, histories, history

VIEW = AnomaliesView()

facts: st.SearchStrategy[dict[str, Any]] = st.sampled_from(
    [
        {"type": "thread.started"},
        {"type": "thread.started", "policy": "strict"},
        {"type": "thread.closed"},
        {"type": "thread.annotated", "metadata": {"a": 1}},
    ]
)
started_histories = st.lists(drafts | facts, max_size=16).map(lambda chosen: history(*chosen))


def breaches(events: Sequence[Event]) -> Iterator[Item]:
    """Yield what the rules say, deciding on the whole thread one event after another."""
    thread = Thread("test", policy="record")
    for event in events:
        if event.message is None:
            thread = thread._replace(version=thread.version + 1)
            continue
        after, broken = decide(thread, event.message)
        thread = after._replace(policy="record")
        for breach in broken:
            yield {
                "rule": breach.rule,
                "version": event.version,
                "messageId": event.message_id,
                "type": event.type,
                "place": breach.flaw.place,
                "reason": breach.flaw.reason,
                "severity": "note" if breach.rule.startswith("duplicate") else "warning",
            }


@given(events=histories(max_size=20) | started_histories)
def test_every_breach_is_listed_in_order(events: list[Event]) -> None:
    assert [placed.item for placed in render(VIEW, events).items] == list(breaches(events))


@given(events=started_histories, data=st.data())
def test_an_older_carry_stays_what_it_was_after_folding_on(
    events: list[Event], data: st.DataObject
) -> None:
    cut = data.draw(st.integers(0, len(events)))
    middle = render(VIEW, events[:cut]).carry
    before = VIEW.dump(middle)
    first = render(VIEW, events[cut:], middle)
    assert VIEW.dump(middle) == before
    again = render(VIEW, events[cut:], VIEW.load(before))
    assert again.settled == first.settled
    assert VIEW.dump(again.carry) == VIEW.dump(first.carry)


def test_a_breach_says_which_rule_where_and_why() -> None:
    calls: dict[str, Any] = {"type": "tool_calls", "calls": [{"id": "a", "name": "x"}]}
    events = history(
        {"type": "thread.started", "policy": "record"},
        calls,
        {"type": "tool_results", "results": [{"callId": "a", "output": 1}]},
        {"type": "exit", "reason": "complete"},
        calls,
    )
    items = render(VIEW, events).items
    assert [(placed.version, placed.ordinal) for placed in items] == [(5, 0), (5, 1)]
    assert [placed.item for placed in items] == [
        {
            "rule": "after_exit",
            "version": 5,
            "messageId": events[4].message_id,
            "type": "tool_calls",
            "place": "",
            "reason": "the agent has exited: only log messages follow; start another thread",
            "severity": "warning",
        },
        {
            "rule": "duplicate_call",
            "version": 5,
            "messageId": events[4].message_id,
            "type": "tool_calls",
            "place": "calls[0].id",
            "reason": "call id 'a' is taken by version 2: ids are unique in a thread",
            "severity": "note",
        },
    ]


def test_a_history_that_keeps_the_rules_has_no_anomalies() -> None:
    turns: list[dict[str, Any]] = []
    for n in range(50):
        turns += [
            {"type": "input", "text": "hi"},
            {"type": "tool_calls", "calls": [{"id": f"c{n}", "name": "x"}]},
            {"type": "tool_results", "results": [{"callId": f"c{n}", "output": 1}]},
        ]
    rendering = render(VIEW, history(*turns))
    assert not rendering.items
    assert rendering.carry.ledger.size == 50
