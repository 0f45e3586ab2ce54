"""The view `remarks`, and that no other view knows of remarks."""

from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from agentlog.domain.catalogue import REMARK_TYPES
from agentlog.domain.events import Event
from agentlog.domain.json.values import JsonObject, object_of
from agentlog.projections.registry import VIEWS, AnyView
from agentlog.projections.view import StateView, render
from agentlog.projections.views.remarks import RemarksView
from tests.histories import event, examples, histories, history
from tests.projections.laws import (
    check_an_older_carry_stays,
    check_rebuilding_gives_equal_bytes,
    check_resuming_equals_replaying,
)

words = st.sampled_from(["a", "b", "\u00e9"])
remarks = st.one_of(
    st.fixed_dictionaries({"type": st.just("thread.noted"), "text": words | st.none()})
    | st.fixed_dictionaries(
        {"type": st.just("thread.noted"), "text": words | st.none(), "replaces": st.integers(1, 9)}
    ),
    st.fixed_dictionaries(
        {"type": st.just("thread.labelled")}, optional={"add": st.lists(words), "remove": words}
    ),
    st.fixed_dictionaries(
        {"type": st.just("thread.judged"), "verdict": words | st.none()},
        optional={"criterion": words, "score": st.floats(0, 1), "on": st.integers(1, 9)},
    ),
)


@st.composite
def remarked(draw: st.DrawFn) -> list[Event]:
    """Draw a history with remarks at any places, some of which no catalogue can read."""
    versions: list[Event] = []
    for known in draw(histories()):
        for raw in (*draw(st.lists(remarks, max_size=2)), None):
            version = len(versions) + 1
            if raw is not None:
                versions.append(event(version, raw))
            else:
                versions.append(
                    Event(
                        known.thread_id,
                        version,
                        known.type,
                        known.body,
                        known.message_id,
                        version,
                        known.recorded_at,
                        known.metadata,
                    )
                )
    return [
        *versions,
        *(event(len(versions) + 1, raw) for raw in draw(st.lists(remarks, max_size=1))),
    ]


def shown(view: AnyView, events: list[Event]) -> object:
    rendering = render(view, events)
    if isinstance(view, StateView):
        return view.state(rendering.carry)
    return [item.item for item in rendering.items if item.item.get("kind") not in REMARK_TYPES]


@pytest.mark.parametrize("name", sorted(VIEWS.keys() - {"remarks"}))
@given(remarked())
@examples(30)
def test_no_other_view_is_changed_by_remarks(name: str, events: list[Event]) -> None:
    without = [event for event in events if event.type not in REMARK_TYPES]
    assume(without)  # no event names its thread
    assert shown(VIEWS[name](), events) == shown(VIEWS[name](), without)


@given(remarked(), st.integers(0, 20))
def test_the_laws_of_views_hold_for_remarks(events: list[Event], cut: int) -> None:
    view = RemarksView()
    check_resuming_equals_replaying(view, events, cut)
    check_an_older_carry_stays(view, events, cut)
    check_rebuilding_gives_equal_bytes(view, events)


def state(*drafts: dict[str, Any]) -> JsonObject:
    view = RemarksView()
    return object_of(view.state(render(view, history(*drafts)).carry))


HELLO = {"type": "input", "text": "hello"}


def noted(**fields: Any) -> dict[str, Any]:
    return {"type": "thread.noted", **fields}


def judged(**fields: Any) -> dict[str, Any]:
    return {"type": "thread.judged", **fields}


def test_a_note_is_changed_by_a_later_one_and_taken_back_by_one_without_a_text() -> None:
    first, second = noted(text="why?", on=1), noted(text="all in all good")
    notes: Any = state(HELLO, first, second, noted(text="ah", replaces=2))["notes"]
    assert [(note["version"], note["text"], note["on"], note["edited"]) for note in notes] == [
        (2, "ah", 1, 4),
        (3, "all in all good", None, None),
    ]
    left: Any = state(HELLO, first, second, noted(replaces=2))["notes"]
    assert [note["version"] for note in left] == [3]


def test_the_last_verdict_by_a_criterion_stands() -> None:
    verdicts: Any = state(
        HELLO,
        judged(verdict="fail"),
        judged(criterion="style", score=0.5, comment="dry"),
        judged(verdict="pass"),
        judged(verdict="fail", on=1),
        judged(criterion="tone", verdict="warm"),
        judged(criterion="tone", verdict=None),
    )["verdicts"]
    assert [
        (verdict["criterion"], verdict["verdict"], verdict["score"], verdict["on"])
        for verdict in verdicts
    ] == [("style", None, 0.5, None), (None, "pass", None, None), (None, "fail", None, 1)]


def test_labels_are_kept_once_in_the_order_in_which_they_came() -> None:
    def labelled(*add: str, remove: tuple[str, ...] = ()) -> dict[str, Any]:
        return {"type": "thread.labelled", "add": add, "remove": remove}

    given = labelled("b", "a"), labelled("c", "a", remove=("b",)), labelled("b")
    assert state(HELLO, *given)["labels"] == ["a", "c", "b"]


def test_who_said_it_is_shown_with_the_key() -> None:
    (said,) = history(noted(text="x", timestamp=7))
    said.metadata.update({"actor": "sam", "appendedBy": "k1"})
    view = RemarksView()
    notes: Any = view.state(render(view, [said]).carry)["notes"]
    assert [(note["actor"], note["appendedBy"], note["timestamp"]) for note in notes] == [
        ("sam", "k1", 7)
    ]
