"""Changes of a value: each is where the state says so, page by page, in bounded time."""

import itertools
from typing import Any

import pytest

from agentlog.domain.errors import FutureMoment
from agentlog.domain.json.text import print_bytes
from agentlog.domain.points_in_time import AtVersion
from agentlog.infrastructure.comparison import value_changes as module
from agentlog.infrastructure.comparison.value_changes import (
    NotOneState,
    ValueChange,
    value_changes,
)
from agentlog.infrastructure.search.json_path import InvalidJsonPath, PathTooSlow, Predicate
from agentlog.infrastructure.threads import Threads
from agentlog.infrastructure.views.results import State
from agentlog.infrastructure.views.views import Views
from agentlog.projections.registry import VIEWS, choose_view
from agentlog.projections.view import StateView
from tests.infrastructure.appends import STORY, reply

STATE = choose_view("agent-state")
WITHOUT_HISTORY = choose_view("agent-state", {"history": False})


def _selected(views: Views, path: str, version: int) -> list[Any]:
    """Return what the path selects in the state as it is read at a version."""
    view = views.view("t", STATE, at=AtVersion(version))
    assert isinstance(view, State)
    return [value for _, value in Predicate(path).matches(view.state, lambda: None)]


@pytest.mark.parametrize(
    "path",
    [
        "$",
        "$.step_count",
        "$.pending_llm",
        "$['pending_llm', 'step_count']",
        "$.scratchpad",
        "$.history[-1].content",
        "$.history[?@.role == 'assistant']",
        "$..content",
        "$[?@ == $.max_steps]",
        "$.history[?length(@.content) > $.step_count].role",
        "$.no_such_member",
    ],
)
def test_a_change_is_where_the_states_of_two_versions_differ(
    threads: Threads, views: Views, path: str
) -> None:
    threads.append("t", STORY)
    selected = [_selected(views, path, version) for version in range(len(STORY) + 1)]
    printed = [print_bytes(value) for value in selected]
    wanted = [n for n in range(1, len(printed)) if printed[n] != printed[n - 1]]
    changes = value_changes(views, "t", STATE, path)
    assert [item.version for item in changes.items] == wanted
    assert [item.values for item in changes.items] == [selected[version] for version in wanted]
    assert [item.count for item in changes.items] == [len(selected[version]) for version in wanted]
    assert (changes.examined, changes.next) == (len(STORY), None)


def test_a_change_has_the_places_of_its_message(threads: Threads, views: Views) -> None:
    threads.append("t", STORY)
    events = {event.version: event for event in threads.messages("t")}
    items = value_changes(views, "t", WITHOUT_HISTORY, "$.step_count").items
    assert items
    for change in items:
        event = events[change.version]
        assert (change.position, change.recorded_at) == (event.position, event.recorded_at)


@pytest.mark.parametrize("limit", [1, 2, 5])
def test_pages_have_the_same_changes_as_one_answer(
    threads: Threads, views: Views, limit: int
) -> None:
    threads.append("t", STORY)
    whole = value_changes(views, "t", STATE, "$.step_count")
    pages: list[ValueChange] = []
    after: str | None = "0"
    while after is not None:
        page = value_changes(views, "t", STATE, "$.step_count", after=int(after), limit=limit)
        assert len(page.items) <= limit
        assert page.next in {None, str(page.examined)}
        pages += page.items
        after = page.next
    assert pages == list(whole.items)


def test_a_request_examines_a_bounded_number_of_events(
    threads: Threads, views: Views, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_EVENTS", 4)
    monkeypatch.setattr(module, "_FEW", 1)
    threads.append("t", [reply("one")] * 10)
    examined = [0]
    while (page := value_changes(views, "t", STATE, "$.none", after=examined[-1])).next:
        assert page.items == []
        examined.append(page.examined)
    assert [*examined, page.examined] == [0, 4, 8, 10]


def test_a_request_that_takes_long_says_how_far_it_came(threads: Threads, views: Views) -> None:
    threads.append("t", [reply("one")] * 10)
    ticks = itertools.count(step=0.1)
    changes = value_changes(views, "t", STATE, "$.step_count", clock=lambda: next(ticks))
    assert 0 < changes.examined < 10
    assert changes.next == str(changes.examined)
    assert [item.version for item in changes.items] == list(range(1, changes.examined + 1))


def test_a_path_that_takes_for_ever_is_refused_with_the_version(
    threads: Threads, views: Views
) -> None:
    threads.append("t", [reply("one")] * 3)
    ticks = itertools.count(step=0.1)
    with pytest.raises(PathTooSlow, match=r"path: .*version 0 of thread 't': use a simpler"):
        value_changes(
            views, "t", STATE, "$[?@ == 1 || @ == 2 || @ == 3]", clock=lambda: next(ticks)
        )


def test_it_ends_at_a_moment_and_begins_after_a_version(threads: Threads, views: Views) -> None:
    threads.append("t", [reply("one")] * 6)
    changes = value_changes(views, "t", STATE, "$.step_count", after=2, at=AtVersion(4))
    assert [item.version for item in changes.items] == [3, 4]
    assert (changes.examined, changes.next) == (4, None)
    beyond = value_changes(views, "t", STATE, "$.step_count", after=99)
    assert (beyond.items, beyond.examined, beyond.next) == ([], 6, None)
    with pytest.raises(FutureMoment):
        value_changes(views, "t", STATE, "$.step_count", at=AtVersion(7))


def test_long_values_are_cut_or_left_out_and_say_so(threads: Threads, views: Views) -> None:
    threads.append("t", [reply("x" * 3000), reply("y"), *[reply("z" * 2000)] * 40])
    items = value_changes(views, "t", STATE, "$.history[*].content").items
    assert items[0].values == ["x" * 2000]
    assert (items[0].count, items[0].cut) == (1, True)
    assert (items[-1].values, items[-1].count, items[-1].cut) == (None, 42, True)
    (first, *_) = value_changes(views, "t", STATE, "$.history[-1].content", after=1).items
    assert (first.values, first.cut) == (["y"], False)


@pytest.mark.parametrize(
    "name", [name for name, view in VIEWS.items() if not issubclass(view, StateView)]
)
def test_a_view_that_is_a_list_is_refused_with_the_way_out(
    threads: Threads, views: Views, name: str
) -> None:
    threads.append("t", STORY)
    with pytest.raises(NotOneState, match=rf"'{name}' is a list.*agent-state.*search"):
        value_changes(views, "t", choose_view(name), "$")


def test_what_is_no_path_is_refused_by_the_name_of_the_parameter(
    threads: Threads, views: Views
) -> None:
    threads.append("t", STORY)
    with pytest.raises(InvalidJsonPath, match="path: "):
        value_changes(views, "t", STATE, "step_count")
