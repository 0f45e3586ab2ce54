"""Differences: what is told of two moments leads from the one to the other."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import jsonpatch
import pytest

from domain.json_text import print_bytes
from domain.moments import AtTime, AtVersion
from infrastructure.database import Database
from infrastructure.store import State, Store
from projections.readers.registry import choose_reader
from projections.registry import VIEWS, AnyView, choose_view
from tests.infrastructure.appends import STORY, append_apart, check_log, items_of, last_position


def _check_difference(store: Store, thread_id: str, view: AnyView, begin: int, end: int) -> None:
    found = store.difference(thread_id, view, begin=AtVersion(begin), end=AtVersion(end))
    assert (found.from_version, found.to_version) == (begin, end)
    before = store.view(thread_id, view, at=AtVersion(begin))
    after = store.view(thread_id, view, at=AtVersion(end))
    if isinstance(before, State):
        assert isinstance(after, State)
        assert found.items is None
        patched = jsonpatch.apply_patch(before.state, list(found.patch or ()))
        assert print_bytes(patched, sort_keys=True) == print_bytes(after.state, sort_keys=True)
        return
    assert found.items is not None
    assert found.patch is None
    items = {placed.key: placed for placed in before.items}
    for placed in found.items.removed:
        assert items.pop(placed.key) == placed
    for changed in found.items.changed:
        assert items[changed.place].item == changed.before
        assert changed.before != changed.after
        items[changed.place] = replace(items[changed.place], item=changed.after)
    for placed in found.items.added:
        assert placed.key not in items
        items[placed.key] = placed
    ordered = sorted(items.values(), key=lambda placed: (placed.version, placed.ordinal))
    assert ordered == list(items_of(after))


@pytest.mark.parametrize("name", list(VIEWS))
def test_a_difference_leads_from_any_point_to_any_other(store: Store, name: str) -> None:
    append_apart(store, "t", STORY)
    last = store.thread("t").version
    view = choose_view(name)
    for begin in range(0, last + 1, 2):
        for end in range(begin % 3, last + 1, 3):
            _check_difference(store, "t", view, begin, end)


def test_the_same_holds_for_the_states_of_real_conversations(
    store: Store, tau_bench: list[dict[str, Any]]
) -> None:
    for number in (3, 120):
        store.start(f"real-{number}", {"policy": "record"})
        store.append(
            f"real-{number}", list(choose_reader("openai").read(tau_bench[number]["traj"]))
        )
        last = store.thread(f"real-{number}").version
        for begin in range(0, last + 1, 7):
            for name in ("agent-state", "openai"):
                _check_difference(store, f"real-{number}", choose_view(name), begin, last)


def test_a_difference_without_a_beginning_is_from_nothing_to_the_present(store: Store) -> None:
    store.append("t", STORY)
    found = store.difference("t", choose_view("openai"), begin=None, end=None)
    assert found.items is not None
    assert (found.from_version, found.to_version) == (0, len(STORY))
    assert list(found.items.added) == list(items_of(store.view("t", choose_view("openai"))))
    assert (found.items.changed, found.items.removed) == ([], [])


def test_between_a_moment_and_itself_nothing_changes(store: Store) -> None:
    store.append("t", STORY)
    for name in VIEWS:
        found = store.difference("t", choose_view(name), begin=AtVersion(6), end=AtVersion(6))
        if found.items is None:
            assert found.patch == []
        else:
            changes = [*found.items.added, *found.items.changed, *found.items.removed]
            assert changes == []


def test_reading_changes_nothing(store: Store, database: Database) -> None:
    store.append("t", STORY)
    for name in VIEWS:
        store.view("t", choose_view(name), at=AtTime(datetime.now(UTC) - timedelta(hours=1)))
        store.difference("t", choose_view(name), begin=None, end=None)
    assert last_position(database) == len(STORY)
    check_log(database)
