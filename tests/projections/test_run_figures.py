"""A run's words, time, calls and cost are one figure: in lists, `why`, groups and outlines."""

from collections.abc import Sequence
from dataclasses import astuple
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlog.domain.events import Event
from agentlog.domain.json.text import parse_stored
from agentlog.domain.json.values import object_of
from agentlog.projections.outcomes import pairs
from agentlog.projections.outcomes.words import WordCounts
from agentlog.projections.readmodels.model_calls import ModelCalls
from agentlog.projections.readmodels.suspicions import Suspicions
from agentlog.projections.readmodels.threads import Threads
from agentlog.projections.view import render
from agentlog.projections.views.timeline.view import TimelineOptions, TimelineView
from agentlog.projections.why.trail import trail_of
from tests.histories import examples, histories, history
from tests.projections.readmodels.folding import rows_of

VIEW = TimelineView(TimelineOptions(hint=True, attempts=True))


@given(histories())
def test_lists_and_why_have_the_same_figures(events: list[Event]) -> None:
    rows = rows_of(Threads(), events)
    trail = trail_of([placed.item for placed in render(VIEW, events).items])
    total = trail.total
    for row in rows:
        assert (row.duration_ms, row.tool_calls) == (total.elapsed_ms, len(trail.calls))
        computed, unpriced = total.computed_calls, total.unpriced_calls
        assert (row.computed_calls, row.unpriced_calls) == (computed, unpriced)
        assert total.cost_usd == (None if row.cost_usd is None else pytest.approx(row.cost_usd))
    counts = [(it.failures, it.told, it.suspected) for it in rows_of(Suspicions(), events)]
    assert (counts or [astuple(WordCounts())])[0] == astuple(trail.words)


ANSWERS = st.tuples(
    st.sampled_from(["a", "b"]),
    st.sampled_from([1, 7, 260]),
    st.sampled_from([None, "gpt-4o", "gpt-4o-mini"]),
)


def told(identity: str, output: int, model: str | None) -> dict[str, Any]:
    """Return a response of an identity; without a model where it names none."""
    usage = {"inputTokens": 10 * output, "outputTokens": output}
    return {
        "type": "llm_response",
        "usage": usage,
        "metadata": {"responseId": f"msg_{identity}"},
        **({} if model is None else {"model": model}),
    }


def most_of(drafts: Sequence[dict[str, Any]]) -> dict[str, int]:
    """Return the most that each identity wrote, by the ids alone."""
    most: dict[str, int] = {}
    for draft in drafts:
        key = draft["metadata"]["responseId"]
        most[key] = max(most.get(key, 0), draft["usage"]["outputTokens"])
    return most


@given(
    answers=st.lists(ANSWERS, min_size=2, max_size=6),
    between=st.lists(st.sampled_from([0, 1, 40, 300]), min_size=6, max_size=6),
    cut=st.integers(0, 40),
)
@examples(15, long=300)
def test_an_answer_counts_once_however_many_others_stand_between(
    answers: list[tuple[str, int, str | None]], between: list[int], cut: int
) -> None:
    drafts: list[dict[str, Any]] = []
    for n, (answer, others) in enumerate(zip(answers, between, strict=False)):
        drafts.append(told(*answer))
        drafts += [told(f"{n}_{m}", 3, "gpt-4o") for m in range(others)]
    events = history(*drafts)
    most = most_of(drafts)
    (thread,) = rows_of(Threads(), events, [min(cut, len(events))])
    calls = rows_of(ModelCalls(), events)
    total = trail_of([placed.item for placed in render(VIEW, events).items]).total
    assert thread.model_calls == len(calls) == len(most)
    written = sum(call.output_tokens or 0 for call in calls)
    assert thread.output_tokens == total.output_tokens == written == sum(most.values())
    usd = sum(call.cost_usd or 0 for call in calls)
    assert [thread.cost_usd or 0, total.cost_usd or 0] == [pytest.approx(usd)] * 2


def test_figures_of_old_answers_are_given_up_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pairs, "MOST_TOLD", 3)
    drafts = [told(f"{n % 9}", n, "gpt-4o") for n in range(1, 60)]
    events = history(*drafts)
    (thread,) = rows_of(Threads(), events, [10, 11, 30])
    total = trail_of([placed.item for placed in render(VIEW, events).items]).total
    assert thread.output_tokens == total.output_tokens
    assert len(object_of(parse_stored(thread.told_figures.encode()))) <= 2 * 3
