"""JSON Patch: as the package `jsonpatch` applies it, an operation at a time, and within bounds."""

from copy import deepcopy
from typing import Any

import jsonpatch
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlog.domain.json.places import is_deeper
from agentlog.domain.json.text import print_bytes
from agentlog.domain.json.values import JsonValue
from agentlog.extensions.formats.json_patch import MOST_LEVELS, Bounds, patched
from tests.bounds.counted import lines_of
from tests.histories import examples

ENOUGH = 10**6

documents = st.recursive(
    st.none() | st.booleans() | st.integers(0, 5) | st.sampled_from(["a", "b"]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["a", "b", "c", "0", "-", "~/"]), inner, max_size=3)
    ),
    max_leaves=12,
)
pointers = st.lists(st.sampled_from(["a", "b", "c", "0", "1", "2", "-", "~0~1"]), max_size=4).map(
    lambda tokens: "".join(f"/{token}" for token in tokens)
)
operations = st.fixed_dictionaries(
    {
        "op": st.sampled_from(["add", "remove", "replace", "move", "copy", "test"]),
        "path": pointers,
        "from": pointers,
        "value": documents,
    }
)


def _bounds(size: int = ENOUGH, work: int = ENOUGH) -> Bounds:
    return Bounds(size=size, work=work)


@given(documents, documents)
@examples(100)
def test_a_patch_that_another_program_made_applies_whole(before: Any, after: Any) -> None:
    patch = list(jsonpatch.make_patch(before, after))
    assert patched(before, patch, _bounds()) == (after, [])


@given(documents, st.lists(operations, max_size=5))
@examples(200)
def test_each_operation_does_what_the_package_does_or_is_told(
    document: Any, patch: list[Any]
) -> None:
    expected, failed = deepcopy(document), 0
    for operation in patch:
        try:
            expected = jsonpatch.apply_patch(expected, [operation])
        except (jsonpatch.JsonPatchException, jsonpatch.JsonPointerException):
            failed += 1
    given_document, given_patch = deepcopy(document), deepcopy(patch)
    after, failures = patched(document, patch, _bounds())
    assert (after, len(failures)) == (expected, failed)
    assert (document, patch) == (given_document, given_patch)


@given(documents, st.lists(operations, max_size=8), st.integers(0, 60))
@examples(200)
def test_a_document_grows_by_no_more_than_it_may(
    document: Any, patch: list[Any], size: int
) -> None:
    bounds = _bounds(size)
    after, _ = patched(document, patch, bounds)
    punctuation = 4 * sum(operation["op"] in {"add", "copy", "move"} for operation in patch)
    assert len(print_bytes(after)) <= len(print_bytes(document)) + size + punctuation
    assert bounds.size >= 0


@pytest.mark.parametrize(
    ("operation", "reason"),
    [
        ({"op": "add", "path": "/a"}, "its value is not on record"),
        ({"op": "swap", "path": "/a", "value": 1}, "an unknown operation"),
        ({"op": "add", "path": "a", "value": 1}, "its path is no JSON Pointer"),
        ({"op": "add", "value": 1}, "its path is no JSON Pointer"),
        ({"op": "remove", "path": "/b"}, "there is no 'b'"),
        ({"op": "remove", "path": "/a/1"}, "there is no place '1'"),
        (7, "an unknown operation"),
    ],
)
def test_what_does_not_apply_is_told_with_its_reason(operation: JsonValue, reason: str) -> None:
    after, failures = patched({"a": [0]}, [operation], _bounds())
    assert after == {"a": [0]}
    assert [failure.reason for failure in failures] == [reason]


def test_copies_of_copies_end_where_the_size_does() -> None:
    patch: list[JsonValue] = [
        {"op": "copy", "from": "/a", "path": f"/a/{name}"} for name in "bcdefghijklmnopqrstuvwxyz"
    ]
    after, failures = patched({"a": {"text": "x" * 100}}, patch, _bounds(10_000))
    assert len(print_bytes(after)) < 11_000
    assert {failure.reason for failure in failures} == {"the state would be too large"}


def test_nesting_ends_before_json_does() -> None:
    patch: list[JsonValue] = [
        {"op": "add", "path": "/a" * count, "value": {}} for count in range(1, 300)
    ]
    after, failures = patched({}, patch, _bounds())
    assert not is_deeper(after, MOST_LEVELS)
    assert len(failures) == 300 - MOST_LEVELS


def test_work_is_bounded_whatever_a_patch_copies() -> None:
    wide: JsonValue = {"a": [0] * 1000}

    def lines(count: int) -> int:
        patch: list[JsonValue] = [{"op": "copy", "from": "/a", "path": "/a/0"}] * count
        return lines_of(lambda: patched(wide, patch, _bounds(ENOUGH, work=10_000)))

    lines(1)
    assert lines(400) <= 12 * lines(50)
