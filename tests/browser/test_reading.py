"""The history as cards to read: what they show, how they open, and that they follow the cursor."""

import re
from base64 import b64decode

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.accessibility import violations
from tests.browser.conftest import SCHEMES, Service, opened
from tests.browser.contents import HOSTILE
from tests.waiting import until

_PIXEL = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADU"
    "lEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
_LONG = "\n".join(f"line {number}" for number in range(60))
_OLD, _NEW = "def f():\n    return 1", "def f():\n    return 2"


def card(page: Page, version: int) -> Locator:
    return page.get_by_role("article", name=f"Version {version}", exact=True)


@pytest.fixture(scope="module")
def coded(service: Service) -> str:
    """A thread of a coding agent: edits, todos, a coloured failure, a picture, a long output."""
    edit = {"file_path": "src/f.py", "old_string": _OLD, "new_string": _NEW}
    todos = [
        {"content": "Fix f", "status": "in_progress"},
        {"content": "Test", "status": "pending"},
    ]
    service.append(
        "coded",
        {"type": "input", "text": "Please **fix** `f`.\n\n```python\nassert f() == 2\n```"},
        {"type": "reasoning", "title": "Plan", "summary": _LONG},
        {
            "type": "tool_calls",
            "calls": [{"id": "c1", "name": "TodoWrite", "args": {"todos": todos}}],
        },
        {"type": "tool_results", "results": [{"callId": "c1", "output": "ok"}]},
        {"type": "tool_calls", "calls": [{"id": "c2", "name": "Edit", "args": edit}]},
        {"type": "tool_results", "results": [{"callId": "c2", "output": _LONG}]},
        {
            "type": "tool_calls",
            "calls": [
                {"id": "c3", "name": "Bash", "args": {"command": "pytest\n  -q"}},
                {"id": "c4", "name": "Read", "args": {"file_path": "a.txt"}},
            ],
        },
        {
            "type": "tool_results",
            "results": [
                {"callId": "c3", "output": None, "error": "\u001b[31mFAILED\u001b[0m test_f"},
                {"callId": "c4", "output": f"data:image/png;base64,{_PIXEL}"},
            ],
        },
        {"type": "reply", "text": f"See ![the pixel](data:image/png;base64,{_PIXEL})"},
    )
    return "coded"


def test_a_key_and_a_button_switch_between_cards_and_lines(page: Page, coded: str) -> None:
    page.goto(f"/threads/{coded}?at=6")
    expect(page.get_by_role("region", name="Event", exact=True)).to_be_visible()
    page.keyboard.press("r")
    expect(page).to_have_url(re.compile("read=true"))
    expect(card(page, 5)).to_be_visible()
    expect(page.get_by_role("region", name="Event", exact=True)).to_have_count(0)
    page.get_by_role("button", name="Read", exact=True).click()
    expect(page.get_by_role("region", name="Event", exact=True)).to_be_visible()
    page.go_back()
    expect(card(page, 5)).to_be_visible()


def test_a_card_has_a_call_with_its_result_and_each_is_drawn_as_what_it_is(
    page: Page, coded: str
) -> None:
    page.goto(f"/threads/{coded}?read=true&at=6")
    edited = card(page, 5)
    expect(edited).to_contain_text("Edit src/f.py")
    expect(edited.locator("[data-kind=removed]")).to_have_text(re.compile("return 1"))
    expect(edited.locator("[data-kind=added]")).to_have_text(re.compile("return 2"))
    expect(edited).to_contain_text("line 5")
    expect(card(page, 6)).to_have_count(0)
    expect(card(page, 3).get_by_role("img", name="in progress")).to_be_visible()
    both = card(page, 7)
    expect(both).to_contain_text("2 calls")
    expect(both).to_contain_text("FAILED test_f")
    expect(both.get_by_text("FAILED", exact=True)).to_have_css("color", "rgb(179, 38, 30)")
    size = len(b64decode(_PIXEL))
    expect(both.get_by_role("img", name=f"image/png, {size} B")).to_be_visible()
    expect(card(page, 9).get_by_role("img", name="the pixel")).to_be_visible()
    assert _PIXEL not in page.get_by_role("main").inner_text()


def test_a_card_shows_some_lines_and_opens_in_place(page: Page, coded: str) -> None:
    page.goto(f"/threads/{coded}?read=true&at=6")
    edited = card(page, 5)
    closed = edited.bounding_box()
    assert closed is not None
    assert closed["height"] < 14 * 24
    edited.get_by_role("button", name="All of version 5").click()
    expect(edited.get_by_text("line 59")).to_be_visible()
    expect(edited.get_by_text("Exact arguments")).to_be_visible()
    page.keyboard.press("c")
    expect(edited.get_by_text("Exact arguments")).to_have_count(0)
    thought = card(page, 2).bounding_box()
    assert thought is not None
    assert thought["height"] < 90
    short = card(page, 9).get_by_role("button", name="All of version 9")
    expect(short).to_have_count(0)


def test_cards_follow_the_cursor_and_the_cursor_the_cards(page: Page, coded: str) -> None:
    page.goto(f"/threads/{coded}?read=true&at=5")
    current = page.get_by_role("region", name="Events").locator("[aria-current=true]")
    expect(current).to_have_attribute("aria-label", "Version 5")
    page.keyboard.press("ArrowRight")
    expect(page).to_have_url(re.compile("at=6"))
    expect(current).to_have_attribute("aria-label", "Version 5")
    expect(current.locator("[data-here=true]")).to_contain_text("line 0")
    page.keyboard.press("j")
    expect(current).to_have_attribute("aria-label", "Version 7")
    page.keyboard.press("k")
    expect(page).to_have_url(re.compile("at=5"))
    card(page, 7).get_by_text("FAILED", exact=True).click()
    expect(page).to_have_url(re.compile("at=8"))
    expect(current).to_have_attribute("aria-label", "Version 7")
    card(page, 9).get_by_role("button", name="Go to version 9").press("Enter")
    expect(current).to_have_attribute("aria-label", "Version 9")
    page.keyboard.press("Home")
    expect(current).to_be_in_viewport()


def test_a_filter_shows_whole_cards(page: Page, coded: str) -> None:
    page.goto(f"/threads/{coded}?read=true&only=failed")
    expect(page.get_by_role("article")).to_have_count(1)
    expect(card(page, 7)).to_contain_text("pytest")


def test_a_hostile_thread_is_read_as_cards_and_nothing_of_it_runs(page: Page) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"/threads/{HOSTILE}?read=true&at=2")
    expect(card(page, 2)).to_contain_text("<script>document.title")
    expect(card(page, 2).locator("script, iframe, img, a, style")).to_have_count(0)
    page.keyboard.press("End")
    expect(card(page, 9)).to_contain_text("12345678901234567890123.10")
    assert page.title() != "ran"
    assert not [url for url in asked if "192.0.2.1" in url]


def test_of_twenty_thousand_events_those_in_sight_are_drawn(page: Page, service: Service) -> None:
    thread = "many-cards"
    for start in range(0, 20_000, 1000):
        replies = [{"type": "reply", "text": f"reply {start + n}"} for n in range(1000)]
        service.append(thread, *replies)
    page.goto(f"/threads/{thread}?read=true")
    expect(card(page, 20_000)).to_contain_text("reply 19999")
    assert page.get_by_role("article").count() < 40
    page.keyboard.press("Home")
    expect(card(page, 1)).to_be_in_viewport()
    page.goto(f"/threads/{thread}?read=true&at=10000")
    expect(card(page, 10_000)).to_be_in_viewport()


def test_the_end_of_a_growing_thread_is_followed(page: Page, service: Service) -> None:
    lines: list[dict[str, object]] = [{"type": "reply", "text": f"{n}\n{_LONG}"} for n in range(30)]
    service.append("growing-cards", *lines)
    page.goto("/threads/growing-cards?read=true")
    expect(card(page, 30)).to_be_in_viewport()
    expect(page.get_by_role("status").filter(has_text="live")).to_be_visible()
    service.append("growing-cards", {"type": "reply", "text": f"after\n{_LONG}"})
    last = card(page, 31)
    expect(last).to_contain_text("after")

    def is_at_end() -> bool:
        box, frame = last.bounding_box(), page.get_by_role("region", name="Events").bounding_box()
        assert frame is not None
        return box is not None and box["y"] + box["height"] <= frame["y"] + frame["height"] + 1

    until(is_at_end)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_cards_have_no_fault_of_access(
    browser: Browser, service: Service, coded: str, scheme: str
) -> None:
    with opened(browser, service, color_scheme=scheme, reduced_motion="reduce") as page:
        page.goto(f"/threads/{coded}?read=true&at=7")
        expect(card(page, 7)).to_contain_text("FAILED")
        page.keyboard.press("c")
        expect(card(page, 7).get_by_text("Exact arguments").first).to_be_visible()
        faults = violations(page)
        assert not faults, faults
