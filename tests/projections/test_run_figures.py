"""A run's words, time, calls and cost are one figure: in lists, `why`, groups and outlines."""

from dataclasses import astuple

import pytest
from hypothesis import given

from agentlog.domain.events import Event
from agentlog.projections.outcomes.words import WordCounts
from agentlog.projections.readmodels.suspicions import Suspicions
from agentlog.projections.readmodels.threads import Threads
from agentlog.projections.view import render
from agentlog.projections.views.timeline.view import TimelineOptions, TimelineView
from agentlog.projections.why.trail import trail_of
from tests.histories import histories
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
