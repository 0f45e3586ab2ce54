"""What differs within a pair: edits lead from the one text to the other, patches likewise."""

from typing import Any

import jsonpatch
from hypothesis import given
from hypothesis import strategies as st

from agentlog.domain.json.canonical import canonical, canonical_bytes
from agentlog.projections.comparison.changes import MOST_CHARACTERS, Edit, changes, edits, shortened
from tests.histories import json_values, texts

words = st.lists(st.sampled_from(["the", "fox", " ", ".", "\n", "é"]), max_size=12).map("".join)


def _applied(text: str, made: list[Edit]) -> str:
    parts, at = [], 0
    for edit in made:
        assert text[edit.a :].startswith(edit.removed)
        parts += [text[at : edit.a], edit.added]
        at = edit.a + len(edit.removed)
    return "".join([*parts, text[at:]])


@given(words | texts, words | texts)
def test_edits_lead_from_one_text_to_the_other(before: str, after: str) -> None:
    made = edits(before, after)
    assert _applied(before, made) == after
    assert all(after[edit.b :].startswith(edit.added) for edit in made)
    assert bool(made) == (before != after)


def test_whole_words_are_edited_and_blanks_between_them_join_edits() -> None:
    assert edits("a quick brown fox jumps", "a slow red fox jumps on") == [
        Edit(2, 2, "quick brown", "slow red"),
        Edit(23, 20, "", " on"),
    ]


def test_texts_too_long_to_align_differ_between_their_equal_ends() -> None:
    before = f"begin {' '.join(f'a{n}' for n in range(3000))} end"
    after = f"begin {' '.join(f'b{n}' for n in range(3000))} end"
    (edit,) = edits(before, after)
    assert (edit.a, edit.b) == (6, 6)
    assert _applied(before, [edit]) == after


@given(json_values, json_values)
def test_changes_are_a_patch(before: Any, after: Any) -> None:
    made = changes(before, after)
    assert made is not None
    patch = [change.operation for change in made]
    done = jsonpatch.apply_patch(canonical(before), patch)
    assert canonical_bytes(done) == canonical_bytes(after)


def test_texts_within_values_have_their_edits() -> None:
    made = changes({"to": "BER now", "n": 1}, {"to": "MUC now", "n": 1.0})
    assert made is not None
    (change,) = made
    assert change.operation == {"op": "replace", "path": "/to", "value": "MUC now"}
    assert change.edits == [Edit(0, 0, "BER", "MUC")]


def test_large_contents_are_cut_or_left_out() -> None:
    assert changes({"a": "x" * 20_000}, {"a": "y"}) is None
    assert changes("x" * 20_000, "y") is not None
    assert changes("x" * 100_000, "y") is None
    assert shortened({"a": ["x" * 3000], "b": 1}) == ({"a": ["x" * MOST_CHARACTERS], "b": 1}, True)
    assert shortened(["x" * MOST_CHARACTERS]) == (["x" * MOST_CHARACTERS], False)
    assert shortened(list(range(100_000))) == (list(range(50)), True)
    assert shortened(["x" * MOST_CHARACTERS] * 50) == (None, True)
