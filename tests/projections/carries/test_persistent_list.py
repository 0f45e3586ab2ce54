"""Lists and maps for carries, held against plain ones."""

import itertools
from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from agentlog.domain.json.text import parse_stored, print_bytes
from agentlog.domain.json.values import JsonValue
from agentlog.projections.carries.persistent_list import Layers, PrintedList

keys = st.sampled_from([f"k{n}" for n in range(12)])
changes = st.dictionaries(keys, st.none() | st.integers(0, 9), max_size=4)


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(',"]é', max_size=3),
    lambda inner: st.lists(inner, max_size=3),
    max_leaves=4,
)


@given(size=st.integers(0, 300), branch=st.integers(0, 300))
def test_a_list_holds_what_was_appended_on_every_branch(size: int, branch: int) -> None:
    olds = [PrintedList()]
    for n in range(size):
        olds.append(olds[-1].append(b"%d" % n))
    other = olds[min(branch, size)].append(b"-1")
    for length, old in enumerate(olds):
        assert list(old) == list(range(length))
        assert (old.size, bool(old)) == (length, length > 0)
    assert list(other) == [*range(min(branch, size)), -1]


@given(items=st.lists(values, max_size=100), data=st.data())
def test_a_list_prints_as_its_items_however_they_came(
    items: list[JsonValue], data: st.DataObject
) -> None:
    one_by_one = PrintedList.of(items)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(items)), max_size=4)))
    by_runs = PrintedList()
    for start, end in itertools.pairwise([0, *cuts, len(items)]):
        if end - start == 1:
            by_runs = by_runs.append(print_bytes(items[start]))
        elif end > start:
            by_runs = by_runs.extend(end - start, print_bytes(items[start:end])[1:-1])
    for made in (one_by_one, by_runs):
        assert (made.size, list(made)) == (len(items), items)
        assert print_bytes(made.json) == print_bytes(items)
    assert by_runs.beyond(one_by_one) == one_by_one.beyond(by_runs) == (len(items), b"")


@given(items=st.lists(values, min_size=1, max_size=100), data=st.data())
def test_a_list_gives_its_last_item_and_the_list_without_it(
    items: list[JsonValue], data: st.DataObject
) -> None:
    cut = data.draw(st.integers(0, len(items) - 1))
    run = print_bytes(items[cut:])[1:-1]
    for made in (PrintedList.of(items), PrintedList.of(items[:cut]).extend(len(items) - cut, run)):
        last, others = made.pop()
        assert last == items[-1]
        assert (others.size, list(others)) == (len(items) - 1, items[:-1])
        assert list(others.append(b"5")) == [*items[:-1], 5]


def test_an_append_shares_the_full_chunks() -> None:
    items = PrintedList()
    for n in range(1000):
        grown = items.append(b"%d" % n)
        assert all(a is b for a, b in zip(items.full, grown.full, strict=False))
        items = grown
    assert len(items.tail) < 64
    assert len(items.full) >= 1000 // 64


@given(steps=st.lists(changes, max_size=20))
def test_layers_hold_what_was_put_and_not_what_was_taken_away(
    steps: Sequence[dict[str, int | None]],
) -> None:
    layers: Layers[int] = Layers()
    plain: dict[str, int | None] = {}
    before: list[tuple[Layers[int], dict[str, int]]] = []
    for step in steps:
        layers = layers.with_changes(step)
        plain |= step
        present = {key: value for key, value in plain.items() if value is not None}
        before.append((layers, present))
    for old, present in before:  # a later change leaves an older map as it was
        assert dict(old.items()) == present
        assert old.size == len(present)
        assert {key: old.get(key) for key in present} == present
        assert old.get("absent") is None


@given(steps=st.lists(changes, max_size=20))
def test_each_layer_is_at_least_twice_the_next(steps: Sequence[dict[str, int | None]]) -> None:
    layers: Layers[int] = Layers()
    for step in steps:
        layers = layers.with_changes(step)
    sizes = [len(layer) for layer in layers.layers]
    assert all(one >= 2 * other for one, other in itertools.pairwise(sizes))
    assert all(sizes)


def test_a_map_that_was_emptied_keeps_nothing() -> None:
    layers: Layers[int] = Layers()
    for n in range(1000):
        layers = layers.with_changes({f"k{n}": n}).with_changes({f"k{n}": None})
    assert sum(map(len, layers.layers)) < 8
    assert layers.size == 0


def test_keys_come_in_the_order_they_first_came() -> None:
    layers: Layers[int] = Layers()
    for key in "cabcd":
        layers = layers.with_changes({key: 1})
    assert [key for key, _ in layers.items()] == ["c", "a", "b", "d"]


@given(steps=st.lists(changes, max_size=12))
def test_a_map_survives_json(steps: Sequence[dict[str, int | None]]) -> None:
    layers: Layers[int] = Layers()
    for step in steps:
        layers = layers.with_changes(step)
    read = TypeAdapter(Layers[int]).validate_python(parse_stored(print_bytes(layers)))
    assert read == layers
    assert print_bytes(read) == print_bytes(layers)
