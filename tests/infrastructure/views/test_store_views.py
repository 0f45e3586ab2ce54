"""Views of the past and their pages: what a view said while a thread grew, it says for ever."""

from collections.abc import Sequence

import pytest

from agentlog.domain.errors import InvalidCursor
from agentlog.domain.json.text import print_bytes
from agentlog.domain.json.values import JsonValue
from agentlog.domain.points_in_time import AtTime, AtVersion, Moment
from agentlog.infrastructure.threads import Threads
from agentlog.infrastructure.views.results import Page, State
from agentlog.infrastructure.views.views import Views
from agentlog.projections.readers.messages import chat
from agentlog.projections.registry import VIEWS, AnyView, choose_view
from agentlog.projections.view import Printed, StateView, print_items, render
from tests.airline import airline_runs
from tests.infrastructure.appends import STORY, append_apart, calls, items_of, reply, time_of


def _content(page: Page | State) -> JsonValue:
    if isinstance(page, State):
        return page.state
    return [[placed.key, placed.item] for placed in page.items]


def _check_past_stays(
    threads: Threads, views: Views, thread_id: str, drafts: Sequence[JsonValue]
) -> None:
    """What each view says while a thread grows is what it says later of that moment."""
    chosen = [choose_view(name) for name in VIEWS]
    threads.start(thread_id, {"policy": "record", "goal": "g"})
    then: list[list[JsonValue]] = []
    for draft in drafts:
        threads.append(thread_id, [draft])
        then.append([_content(views.view(thread_id, view)) for view in chosen])
    events = threads.messages(thread_id)
    for event, contents in zip(events[1:], then, strict=True):
        for number, (view, content) in enumerate(zip(chosen, contents, strict=True)):
            moments: list[Moment] = [AtVersion(event.version)]
            if event.version % len(chosen) == number:  # each view, at some of the times
                moments.append(AtTime(time_of(event)))
            for moment in moments:
                result = views.view(thread_id, view, at=moment)
                assert (result.version, result.position) == (event.version, event.position)
                assert print_bytes(_content(result)) == print_bytes(content)
            if isinstance(result, Page):
                cut = render(view, events[: event.version])
                assert list(result.items) == print_items(cut.items)


def test_a_view_of_the_past_is_what_the_view_was_then(threads: Threads, views: Views) -> None:
    _check_past_stays(threads, views, "t", STORY)


def test_the_same_holds_for_real_conversations(threads: Threads, views: Views) -> None:
    for number in (0, 77):
        drafts = list(chat.READER.read(airline_runs()[number]["traj"]))
        _check_past_stays(threads, views, f"real-{number}", drafts[:20])


@pytest.mark.parametrize(
    "name", [name for name, view in VIEWS.items() if not issubclass(view, StateView)]
)
def test_the_pages_of_a_view_are_all_of_it_and_nothing_twice_for_every_limit(
    threads: Threads, views: Views, name: str
) -> None:
    kept = [reply(text, metadata={"wire": {"source": [{"item": {"n": text}}]}}) for text in "ab"]
    append_apart(threads, "t", [*STORY, reply("after the exit"), calls("a", "b"), *kept])
    view = choose_view(name)
    whole = list(items_of(views.view("t", view)))
    assert len(whole) > 1
    for limit in range(1, len(whole) + 2):
        pages = _pages(views, view, limit)
        assert [placed for page in pages for placed in page] == whole
        assert {len(page) for page in pages[:-1]} <= {limit}
        assert 1 <= len(pages[-1]) <= limit


def _pages(views: Views, view: AnyView, limit: int) -> list[list[Printed]]:
    pages: list[list[Printed]] = []
    cursor: str | None = None
    while cursor is not None or not pages:
        page = views.view("t", view, after=cursor, limit=limit)
        assert isinstance(page, Page)
        pages.append(list(page.items))
        cursor = page.next
    return pages


def test_pages_at_a_moment_do_not_see_what_is_appended_meanwhile(
    threads: Threads, views: Views
) -> None:
    threads.append("t", [reply(str(number)) for number in range(5)])
    view, at = choose_view("kernel"), AtVersion(5)
    first = views.view("t", view, at=at, limit=3)
    assert isinstance(first, Page)
    threads.append("t", [reply("late")])
    second = views.view("t", view, at=at, after=first.next, limit=3)
    assert [placed.item["text"] for placed in [*first.items, *items_of(second)]] == list("01234")


@pytest.mark.parametrize(
    "cursor", ["", "x", "1", "1.", ".1", "1.-1", "1.0.0", "1.x", "\u0661.0", "9" * 40 + ".0"]
)
def test_what_no_page_gave_out_is_no_cursor(threads: Threads, views: Views, cursor: str) -> None:
    threads.append("t", [reply("one")])
    with pytest.raises(InvalidCursor, match="pass the `next` of the page before"):
        views.view("t", choose_view("kernel"), after=cursor)
