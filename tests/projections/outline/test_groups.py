"""Groups of events: whatever begins and ends how, they never cross, and count what is in them."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlog.api.shapes.lines.outline import outline_lines
from agentlog.domain.json.values import text_at
from agentlog.projections.outcomes.words import WordCounts
from agentlog.projections.outline.groups import MOST_DEPTH, Group, groups_of
from agentlog.projections.outline.steps import outline
from agentlog.projections.own_types.registry import OWN_TYPES, Fields, OwnTypes, mark
from agentlog.projections.own_types.texts import mark_of
from agentlog.projections.view import Item, render
from agentlog.projections.views.timeline.view import TimelineOptions, TimelineView
from tests.histories import drafts as any_drafts
from tests.histories import history, json_values

VIEW = TimelineView(TimelineOptions(hint=True, attempts=True))


def groups(*drafts: dict[str, Any]) -> list[Group]:
    """Return the groups of a thread."""
    events = history(*drafts)
    return groups_of([item.item for item in render(VIEW, events).items], len(events))


@pytest.fixture(scope="module", autouse=True)
def _vendor() -> Iterator[None]:
    """Add own types of a wire: one begins a group, one ends it, one is the record of a run."""
    marks = {
        "begins": lambda fields: mark("begin", text_at(fields, "id"), text_at(fields, "name")),
        "ends": lambda fields: mark("end", text_at(fields, "id")),
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(OWN_TYPES._parts, "vendor", OwnTypes(marks=marks, record=_record))
        yield


def _record(fields: Fields) -> Item | None:
    if "run" not in fields:
        return None
    return {"mark": "run", "id": fields["run"], "name": "run", "parent": fields["parent"]}


def begin(span: str, name: str = "solver") -> dict[str, Any]:
    return {"type": "vendor.begins", "payload": {"id": span, "name": name}}


def end(span: str) -> dict[str, Any]:
    return {"type": "vendor.ends", "payload": {"id": span}}


def run(span: str, parent: str | None) -> dict[str, Any]:
    return {"type": "vendor.run", "payload": {"run": span, "parent": parent}}


SAID = {"type": "reply", "text": "x"}


def placed(*drafts: dict[str, Any]) -> list[tuple[int, int, int]]:
    return [(group.depth, group.version, group.end_version) for group in groups(*drafts)]


def test_a_span_lasts_from_its_beginning_to_its_end_with_those_inside() -> None:
    assert placed(SAID, begin("a"), SAID, begin("b"), SAID, end("b"), end("a"), SAID) == [
        (0, 2, 7),
        (1, 4, 6),
    ]


def test_a_span_without_an_end_lasts_as_long_as_what_it_lies_in() -> None:
    assert placed(begin("a"), begin("b"), SAID, end("a"), SAID) == [(0, 1, 4), (1, 2, 4)]
    (group,) = groups(begin("a"), SAID, SAID)
    assert (group.end_version, group.is_closed) == (3, False)


def test_of_spans_that_overlap_the_first_lasts_as_long_as_the_second() -> None:
    assert placed(begin("a"), begin("b"), SAID, end("a"), SAID, end("b")) == [(0, 1, 6), (1, 2, 6)]


def test_an_end_without_a_beginning_is_an_event_like_others() -> None:
    assert groups(end("a"), SAID, end("a")) == []


def test_a_name_that_begins_twice_ends_the_latest_first() -> None:
    assert placed(begin("a"), SAID, begin("a"), SAID, end("a"), SAID, end("a")) == [
        (0, 1, 7),
        (1, 3, 5),
    ]


def test_runs_stand_in_those_that_they_name() -> None:
    drafts = [run("a", None), run("b", "a"), SAID, run("c", "b"), SAID, run("d", "a"), SAID]
    assert placed(*drafts, run("e", "lost"), SAID) == [
        *((0, 1, 7), (1, 2, 5), (2, 4, 5), (1, 6, 7)),
        (0, 8, 9),
    ]


def test_a_group_counts_failures_tokens_and_time_of_all_that_is_inside() -> None:
    answer = {"type": "llm_response", "usage": {"inputTokens": 9, "outputTokens": 2}}
    call = {"type": "tool_calls", "calls": [{"id": "c", "name": "t"}]}
    failed = {"type": "tool_results", "results": [{"callId": "c", "output": None, "error": "no"}]}
    inside = [begin("b"), answer, call, failed, end("b")]
    outer, inner = groups(answer, begin("a"), answer, *inside, end("a"), answer)
    assert (outer.words, inner.words) == (WordCounts(failures=1), WordCounts(failures=1))
    assert (outer.total.input_tokens, inner.total.input_tokens) == (18, 9)
    assert (outer.total.elapsed_ms, inner.total.elapsed_ms) == (7, 4)
    assert outer.total.cost_usd is None
    assert (outer.events, inner.events) == (8, 5)


def test_an_outline_has_a_line_before_the_steps_of_a_group() -> None:
    events = history(begin("a"), {"type": "input", "text": "x"}, end("a"))
    items = [item.item for item in render(VIEW, events).items]
    lines = outline_lines(outline(items), groups_of(items, 3), width=80)
    assert [" ".join(line.split()) for line in lines] == [
        "v1 solver, 3 events to v3 0.0s",
        "1 v2 0.0s input",
    ]


SPANS = st.sampled_from("abc")
MARKS = st.one_of(
    SPANS.map(begin),
    SPANS.map(end),
    st.builds(run, SPANS, st.none() | SPANS),
    st.just(SAID),
)


@given(st.lists(MARKS | any_drafts, max_size=40))
def test_groups_never_cross_whatever_is_recorded(drafts: list[dict[str, Any]]) -> None:
    made = groups(*drafts)
    for group in made:
        assert 1 <= group.version < group.end_version <= len(drafts)
        around = [other for other in made if other.version < group.version <= other.end_version]
        assert all(group.end_version <= other.end_version for other in around)
        assert len(around) == group.depth
    assert all(first.version < second.version for first, second in pairwise(made))


def test_groups_are_bounded_in_depth() -> None:
    deep = groups(*[begin(f"{n}") for n in range(100)], SAID)
    assert max(group.depth for group in deep) == MOST_DEPTH


@given(json_values)
def test_any_payload_of_a_span_is_a_run_or_none(payload: Any) -> None:
    marked = mark_of("otel.span", payload)
    assert marked is None or marked["mark"] == "run"
