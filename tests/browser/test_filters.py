"""Filters of terms above the list of threads: typed, applied and saved."""

import re

from playwright.sync_api import Page, expect


def test_a_filter_of_terms_is_applied_and_saved(page: Page) -> None:
    page.goto("/?q=research")
    box = page.get_by_label("Filter by terms")
    box.fill("thread:research* -thread:research")
    box.press("Enter")
    expect(page).to_have_url(re.compile(r"filter=thread"))
    expect(page.get_by_role("link", name="research-worker-1")).to_be_visible()
    expect(page.get_by_role("link", name="research", exact=True)).to_have_count(0)
    page.get_by_role("button", name="Save", exact=False).click()
    page.get_by_label("Name", exact=True).fill("workers of research")
    page.get_by_role("button", name="Save for all").click()
    chip = page.get_by_role("button", name="workers of research", exact=True)
    expect(chip).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("Escape")
    box.fill("")
    box.press("Enter")
    expect(page.get_by_role("link", name="research", exact=True)).to_be_visible()
    chip.click()
    expect(box).to_have_value("thread:research* -thread:research")
    expect(page.get_by_role("link", name="research", exact=True)).to_have_count(0)
