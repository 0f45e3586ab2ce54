"""Every parser: eight times as much takes about eight times the work, whatever is repeated."""

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentlog.domain.errors import InvalidInput
from tests.bounds.counted import lines_of
from tests.bounds.entry_points import ENTRY_POINTS

RELIABILITY = Path(__file__).parents[2] / "docs" / "why" / "reliability.md"


@pytest.mark.parametrize("name", ENTRY_POINTS)
@settings(max_examples=10)
@given(data=st.data())
def test_work_grows_as_the_input_does(name: str, data: st.DataObject) -> None:
    point = ENTRY_POINTS[name]
    pieces = st.lists(st.sampled_from(point.pieces), max_size=3).map("".join)
    begin, repeated, end = (data.draw(pieces) for _ in range(3))
    if data.draw(st.booleans()):
        begin, end = point.frame

    def lines(count: int) -> int:
        text = begin + repeated * count + end

        def read() -> None:
            with suppress(InvalidInput):
                point.read(text)

        return lines_of(read)

    lines(1)  # what is imported or computed once is not of the input
    assert lines(400) <= 12 * lines(50) + 5000


@pytest.mark.parametrize("name", ENTRY_POINTS)
def test_the_table_names_every_parser(name: str) -> None:
    assert f"\n| {name} | {ENTRY_POINTS[name].limit} |" in RELIABILITY.read_text()
