"""Differences: what is told of two moments leads from the one to the other."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import jsonpatch
import pytest

from agentlog.domain.json.text import print_bytes
from agentlog.domain.points_in_time import AtTime, AtVersion
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.threads import Threads
from agentlog.infrastructure.views.results import Difference, Page, State
from agentlog.infrastructure.views.views import Views
from agentlog.projections.readers.messages import chat
from agentlog.projections.registry import VIEWS, AnyView, choose_view
from tests.airline import airline_runs
from tests.infrastructure.appends import STORY, append_apart, check_log, items_of, last_position


def _at_each_version(views: Views, thread_id: str, view: AnyView) -> list[Page | State]:
    """Return the view at every version, from 0."""
    versions = range(views.reader.head(thread_id).version + 1)
    return [views.view(thread_id, view, at=AtVersion(version)) for version in versions]


def _check_difference(difference: Difference, views: Sequence[Page | State]) -> None:
    before, after = views[difference.from_version], views[difference.to_version]
    if isinstance(before, State):
        assert isinstance(after, State)
        assert difference.items is None
        patched = jsonpatch.apply_patch(before.state, list(difference.patch or ()))
        assert print_bytes(patched, sort_keys=True) == print_bytes(after.state, sort_keys=True)
        return
    assert difference.items is not None
    assert difference.patch is None
    items = {placed.key: placed for placed in before.items}
    for placed in difference.items.removed:
        assert items.pop(placed.key) == placed
    for changed in difference.items.changed:
        assert items[changed.before.key] == changed.before
        assert changed.before.text != changed.after.text
        items[changed.after.key] = changed.after
    for placed in difference.items.added:
        assert placed.key not in items
        items[placed.key] = placed
    ordered = sorted(items.values(), key=lambda placed: (placed.version, placed.ordinal))
    assert ordered == list(items_of(after))


@pytest.mark.parametrize("name", list(VIEWS))
def test_a_difference_leads_from_any_point_to_any_other(
    threads: Threads, views: Views, name: str
) -> None:
    append_apart(threads, "t", STORY)
    view = choose_view(name)
    seen = _at_each_version(views, "t", view)
    for begin in range(0, len(seen), 2):
        for end in range(begin % 3, len(seen), 3):
            difference = views.difference("t", view, begin=AtVersion(begin), end=AtVersion(end))
            assert (difference.from_version, difference.to_version) == (begin, end)
            _check_difference(difference, seen)


def test_the_same_holds_for_the_states_of_real_conversations(
    threads: Threads, views: Views
) -> None:
    for number in (3, 120):
        thread_id = f"real-{number}"
        threads.start(thread_id, {"policy": "record"})
        threads.append(thread_id, list(chat.READER.read(airline_runs()[number]["traj"])))
        for view in (choose_view("agent-state"), choose_view("openai")):
            seen = _at_each_version(views, thread_id, view)
            for begin in range(0, len(seen), 7):
                difference = views.difference(thread_id, view, begin=AtVersion(begin), end=None)
                assert (difference.from_version, difference.to_version) == (begin, len(seen) - 1)
                _check_difference(difference, seen)


def test_a_difference_without_a_beginning_is_from_nothing_to_the_present(
    threads: Threads, views: Views
) -> None:
    threads.append("t", STORY)
    difference = views.difference("t", choose_view("openai"), begin=None, end=None)
    assert difference.items is not None
    assert (difference.from_version, difference.to_version) == (0, len(STORY))
    assert list(difference.items.added) == list(items_of(views.view("t", choose_view("openai"))))
    assert (difference.items.changed, difference.items.removed) == ([], [])


def test_between_a_moment_and_itself_nothing_changes(threads: Threads, views: Views) -> None:
    threads.append("t", STORY)
    for name in VIEWS:
        difference = views.difference("t", choose_view(name), begin=AtVersion(6), end=AtVersion(6))
        if difference.items is None:
            assert difference.patch == []
        else:
            changes = [
                *difference.items.added,
                *difference.items.changed,
                *difference.items.removed,
            ]
            assert changes == []


def test_reading_changes_nothing(threads: Threads, views: Views, database: Database) -> None:
    threads.append("t", STORY)
    for name in VIEWS:
        views.view("t", choose_view(name), at=AtTime(datetime.now(UTC) - timedelta(hours=1)))
        views.difference("t", choose_view(name), begin=None, end=None)
    assert last_position(database) == len(STORY)
    check_log(database)
