"""Why a run went as it went: the card on top, where a thread opens, and attempts."""

import re

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.accessibility import violations
from tests.browser.conftest import Service, opened

CONFLICT = "Error: total price is 1002, but paid 957"


def card(page: Page) -> Locator:
    return page.get_by_role("region", name="Why", exact=True)


def attempts(page: Page) -> Locator:
    return page.get_by_role("complementary", name="Attempts")


@pytest.fixture(scope="module")
def booked(service: Service) -> str:
    """A run whose booking fails twice, with another amount each time, and then is repeated."""
    facts = {"threadId": "booked", "metadata": {"reward": 0.0}}
    assert service.client.post("/v1/threads", json=facts).status_code == 201
    service.append("booked", {"type": "input", "text": "book it"})
    for number, paid in enumerate((957, 1047, 957)):
        args = {"user": "mia", "flight": "HAT271", "cabin": "economy", "paid": paid}
        call = {"id": f"c{number}", "name": "book", "args": args}
        result = {"callId": f"c{number}", "output": CONFLICT.replace("957", str(paid))}
        service.append("booked", {"type": "tool_calls", "calls": [call]})
        service.append("booked", {"type": "tool_results", "results": [result]})
    service.append("booked", {"type": "reply", "text": "It did not work."})
    service.append("booked", {"type": "exit", "reason": "complete"})
    return "booked"


def test_a_thread_opens_at_its_first_failure_under_five_lines_that_say_why(
    page: Page, booked: str
) -> None:
    page.goto(f"/threads/{booked}")
    expect(page).to_have_url(re.compile(r"\?at=4$"))
    here = card(page)
    expect(here.get_by_role("term")).to_have_text(
        ["Outcome", "First told", "Call before it", "In all", "Said last"]
    )
    expect(here).to_contain_text("reward 0 · ended: complete")
    expect(here).to_contain_text(f"book, 1st of 3 {CONFLICT}")
    expect(here).to_contain_text("book 3 times, nearly the same")
    here.get_by_role("link", name="It did not work.").click()
    expect(page).to_have_url(re.compile(r"\?at=9$"))
    page.go_back()
    expect(page).to_have_url(re.compile(r"\?at=4$"))
    assert violations(page, "[aria-label='Why']") == []


def test_a_thread_without_a_failure_opens_at_what_was_said_last(page: Page) -> None:
    page.goto("/threads/refund")
    expect(page).to_have_url(re.compile(r"\?at=14$"))
    page.keyboard.press("End")
    expect(page).to_have_url(re.compile(r"\?at=end$"))


def test_the_card_folds_to_one_line_and_stays_so(page: Page, booked: str) -> None:
    page.goto(f"/threads/{booked}?at=9")
    expect(card(page).get_by_role("term")).to_have_count(5)
    page.keyboard.press("w")
    expect(card(page).get_by_role("term")).to_have_count(0)
    expect(card(page)).to_contain_text(CONFLICT)
    page.reload()
    expect(card(page).get_by_role("button", name="Why")).to_have_attribute("aria-expanded", "false")


def test_in_a_low_window_the_card_is_one_line(
    browser: Browser, service: Service, booked: str
) -> None:
    with opened(browser, service, viewport={"width": 1280, "height": 720}) as page:
        page.goto(f"/threads/{booked}?at=9")
        expect(card(page)).to_contain_text(CONFLICT)
        box = card(page).bounding_box()
        assert box is not None
        assert box["height"] < 36


def test_an_attempt_shows_what_differs_from_the_one_before_and_keys_lead_on(
    page: Page, booked: str
) -> None:
    page.goto(f"/threads/{booked}?at=3")
    expect(attempts(page)).to_have_text(re.compile("^1st of 3 attempts"))
    page.keyboard.press(".")
    expect(page).to_have_url(re.compile(r"\?at=5$"))
    expect(attempts(page)).to_have_text(re.compile("^2nd of 3 attempts"))
    expect(attempts(page).get_by_role("deletion").first).to_have_text("957")
    expect(attempts(page).get_by_role("insertion").first).to_have_text("1047")
    assert violations(page, "[aria-label='Attempts']") == []
    attempts(page).get_by_role("button", name="Next attempt").click()
    expect(page).to_have_url(re.compile(r"\?at=7$"))
    page.keyboard.press(".")
    expect(page.get_by_role("region", name="Travel").get_by_role("status")).to_have_text(
        "No later attempt at this"
    )
    page.keyboard.press(",")
    expect(page).to_have_url(re.compile(r"\?at=5$"))
    page.keyboard.press("ArrowRight")
    expect(page).to_have_url(re.compile(r"\?at=6$"))
    page.keyboard.press(".")
    expect(page).to_have_url(re.compile(r"\?at=8$"))  # from result to result
