"""Notes on events, labels and verdicts on threads."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.accessibility import violations
from tests.browser.conftest import Service

STORY: tuple[dict[str, object], ...] = (
    {"type": "input", "text": "Pay the invoice"},
    {"type": "reply", "text": "Paid twice."},
    {"type": "exit", "reason": "complete"},
)


def test_a_note_is_written_changed_and_taken_back_by_keys(page: Page, service: Service) -> None:
    service.append("noted", *STORY)
    page.goto("/threads/noted?at=2")
    notes = page.get_by_role("region", name="Notes")
    expect(notes.get_by_role("button", name="Write a note")).to_be_visible()
    page.keyboard.press("m")
    expect(page.get_by_role("textbox", name="Note on version 2")).to_be_focused()
    page.keyboard.type("It should have asked.")
    page.get_by_role("textbox", name="Your name").fill("sam")
    page.get_by_role("textbox", name="Note on version 2").press("Control+Enter")
    expect(notes.get_by_text("It should have asked.")).to_be_visible()
    expect(notes).to_contain_text("sam version 4")
    row = page.get_by_role("region", name="History").get_by_text("1 note")
    expect(row).to_be_visible()
    assert violations(page, "[aria-label='Notes']") == []
    notes.get_by_role("button", name="Change").click()
    page.get_by_role("textbox", name="Change the note of version 4").fill("It asked nobody.")
    notes.get_by_role("button", name="Save").click()
    expect(notes.get_by_text("It asked nobody.")).to_be_visible()
    notes.get_by_role("button", name="version 4").click()
    expect(page.get_by_role("heading", name="Note", exact=True)).to_be_visible()
    page.goto("/threads/noted?at=2")
    notes.get_by_role("button", name="Take back").click()
    expect(notes.get_by_text("It asked nobody.")).to_have_count(0)
    assert service.client.get("/v1/threads/noted").json()["status"] == "exited"


def test_who_signed_in_at_the_proxy_signs_notes(page: Page, service: Service) -> None:
    service.append("signed", *STORY)
    page.set_extra_http_headers({"X-User": "ada@example.org"})
    page.goto("/threads/signed?at=2")
    notes = page.get_by_role("region", name="Notes")
    expect(notes.get_by_role("button", name="Write a note")).to_be_visible()
    page.keyboard.press("m")
    expect(notes).to_contain_text("Signed in as ada@example.org")
    expect(page.get_by_role("textbox", name="Your name")).to_have_count(0)
    page.keyboard.type("It should have asked.")
    assert violations(page, "[aria-label='Notes']") == []
    page.get_by_role("textbox", name="Note on version 2").press("Control+Enter")
    expect(notes).to_contain_text("ada@example.org version 4")
    (note,) = service.client.get("/v1/threads/signed/views/remarks?bare=true").json()["notes"]
    assert (note["actor"], note["appendedBy"]) == ("ada@example.org", "ada@example.org")


@pytest.mark.parametrize("width", [390, pytest.param(1440, marks=pytest.mark.slow)])
def test_a_thread_gets_labels_and_judgements(page: Page, service: Service, width: int) -> None:
    name = f"judged-{width}"
    service.append(name, *STORY)
    page.set_viewport_size({"width": width, "height": 844})
    page.goto(f"/threads/{name}")
    page.get_by_role("button", name="Judge").click()
    page.get_by_role("textbox", name="New label").fill("paid twice")
    page.get_by_role("button", name="Add label").click()
    header = page.locator("header").filter(has=page.get_by_role("heading", name=name))
    expect(header.get_by_title("Label")).to_have_text("paid twice")
    panel = page.get_by_role("dialog", name="Judge")
    panel.get_by_label("Verdict", exact=True).fill("fail")
    panel.get_by_label("Score (optional)").fill("0.25")
    panel.get_by_label("Criterion").fill("policy")
    panel.get_by_role("button", name="Save judgement").click()
    expect(header.get_by_title("Judgement")).to_have_text("policy: fail, 0.25")
    assert violations(page, "[aria-label='Judge']") == []
    panel.get_by_role("button", name="Remove paid twice").click()
    expect(header.get_by_title("Label")).to_have_count(0)
    thread = service.client.get(f"/v1/threads/{name}").json()
    assert thread["judgements"] == [{"criterion": "policy", "verdict": "fail", "score": 0.25}]
    panel.get_by_label("Criterion").fill("")
    panel.get_by_role("button", name="Save judgement").click()
    why = page.get_by_role("region", name="Why")
    expect(why).to_have_attribute("data-verdict", "failed")


def test_a_key_that_may_only_read_sees_notes_and_why_it_writes_none(
    page: Page, service: Service
) -> None:
    service.append("read-only", *STORY)
    remark = {"type": "thread.noted", "text": "It asked nobody.", "on": 2}
    service.client.post("/v1/threads/read-only/remarks", json=remark).raise_for_status()
    access = service.client.get("/v1/keys/self").json()
    page.route("**/v1/keys/self", lambda route: route.fulfill(json={**access, "scopes": ["read"]}))
    page.goto("/threads/read-only?at=2")
    notes = page.get_by_role("region", name="Notes")
    expect(notes.get_by_text("It asked nobody.")).to_be_visible()
    expect(notes).to_contain_text("use a key of the scope append")
    for name in ("Write a note", "Change", "Take back", "Judge"):
        expect(page.get_by_role("button", name=name)).to_have_count(0)
