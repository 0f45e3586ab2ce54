"""What each screen shows of a history that tries its layout, in a small window, as pictures.

`make pictures` takes them anew.
"""

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Literal, NamedTuple
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Service, catch_up, opened, serving
from tests.browser.pictures import check, make_repeatable
from tests.browser.ugly import (
    CAUSE,
    EXCHANGES,
    OTHER,
    REPLAYED,
    UGLY,
    UNBROKEN,
    append_forked,
    append_ugly,
)
from tests.databases import new_database

pytestmark = pytest.mark.slow

_THREAD = f"/threads/{quote(UGLY)}"
_BOTH = quote(json.dumps([OTHER, UGLY]))
_LONGEST = quote(json.dumps([f"tool={UNBROKEN}"]))
_ROWS = quote("SELECT thread_id, metadata, goal FROM threads ORDER BY thread_id")
_UNFINISHED = re.compile("^Reading|^Counting|^Loading|^connecting|^Asking")


class Story(NamedTuple):
    """A screen in one state: its address, and the buttons that are pressed there."""

    name: str
    address: str
    press: Sequence[str] = ()
    scheme: Literal["light", "dark"] = "light"


STORIES = (
    Story("threads", "/"),
    Story("threads-filter", "/", press=["Filter"]),
    Story("threads-columns", "/", press=["Columns"]),
    Story("threads-filtered", f"/?filter={quote(f'tool:{UNBROKEN}')}"),
    Story("threads-hits", "/?find=sentence"),
    Story("history", f"{_THREAD}?pane=history&at=6&fold="),
    Story("history-folds", f"{_THREAD}?pane=history&at=6", press=["Fold"]),
    Story("history-dark", f"{_THREAD}?pane=history&at=6&fold=", scheme="dark"),
    Story("timeline", f"{_THREAD}?pane=history&at=6", press=["Timeline"]),
    Story("event-input", f"{_THREAD}?pane=event&at=3"),
    Story("event-calls", f"{_THREAD}?pane=event&at=7"),
    Story("event-results", f"{_THREAD}?pane=event&at=8"),
    Story("event-approval", f"{_THREAD}?pane=event&at=9"),
    Story("why", f"{_THREAD}?at=6", press=["Why"]),
    Story("event-worker", f"{_THREAD}?pane=event&at=12"),
    Story("event-error", f"{_THREAD}?pane=event&at=16"),
    Story("event-json", f"{_THREAD}?pane=event&at=6&event=json"),
    Story("event-actions", f"{_THREAD}?pane=event&at=7", press=["Actions"]),
    Story("erase", f"{_THREAD}?pane=event&at=7", press=["Actions", "Of the message at version 7"]),
    Story("state", f"{_THREAD}?pane=state&at=18"),
    Story("state-model", f"{_THREAD}?pane=state&at=18&state=model"),
    Story("state-changes", f"{_THREAD}?pane=state&at=8&state=changes&a=2&b=18"),
    Story("state-watch", f'{_THREAD}?pane=state&at=18&state=watch&watch=["$.scratchpad"]'),
    Story("state-view", f"{_THREAD}?pane=state&at=18&state=view&view=letta"),
    Story("compare", f"/compare?thread={_BOTH}"),
    Story("compare-choosing", "/compare"),
    Story("compare-tasks", "/compare?by=task"),
    Story("compare-matrix", "/compare?matrix=true&steps=all"),
    Story("report", "/reports/tools"),
    Story("report-rows", f"/reports/slowest?only={_LONGEST}"),
    Story("sql", f"/sql?sql={_ROWS}", press=["Run"]),
    Story("audit", "/audit"),
    Story("keys", "/keys"),
)

FORKED_STORIES = (
    Story("forks", f"/threads/{quote(f'{UGLY}-5'[-128:])}?pane=history", press=["Forks"]),
    Story("forks-dark", "/threads/fork-4?pane=history", press=["Forks"], scheme="dark"),
    Story("fork-from-here", f"{_THREAD}?pane=event&at=3", press=["Actions", "Fork from version"]),
    Story("event-exchange", f"/threads/{EXCHANGES}?pane=event&at=1"),
    Story("event-answered", f"/threads/{REPLAYED}?pane=event&at=2"),
    Story("event-cause", f"/threads/{CAUSE}?pane=event&at=1"),
    Story("event-replay", f"/threads/{REPLAYED}?pane=event&at=3", scheme="dark"),
)


@pytest.fixture(scope="module")
def ugly(server_url: str, template_database: str) -> Iterator[Service]:
    """A service with nothing but the two threads."""
    with new_database(server_url, template=template_database) as url, serving(url) as service:
        append_ugly(service.client)
        catch_up(service)
        yield service


@pytest.fixture(scope="module")
def page(browser: Browser, ugly: Service) -> Iterator[Page]:
    """One small window for all stories."""
    with _small(browser, ugly) as window:
        yield window


@pytest.fixture(scope="module")
def forked_page(browser: Browser, server_url: str, template_database: str) -> Iterator[Page]:
    """A small window on a service that has forks and an exchange too."""
    with new_database(server_url, template=template_database) as url, serving(url) as service:
        append_forked(service.client)
        catch_up(service)  # what comes later draws the header anew, and a panel of it closes
        with _small(browser, service) as window:
            yield window


@contextmanager
def _small(browser: Browser, service: Service) -> Iterator[Page]:
    """Open a small window whose time stands still."""
    options = {"locale": "en-US", "timezone_id": "UTC", "reduced_motion": "reduce"}
    with opened(browser, service, viewport={"width": 720, "height": 450}, **options) as window:
        make_repeatable(window)
        yield window


def _wait(page: Page) -> None:
    expect(page.locator(".loading, [aria-busy=true]")).to_have_count(0)
    expect(page.get_by_text(_UNFINISHED)).to_have_count(0)


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.name)
def test_looks_as_in_its_picture(page: Page, story: Story, tmp_path: Path) -> None:
    """Nothing overlaps, overflows or moves, whatever the names are."""
    _tell(page, story, tmp_path)


@pytest.mark.parametrize("story", FORKED_STORIES, ids=lambda story: story.name)
def test_forks_look_as_in_their_pictures(forked_page: Page, story: Story, tmp_path: Path) -> None:
    """The tree, the command and an exchange have room for any name."""
    _tell(forked_page, story, tmp_path)


def _tell(page: Page, story: Story, tmp_path: Path) -> None:
    page.emulate_media(color_scheme=story.scheme)
    page.mouse.move(0, 0)  # no button looks hovered
    page.goto(story.address)
    expect(page.get_by_role("main")).to_be_visible()
    if story.address.startswith("/threads/"):  # once it is known where it opens, nothing closes
        page.wait_for_url(re.compile(r"[?&]at="))
    _wait(page)
    for name in story.press:
        page.get_by_role("button", name=name).first.click()
        page.mouse.move(0, 0)
    check(page, story.name, tmp_path)
