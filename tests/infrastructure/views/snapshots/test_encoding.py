"""What rows hold: what was packed comes out, and whatever has changed since is noticed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlog.domain.json.text import print_bytes
from agentlog.domain.json.values import JsonValue
from agentlog.infrastructure.views.snapshots.encoding import GARBAGE, packed_lists, unpacked_lists
from agentlog.projections.carries.growth import Growth
from tests.histories import json_values, texts


def _growth(kept: int, items: list[JsonValue]) -> Growth:
    return Growth(kept, len(items), print_bytes(items)[1:-1])


growths = st.builds(_growth, st.integers(0, 9), st.lists(json_values, max_size=5))


def _plain(lists: dict[str, Growth]) -> dict[str, tuple[int, int, int, bytes]]:
    return {
        name: (growth.kept, growth.count, len(growth.added), bytes(growth.added))
        for name, growth in lists.items()
        if growth.count
    }


@given(lists=st.dictionaries(texts, growths, max_size=3))
def test_what_lists_grew_by_comes_out_as_it_was(lists: dict[str, Growth]) -> None:
    read = unpacked_lists(packed_lists(lists))
    assert _plain(read) == _plain(lists)
    assert _plain(unpacked_lists(packed_lists(read))) == _plain(lists)
    assert {
        name: (growth.kept, growth.count, len(growth.added)) for name, growth in read.items()
    } == {name: (growth.kept, growth.count, len(growth.added)) for name, growth in lists.items()}


def test_what_is_missing_and_what_is_too_much_is_noticed() -> None:
    data = packed_lists({"lines": _growth(3, ["a", "b"])})
    for spoilt in [*(data[:end] for end in range(len(data))), data + b"\0", data + data]:
        with pytest.raises(GARBAGE):
            unpacked_lists(spoilt)
