"""Why a run failed: found in under ten clicks and keys, on real runs."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Service

THREADS = [("deploy", "failed", "failed"), ("airline-46-3", "told", "told to have failed")]


@pytest.mark.parametrize(("thread_id", "outcome", "words"), THREADS)
def test_why_a_run_failed_is_seen_in_under_ten_clicks_and_keys(
    page: Page, service: Service, thread_id: str, outcome: str, words: str
) -> None:
    items = service.client.get(f"/v1/threads/{thread_id}/views/timeline").json()["items"]
    failed = next(item for item in items if item.get("outcome") == outcome)
    page.goto("/")
    page.get_by_role("group", name="Filters").get_by_role("button", name="With errors").click()  # 1
    page.get_by_role("searchbox").fill(thread_id)  # 2
    page.get_by_role("link", name=thread_id, exact=True).click()  # 3
    expect(page.get_by_role("region", name="Event", exact=True)).to_be_visible()
    expect(page).to_have_url(re.compile(rf"at={failed['endVersion']}\b"))
    event = page.get_by_role("region", name="Event", exact=True)
    expect(event).to_contain_text(failed["name"])
    expect(event).to_contain_text(words)
    page.keyboard.press("ArrowLeft")  # 4: before the result came
    page.get_by_role("tab", name="Sent to model").click()  # 5
    sent = service.client.get(
        f"/v1/threads/{thread_id}/views/openai?bare=true&at={failed['endVersion'] - 1}"
    ).json()
    panel = page.get_by_role("tabpanel", name="Sent to model")
    expect(panel).to_contain_text(f"{len(sent)} messages")
    expect(panel).to_contain_text(failed["name"])
    page.get_by_role("button", name="Next event").click()  # 8
    page.get_by_role("tab", name="Changes").click()  # 9
    changes = page.get_by_role("tabpanel", name="Changes")
    expect(changes).to_contain_text(
        f"From version {failed['endVersion'] - 1} to {failed['endVersion']}"
    )
    expect(changes).to_contain_text("step_count")
