"""What a JSON text holds is found before it is parsed, by its signs outside of strings."""

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from agentlog.api.http.request.limits import exceeded

_ANY = 10**9

_KEY = st.just("messages")
_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text('",:[]{}\\m messages'),
    lambda inner: st.lists(inner) | st.dictionaries(st.text('",:[]{}\\m') | _KEY, inner),
    max_leaves=30,
)


def _parts_of(value: Any) -> int:
    """Count brackets, colons, commas and strings as they are printed."""
    match value:
        case str():
            return 1
        case dict():
            inside = sum(2 + _parts_of(inner) for inner in value.values())
            return 2 + inside + max(0, len(value) - 1)
        case list():
            return 2 + sum(map(_parts_of, value)) + max(0, len(value) - 1)
        case _:
            return 0


def _messages_of(value: Any) -> int | None:
    """Return how many messages a body has, None where it has no list of them."""
    if isinstance(value, dict):
        value = value.get("messages")
    return len(value) if isinstance(value, list) else None


@given(_VALUES, st.booleans(), st.sampled_from([None, 1]))
def test_parts_are_counted_exactly(value: Any, ascii_only: bool, indent: int | None) -> None:  # noqa: FBT001 - drawn
    text = json.dumps(value, ensure_ascii=ascii_only, indent=indent).encode()
    count = _parts_of(value)
    assert exceeded(text, parts=count, messages=_ANY) is None
    if count:
        assert exceeded(text, parts=count - 1, messages=_ANY) == "parts"


@given(_VALUES)
@example({"messages": [1, 2, [3, 4]], "other": [5, 6, 7]})
@example([{"messages": [1, 2, 3]}])
@example({"messages": "messages", "a": [1, 2]})
def test_messages_are_counted_exactly(value: Any) -> None:
    text = json.dumps(value).encode()
    count = _messages_of(value)
    if count:
        assert exceeded(text, parts=_ANY, messages=count) is None
    if count is None:
        assert exceeded(text, parts=_ANY, messages=1) is None
    elif count > 1:
        assert exceeded(text, parts=_ANY, messages=count - 1) == "messages"


@pytest.mark.parametrize(
    "text", [b'"' + b", [" * 10_000 + b'"', b'"\\",' * 9 + b'"', b"9" * 10_000]
)
def test_signs_within_strings_and_digits_are_no_parts(text: bytes) -> None:
    assert exceeded(text, parts=10, messages=10) is None


def test_what_stands_before_a_flaw_counts() -> None:
    assert exceeded(b"[" + b"[]," * 100 + b'"never ended', parts=100, messages=_ANY) == "parts"
