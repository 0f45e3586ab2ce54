"""Groups of events in the history: they fold and open, and their folds stand in the address."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.accessibility import violations
from tests.browser.conftest import Service


def span(kind: str, span_id: str) -> dict[str, object]:
    payload = {"event": kind, "id": span_id, "type": "solver", "name": span_id}
    return {"type": f"inspect.{kind}", "payload": payload}


HISTORY: list[dict[str, object]] = [
    {"type": "input", "text": "Go on."},
    span("span_begin", "outer"),
    span("span_begin", "inner"),
    {"type": "tool_calls", "calls": [{"id": "c", "name": "look", "args": {}}]},
    {"type": "tool_results", "results": [{"callId": "c", "output": None, "error": "gone"}]},
    span("span_end", "inner"),
    {"type": "reply", "text": "It is gone."},
    span("span_end", "outer"),
    span("span_end", "never"),
    {"type": "reply", "text": "Good-bye."},
]


@pytest.fixture(scope="module")
def spans(service: Service) -> str:
    """A thread with a span in a span."""
    service.append("spans", *HISTORY)
    return "/threads/spans"


def row(page: Page, text: str) -> Locator:
    events = page.get_by_role("region", name="Events")
    return events.get_by_role("listitem").filter(has_text=text)


def test_a_group_folds_and_opens_by_press_and_key(page: Page, spans: str) -> None:
    page.goto(f"{spans}?at=1")
    expect(row(page, "solver outer")).to_contain_text("7 events")
    expect(row(page, "solver outer")).to_contain_text("1 failed")
    expect(row(page, "It is gone.")).to_be_visible()
    page.get_by_role("button", name="Fold solver outer").click()
    expect(row(page, "It is gone.")).to_have_count(0)
    expect(row(page, "solver inner")).to_have_count(0)
    expect(row(page, "Good-bye.")).to_be_visible()
    expect(page).to_have_url(re.compile(r"groups=v2\b"))
    page.reload()
    expect(page.get_by_role("button", name="Open solver outer")).to_have_attribute(
        "aria-expanded", "false"
    )
    expect(row(page, "It is gone.")).to_have_count(0)
    assert violations(page) == []
    page.get_by_role("button", name="Open solver outer").click()
    expect(row(page, "It is gone.")).to_be_visible()
    row(page, "look").first.get_by_role("button").first.click()
    page.keyboard.press("x")
    expect(page).to_have_url(re.compile(r"at=3\b.*groups=v3\b"))
    expect(row(page, "solver inner").locator("[aria-current=true]")).to_be_visible()
    expect(row(page, "look")).to_have_count(0)


def test_a_cursor_in_a_folded_group_opens_it(page: Page, spans: str) -> None:
    page.goto(f"{spans}?at=1&groups=v2,v3")
    expect(row(page, "solver outer")).to_be_visible()
    expect(row(page, "look")).to_have_count(0)
    page.keyboard.press("j")
    page.keyboard.press("j")
    expect(page).to_have_url(re.compile(r"at=9\b"))
    page.goto(f"{spans}?at=5&groups=v2,v3")
    expect(row(page, "look").first).to_be_visible()
    expect(page).not_to_have_url(re.compile("groups"))


def test_all_groups_fold_and_open(page: Page, spans: str) -> None:
    page.goto(f"{spans}?at=5")
    expect(row(page, "look").first).to_be_visible()
    page.get_by_role("button", name=re.compile("^Fold \\d")).click()
    page.get_by_role("button", name="Fold", exact=True).click()
    expect(page).to_have_url(re.compile(r"at=2\b.*groups=all"))
    expect(row(page, "look")).to_have_count(0)
    page.get_by_role("button", name="Open", exact=True).click()
    expect(row(page, "look").first).to_be_visible()


def test_groups_that_cannot_be_read_hide_no_event(page: Page, spans: str) -> None:
    page.route(
        "**/outline?*", lambda route: route.fulfill(content_type="application/json", body="cut o")
    )
    page.goto(f"{spans}?at=5")
    expect(row(page, "look").first).to_be_visible()
    history = page.get_by_role("region", name="History")
    expect(history.get_by_role("alert")).to_contain_text("Groups are not known")
