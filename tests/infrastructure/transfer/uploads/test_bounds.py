"""Values of a file are counted in pieces, whatever stands in its strings."""

import re
from pathlib import PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlog.domain.json.text import print_bytes
from agentlog.infrastructure.transfer.files.source_file import SourceFile, UnreadableSource
from agentlog.infrastructure.transfer.uploads import run
from tests.histories import json_values

_STRING = re.compile(rb'"(?:[^"\\]|\\.)*"', re.DOTALL)


def by_lines(data: bytes) -> int:
    """Return the same number, counted a line at a time."""
    counted = [_STRING.subn(b"", line) for line in data.split(b"\n")]
    return sum(
        strings + sum(sign in b"[]{}:," for sign in rest) for rest, strings in counted
    ) + 8 * data.count(b"\n")


def file(data: bytes) -> SourceFile:
    return SourceFile("a.json", PurePosixPath("a.json"), len(data), lambda: data)


@given(st.lists(json_values, max_size=6), st.integers(1, 40), st.booleans())
def test_pieces_count_as_the_whole_does(values: list[object], piece: int, lines: bool) -> None:  # noqa: FBT001 - drawn
    data = (b"\n" if lines else b",").join(map(print_bytes, values))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run, "_PIECE", piece)
        counted = run._parts(data)
        most = run._most_parts(data)
    assert by_lines(data) <= counted <= by_lines(data) + len(data) // piece + 1
    assert most >= by_lines(data)


@given(st.binary(max_size=60), st.integers(1, 9))
def test_no_quote_hides_what_stands_on_another_line(broken: bytes, piece: int) -> None:
    data = broken + b"\n" + b"[]," * 20
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run, "_PIECE", piece)
        assert run._parts(data) >= 60


def test_a_file_of_many_values_is_refused_and_a_long_text_is_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(run, "_MOST_PARTS", 100)
    text = print_bytes(["a, [b]: {c} " * 1000])
    assert run.bounded(file(text), most_bytes=len(text)).content() == text
    with pytest.raises(UnreadableSource, match="more than 100 brackets"):
        run.bounded(file(b"[" + b"[]," * 40 + b"1]"), most_bytes=1000).content()
    with pytest.raises(UnreadableSource, match="larger than 99 bytes"):
        run.bounded(file(b"x" * 100), most_bytes=99).content()
