"""The travel bar of a thread: keys, jumps, drag, play, zoom, and the browser's history."""

import re

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.accessibility import violations
from tests.browser.conftest import Service, opened


def travel(page: Page) -> Locator:
    return page.get_by_role("region", name="Travel")


def slider(page: Page) -> Locator:
    return page.get_by_role("slider", name="Version")


def opened_at(page: Page, thread_id: str, query: str = "") -> Locator:
    """Open a thread; return its slider, once the whole timeline is there."""
    page.goto(f"/threads/{thread_id}{query}")
    expect(travel(page)).not_to_contain_text("Reading", timeout=30_000)
    return slider(page)


def at(version: int) -> re.Pattern[str]:
    return re.compile(rf"^version {version} of ")


@pytest.fixture(scope="module")
def long_thread(service: Service) -> str:
    """A thread of 3,000 versions: turns of 2.5 s with an hour between them."""
    messages: list[dict[str, object]] = []
    for turn in range(1000):
        begun = 1_767_600_000_000 + turn * 3_600_000
        call: dict[str, object] = {"id": f"c{turn}", "name": "search", "args": {"turn": turn}}
        messages += [
            {"type": "input", "text": f"turn {turn}", "timestamp": begun},
            {"type": "tool_calls", "calls": [call], "timestamp": begun + 1000},
            {
                "type": "tool_results",
                "results": [{"callId": f"c{turn}", "output": f"found {turn}"}],
                "timestamp": begun + 2500,
            },
        ]
    for begin in range(0, len(messages), 1000):
        service.append("travelled", *messages[begin : begin + 1000])
    return "travelled"


def test_keys_step_and_jump_and_back_returns_to_each_place(page: Page) -> None:
    here = opened_at(page, "deploy", "?at=end")
    expect(here).to_have_attribute("aria-valuetext", "version 14 of 14, exit user_request")
    page.keyboard.press("Home")
    expect(here).to_have_attribute("aria-valuetext", at(1))
    page.keyboard.press("e")
    expect(here).to_have_attribute(
        "aria-valuetext", re.compile("^version 4 of 14, run_tests failed")
    )
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(page).to_have_url(re.compile(r"at=6$"))
    page.keyboard.press("t")
    expect(travel(page).get_by_role("status")).to_have_text("No tool after this")
    page.keyboard.press("Shift+ArrowRight")
    expect(here).to_have_attribute("aria-valuetext", at(14))
    expect(page).not_to_have_url(re.compile(r"at=6$"))  # the slider is there before the address
    for version in (4, 1, 14):
        page.go_back()
        expect(here).to_have_attribute("aria-valuetext", at(version))
    page.go_forward()
    expect(here).to_have_attribute("aria-valuetext", at(1))


def test_buttons_jump_to_an_approval_and_pin_what_to_compare(page: Page) -> None:
    here = opened_at(page, "refund", "?at=1")
    page.get_by_role("button", name="Next approval").click()
    expect(here).to_have_attribute("aria-valuetext", "version 11 of 16, approval began")
    page.keyboard.press("[")
    page.get_by_role("button", name="Last version").press("Space")
    expect(here).to_have_attribute("aria-valuetext", at(16))
    page.keyboard.press("]")
    expect(page).to_have_url(re.compile(r"a=11&b=16$"))
    figures = page.get_by_label("Up to the cursor")
    expect(figures).to_contain_text(re.compile(r"Tokens\s*450"))


def test_matches_of_a_search_are_jumps_too(page: Page) -> None:
    here = opened_at(page, "refund", "?at=1&find=EUR")
    following = travel(page).get_by_role("button", name="Next match")
    expect(following).to_have_attribute("aria-disabled", "false")
    page.keyboard.press("n")
    expect(here).not_to_have_attribute("aria-valuetext", at(1))
    page.keyboard.press("End")
    page.keyboard.press("N")
    expect(here).to_have_attribute("aria-valuetext", at(14))


def test_a_drag_over_the_slider_is_one_entry_of_the_history(page: Page) -> None:
    here = opened_at(page, "deploy", "?at=3")
    box = here.bounding_box()
    assert box is not None
    middle = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] / 2, middle)
    page.mouse.down()
    page.mouse.move(box["x"] + 5, middle, steps=20)
    expect(here).to_have_attribute("aria-valuetext", at(1))
    page.mouse.move(box["x"] + box["width"] * 0.8, middle, steps=20)
    page.mouse.up()
    expect(page).to_have_url(re.compile(r"at=11$"))
    page.go_back()
    expect(here).to_have_attribute("aria-valuetext", at(3))


def test_play_reaches_the_end_of_3000_events_and_days(page: Page, long_thread: str) -> None:
    here = opened_at(page, long_thread, "?at=2995")
    page.get_by_role("button", name="100").click()
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page.get_by_role("button", name="Pause playing")).to_have_count(0)
    expect(here).to_have_attribute("aria-valuetext", at(3000))
    page.go_back()
    expect(here).to_have_attribute("aria-valuetext", at(2995))


def test_play_pauses_by_its_key_and_by_a_step(page: Page, long_thread: str) -> None:
    here = opened_at(page, long_thread, "?at=1")
    page.keyboard.press(" ")
    expect(here).not_to_have_attribute("aria-valuetext", at(1))
    page.keyboard.press(" ")
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()
    page.keyboard.press(" ")
    page.keyboard.press("Home")
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()
    expect(here).to_have_attribute("aria-valuetext", at(1))


def test_a_drag_over_the_timeline_zooms_and_stands_in_the_address(page: Page) -> None:
    opened_at(page, "deploy")
    chart = page.get_by_role("img", name="lanes: messages, tools, approvals")
    box = chart.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 60, box["y"] + 24)
    expect(page.get_by_text("run_tests · smoke · 4.2 s · failed · v3 to v4")).to_be_visible()
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 3, box["y"] + 24, steps=5)
    page.mouse.up()
    expect(page).to_have_url(re.compile(r"zoom=\d+-\d+$"))
    page.reload()
    chart.wait_for()
    page.keyboard.press("Escape")
    expect(page).to_have_url(re.compile(r"/deploy\?at=4$"))
    page.mouse.click(box["x"] + 40, box["y"] + 24)
    expect(slider(page)).to_have_attribute("aria-valuetext", at(3))
    page.keyboard.press("+")
    expect(page).to_have_url(re.compile(r"zoom="))
    page.keyboard.press("-")
    expect(page).not_to_have_url(re.compile(r"zoom="))


def test_z_folds_the_bar_to_a_line_that_keeps_the_slider_and_stands_in_the_address(
    page: Page,
) -> None:
    here = opened_at(page, "deploy", "?at=4")
    chart = page.get_by_role("img", name="lanes: messages, tools, approvals")
    expect(chart).to_be_visible()
    page.keyboard.press("z")
    expect(page).to_have_url(re.compile(r"bar=line$"))
    expect(chart).to_have_count(0)
    box = travel(page).bounding_box()
    assert box is not None
    assert box["height"] < 50
    here.focus()
    page.keyboard.press("ArrowUp")
    expect(here).to_have_attribute("aria-valuetext", at(5))
    page.keyboard.press("z")
    expect(chart).to_be_visible()
    expect(page).to_have_url(re.compile(r"bar=open"))


def test_a_small_window_shows_twelve_events_because_the_bar_is_a_line(
    browser: Browser, service: Service
) -> None:
    messages = [{"type": "input", "text": f"line {n}"} for n in range(20)]
    service.append("twenty", *messages)
    for width, height in ((1280, 720), (390, 844)):
        with opened(browser, service, viewport={"width": width, "height": height}) as page:
            opened_at(page, "twenty", "?at=1")
            button = travel(page).get_by_role("button", name="Timeline")
            expect(button).to_have_attribute("aria-expanded", "false")
            expect(page.get_by_text("line 11", exact=True)).to_be_in_viewport()
            button.click()
            expect(page.get_by_role("img", name="lanes: messages")).to_be_visible()


def test_calls_at_once_have_rows_of_their_own_that_fold(page: Page, service: Service) -> None:
    begun = 1_767_600_000_000
    calls = [{"id": f"c{n}", "name": "read", "args": {"path": f"{n}.md"}} for n in range(5)]
    results = [
        {
            "type": "tool_results",
            "results": [{"callId": f"c{n}", "output": "text"}],
            "timestamp": begun + 1000 * (n + 1),
        }
        for n in range(5)
    ]
    service.append("at-once", {"type": "tool_calls", "calls": calls, "timestamp": begun}, *results)
    opened_at(page, "at-once")
    chart = page.get_by_role("img", name="lanes: tools")
    expect(page.get_by_text("critical path 5.0 s: tools 5.0 s")).to_be_visible()
    box = chart.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 20, box["y"] + 3 * 16 + 8)
    expect(page.get_by_text(re.compile(r"^read · 3\.md · 4\.0 s .*v1 to v5$"))).to_be_visible()
    page.get_by_role("button", name="tools", exact=True).click()
    expect(page).to_have_url(re.compile("lanes="))
    page.reload()
    page.get_by_role("button", name="tools", exact=True).wait_for()
    folded = chart.bounding_box()
    assert folded is not None
    assert folded["height"] < box["height"] / 2


def test_the_travel_bar_has_no_flaw_of_accessibility(page: Page) -> None:
    opened_at(page, "deploy", "?at=4&a=2&zoom=1000-20000")
    assert violations(page, "section[aria-label=Travel]") == []


def test_the_error_of_an_airline_run_is_a_few_keys_away(page: Page, service: Service) -> None:
    path = "/v1/search?q=%22Error:%22&where=role:tool&limit=100"
    hits = service.client.get(path).raise_for_status().json()["items"]
    hit = next(hit for hit in hits if hit["threadId"].startswith("airline-"))
    here = opened_at(page, hit["threadId"], "?at=1")
    expect(page.get_by_text("All messages have the same time")).to_be_visible()
    seen = []
    for _ in range(20):
        page.keyboard.press("e")
        if travel(page).get_by_role("status").inner_text() == "No failure after this":
            break
        expect(here).to_have_attribute("aria-valuetext", re.compile("failed|suspected: "))
        seen.append(here.get_attribute("aria-valuetext") or "")
    assert any(text.startswith(f"version {hit['version']} ") for text in seen)
