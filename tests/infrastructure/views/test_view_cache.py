"""Views that were read before: the same again, for the price of what has come since."""

import pytest

from agentlog.domain.points_in_time import AtVersion
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.threads import Threads
from agentlog.infrastructure.views.snapshots.snapshots import Snapshots
from agentlog.infrastructure.views.view_cache import Folded, RecentViews, name_of
from agentlog.infrastructure.views.views import Views
from agentlog.projections.registry import VIEWS, choose_view
from agentlog.projections.view import StateView
from tests.infrastructure.appends import (
    STORY,
    TENANT,
    CountingReader,
    empty_log,
    items_of,
    reply,
)
from tests.infrastructure.views.snapshots.kept import threads_on

LISTS = [name for name, view in VIEWS.items() if not issubclass(view, StateView)]


@pytest.fixture
def reader(database: Database) -> CountingReader:
    """A reader that counts."""
    return CountingReader(database, tenant=TENANT)


def _views(database: Database, reader: CountingReader) -> Views:
    """Return views that remember nothing."""
    return Views(reader, tenant=TENANT, snapshots=Snapshots(database, tenant=TENANT, key=b"key"))


@pytest.mark.parametrize("name", LISTS)
def test_a_thread_that_grows_reads_as_if_it_were_read_for_the_first_time(
    threads: Threads, views: Views, reader: CountingReader, database: Database, name: str
) -> None:
    view = choose_view(name)
    threads.start("t", {"policy": "record"})
    for draft in STORY:
        threads.append("t", [draft])
        reader.count = 0
        again = views.view("t", view)
        assert reader.count <= 2  # the first read has the start of the thread before it
        assert again == _views(database, reader).view("t", view)


@pytest.mark.parametrize("name", LISTS)
def test_what_was_read_before_is_not_read_again(
    threads: Threads, views: Views, reader: CountingReader, name: str
) -> None:
    view = choose_view(name)
    threads.append("t", STORY)
    first = views.view("t", view)
    reader.count = 0
    assert views.view("t", choose_view(name)) == first
    assert reader.count == 0


def test_other_options_are_another_view(threads: Threads, views: Views) -> None:
    threads.append("t", [{"type": "tool_calls", "calls": [{"id": "a", "name": "f"}]}, reply("x")])
    repaired = items_of(views.view("t", choose_view("openai")))
    plain = items_of(views.view("t", choose_view("openai", {"repair": "false"})))
    assert len(repaired) == len(plain) + 1


def test_an_earlier_version_is_read_as_it_was(threads: Threads, views: Views) -> None:
    view = choose_view("openai")
    threads.append("t", [reply(str(number)) for number in range(9)])
    assert len(items_of(views.view("t", view))) == 9
    assert len(items_of(views.view("t", view, at=AtVersion(4)))) == 4
    assert len(items_of(views.view("t", view, after="6.0"))) == 3
    threads.append("t", [reply("more")])
    assert len(items_of(views.view("t", view, at=AtVersion(9)))) == 9
    assert len(items_of(views.view("t", view))) == 10


@pytest.mark.parametrize("more", [0, 3])
def test_another_history_under_the_same_name_is_read_from_its_start(
    threads: Threads, views: Views, database: Database, more: int
) -> None:
    """As after a restore of an older backup, while the service runs on."""
    view = choose_view("openai")
    threads.append("t", [reply("old"), reply("history")])
    views.view("t", view)
    empty_log(database)
    threads_on(database).append("t", [reply("new"), reply("history"), *[reply("x")] * more])
    items = items_of(views.view("t", view))
    assert [placed.item["content"] for placed in items] == ["new", "history", *["x"] * more]


def _folded(size: int) -> Folded:
    return Folded(1, b"", None, (), size)


_NAME = name_of(choose_view("openai"))


def test_the_views_that_were_read_longest_ago_are_forgotten_first() -> None:
    recent = RecentViews(most_bytes=100)
    for thread_id in "abcd":
        recent.put((TENANT, thread_id), _NAME, _folded(25))
    recent.get((TENANT, "a"), _NAME)
    recent.put((TENANT, "e"), _NAME, _folded(20))
    recent.put((TENANT, "e"), _NAME, _folded(25))  # in its own place, not beside it
    assert [thread for thread in "abcde" if recent.get((TENANT, thread), _NAME)] == [
        "a",
        "c",
        "d",
        "e",
    ]


def test_a_view_that_takes_too_much_is_not_kept_nor_what_it_was_before() -> None:
    recent = RecentViews(most_bytes=100)
    recent.put((TENANT, "a"), _NAME, _folded(25))
    recent.put((TENANT, "a"), _NAME, _folded(26))
    assert recent.get((TENANT, "a"), _NAME) is None
    for thread_id in "bcde":  # its room is free again
        recent.put((TENANT, thread_id), _NAME, _folded(25))
    assert recent.get((TENANT, "b"), _NAME) is not None
