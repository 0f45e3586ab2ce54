"""Every view over histories of which some or all was erased: none fails, none knows of it."""

from hypothesis import given
from hypothesis import strategies as st

from agentlog.domain.events import Event
from agentlog.domain.redaction import redacted_body
from agentlog.projections.view import StateView, render
from tests.histories import examples, histories
from tests.projections.laws import check_places_ascend, check_resuming_equals_replaying
from tests.projections.views.test_laws import ALL_VIEWS


def blank(event: Event, redacted: int) -> Event:
    """Return an event after its content was erased."""
    return Event(
        event.originator_id,
        event.originator_version,
        event.type,
        redacted_body(event.type, event.message_id, event.body),
        event.message_id,
        event.position,
        event.recorded_at,
        {k: v for k, v in event.metadata.items() if k == "responseId"},
        redacted,
    )


@examples(10)
@given(histories(), st.data())
def test_no_view_fails_on_what_was_erased(events: list[Event], data: st.DataObject) -> None:
    which = data.draw(
        st.sets(st.sampled_from([event.version for event in events])) if events else st.just(set())
    )
    left = [blank(event, 99) if event.version in which else event for event in events]
    for before, after in zip(events, left, strict=True):
        assert before.message is None or after.message is not None  # one without words has some now
    cut = data.draw(st.integers(min_value=0, max_value=len(left)))
    for view in ALL_VIEWS:
        shown = render(view, left)
        if isinstance(view, StateView):
            view.state(shown.carry)
        check_places_ascend(view, left)
        check_resuming_equals_replaying(view, left, cut)
