"""Answers are read from attributes of the same names."""

from dataclasses import dataclass

import pytest
from typing_extensions import TypedDict

from agentlog.api.shapes.shape import shaped


class Answer(TypedDict):
    threadId: str
    isOpen: bool


@dataclass
class Source:
    thread_id: str = "t"
    is_open: bool = False


def test_a_value_stands_in_the_place_of_an_attribute() -> None:
    assert shaped(Answer, Source()) == {"threadId": "t", "isOpen": False}
    assert shaped(Answer, Source(), isOpen=True) == {"threadId": "t", "isOpen": True}


@pytest.mark.parametrize("name", ["isopen", "is_open", "open"])
def test_a_value_of_no_field_is_refused(name: str) -> None:
    with pytest.raises(TypeError, match=f"Answer has no {name}"):
        shaped(Answer, Source(), **{name: True})
