"""Arrays that are printed already print as what they hold, wherever they stand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlog.domain.errors import InvalidJson
from agentlog.domain.json.printed import PrintedArray, Text
from agentlog.domain.json.text import print_bytes
from agentlog.domain.json.values import JsonValue
from tests.histories import json_values


class Later:
    """A text that is not there until it is asked for."""

    def __init__(self, text: bytes) -> None:
        self._text = text

    def __len__(self) -> int:
        return len(self._text)

    def __bytes__(self) -> bytes:
        return self._text


@given(items=st.lists(json_values, max_size=200), data=st.data())
def test_an_array_prints_as_its_items_however_they_are_put_together(
    items: list[JsonValue], data: st.DataObject
) -> None:
    texts: list[Text] = []
    rest = list(map(print_bytes, items))
    while rest:
        count = data.draw(st.integers(1, len(rest)))
        run, rest = b",".join(rest[:count]), rest[count:]
        texts.append(Later(run) if data.draw(st.booleans()) else run)
    one_by_one = PrintedArray.of(list(map(print_bytes, items)))
    for array in (PrintedArray(texts), one_by_one):
        assert bytes(array) == print_bytes(items)
        assert sum(map(len, array.pieces)) == len(bytes(array))
        assert print_bytes({"a": [array, 1], "b": array}) == print_bytes(
            {"a": [items, 1], "b": items}
        )


def test_it_prints_also_where_orjson_cannot_print_what_stands_beside_it() -> None:
    array = PrintedArray([b"1,2", b"3"])
    assert print_bytes({"large": 2**70, "array": array}) == b'{"large":%d,"array":[1,2,3]}' % 2**70
    with pytest.raises(InvalidJson, match="lone surrogate"):
        print_bytes({"lone": "\ud800", "array": array})
