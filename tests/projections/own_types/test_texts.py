"""What messages of own types say in a line."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlog.projections.own_types.registry import OWN_TYPES
from agentlog.projections.own_types.texts import LONGEST, custom_text
from tests.histories import json_values

_UUID = "7d1db301-e169-4649-a21b-1ea3ad00cfee"


@pytest.mark.parametrize(
    ("type_name", "payload", "text"),
    [
        (
            "langgraph.checkpoint",
            {"id": "c1", "metadata": {"step": 0, "source": "loop"}, "values": {"notes": 1}},
            "step 0 · loop · notes",
        ),
        (
            "langgraph.writes",
            {"path": "", "writes": [[0, "notes", {}], [1, "plan", {}]]},
            "notes, plan",
        ),
        (
            "vendor.odd",
            {"uuid": _UUID, "made": _UUID, "nothing": None, "list": [1], "count": 0, "name": "x"},
            "count: 0, name: x, list: [1]",
        ),
        ("vendor.odd", "a\ntext", "a text"),
        ("vendor.odd", None, ""),
    ],
)
def test_it_says_what_distinguishes_it(type_name: str, payload: Any, text: str) -> None:
    assert custom_text(type_name, payload) == text


_names = st.sampled_from(
    "score scorer changes cmd result type name scores eval state content values writes".split()
)


@given(json_values | st.dictionaries(_names, json_values))
def test_any_payload_has_one_line_in_any_type(payload: Any) -> None:
    types = [f"{wire}.{kind}" for wire, own in OWN_TYPES.items() for kind in own.texts]
    for type_name in (*types, "vendor.any"):
        text = custom_text(type_name, payload)
        assert len(text) <= LONGEST
        assert "\n" not in text
