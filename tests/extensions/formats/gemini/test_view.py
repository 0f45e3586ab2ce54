"""No history, however broken, gives contents that the rules of Gemini's API refuse."""

from typing import Any

from google.genai.types import Content
from hypothesis import given
from hypothesis import strategies as st

from agentlog.domain.events import Event
from agentlog.domain.json.text import print_bytes
from agentlog.projections.readers.messages import anthropic
from tests.broken_histories import broken_histories
from tests.extensions.formats.gemini.refusals import refusals
from tests.histories import examples, history
from tests.projections.views import test_repair
from tests.projections.views.test_repair import APART, SEEN, SVG, imported, shown


@given(events=broken_histories, data=st.data())
@examples(200, long=2500)
def test_the_api_takes_what_is_shown_at_any_moment(
    events: list[Event], data: st.DataObject
) -> None:
    test_repair.check_taken("gemini", refusals, events)
    end = data.draw(st.integers(0, len(events)))
    assert refusals(shown("gemini", events[:end])) == []


@given(broken_histories)
@examples(100)
def test_the_types_of_the_package_take_what_is_shown(events: list[Event]) -> None:
    for item in shown("gemini", events, system=False):
        Content.model_validate(item)


@given(test_repair.talks)
@examples(100)
def test_every_text_and_result_is_shown_once(talk: list[Any]) -> None:
    test_repair.check_texts("gemini", refusals, talk)


@given(broken_histories)
@examples(50)
def test_marks_change_nothing_else(events: list[Event]) -> None:
    test_repair.check_marks("gemini", events)


def test_results_that_come_apart_stand_together_in_the_order_of_their_calls() -> None:
    responses = shown("gemini", imported(APART, anthropic))[2]["parts"]
    assert [part["functionResponse"]["id"] for part in responses] == ["1", "2", "3"]


def test_an_image_in_a_result_is_seen_and_not_read_as_words() -> None:
    seen = shown("gemini", imported(SEEN, anthropic))[3]["parts"][1]
    assert seen["inlineData"]["mimeType"] == "image/png"


def test_an_svg_is_no_image() -> None:
    assert b"[image/svg+xml, 6 bytes]" in print_bytes(shown("gemini", history(SVG)))


def test_a_call_that_is_given_up_does_not_hold_the_view_back() -> None:
    test_repair.check_given_up("gemini", refusals)
