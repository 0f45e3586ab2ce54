"""The live wall: who waits for a person comes first, and approvals are given there."""

from playwright.sync_api import Page, expect

from tests.browser.accessibility import violations
from tests.browser.conftest import Service

ASKED: list[dict[str, object]] = [
    {"type": "tool_calls", "calls": [{"id": "c1", "name": "pay", "args": {"amount": 5}}]},
    {
        "type": "approval_request",
        "callId": "c1",
        "tool": "pay",
        "args": {"amount": 5},
        "reason": "costs money",
    },
]


def test_threads_at_work_show_their_last_step(page: Page, service: Service) -> None:
    service.append("at-work", {"type": "input", "text": "Count the stars"})
    page.goto("/live")
    at_work = page.get_by_role("region", name="At work")
    thread = at_work.get_by_role("listitem").filter(has=page.get_by_role("link", name="at-work"))
    expect(thread).to_contain_text("Count the stars")
    service.append("at-work", {"type": "reply", "text": "There are many."})
    expect(thread).to_contain_text("There are many.")
    thread.get_by_role("link", name="agent").click()
    expect(page).to_have_url(f"{service.address}/threads/at-work?at=2")


def test_an_approval_is_given_as_a_message_with_the_name_of_the_person(
    page: Page, service: Service
) -> None:
    service.append("asks-a-person", *ASKED)
    page.goto("/live")
    waiting = page.get_by_role("region", name="Needs approval")
    link = page.get_by_role("link", name="asks-a-person")
    thread = waiting.get_by_role("listitem").filter(has=link)
    approval = thread.get_by_role("article", name="Approval of pay")
    expect(approval).to_contain_text("costs money")
    assert page.title().startswith("● ")
    assert violations(page) == []
    approve = approval.get_by_role("button", name="Approve")
    expect(approve).to_be_disabled()
    approval.get_by_label("Your name").fill("eva")
    approval.get_by_label("Reason").fill("small enough")
    approve.click()
    expect(thread).to_have_count(0)
    answer = service.client.get("/v1/threads/asks-a-person/messages").json()["items"][-1]
    message = answer["message"]
    assert (message["approved"], message["reason"], message["callId"]) == (
        True,
        "small enough",
        "c1",
    )
    assert answer["metadata"]["actor"] == "eva"


def test_an_approval_can_be_denied(page: Page, service: Service) -> None:
    service.append("asks-in-vain", *ASKED)
    page.goto("/live")
    thread = page.get_by_role("listitem").filter(has=page.get_by_role("link", name="asks-in-vain"))
    thread.get_by_label("Your name").fill("sam")
    thread.get_by_role("button", name="Deny").click()
    expect(page.get_by_role("region", name="Needs approval").filter(has=thread)).to_have_count(0)
    answer = service.client.get("/v1/threads/asks-in-vain/messages").json()["items"][-1]
    assert answer["message"]["approved"] is False
