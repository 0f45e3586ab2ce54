"""The tree of workers across threads, and the keys into them and out again."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.accessibility import violations
from tests.browser.conftest import Service, catch_up

BEGUN = 1_767_600_000_000


@pytest.fixture(scope="module", autouse=True)
def boss(service: Service) -> None:
    """A thread with a worker, which failed."""

    def start(thread_id: str, parent: str | None, messages: list[dict[str, Any]]) -> None:
        body = {"threadId": thread_id, "goal": f"Goal of {thread_id}", "parent": parent}
        assert service.client.post("/v1/threads", json=body).status_code == 201
        timed = [{"timestamp": BEGUN + 1000 * n, **message} for n, message in enumerate(messages)]
        service.append(thread_id, *timed)

    error: dict[str, Any] = {"callId": "a", "output": None, "error": "gone"}
    spent = {"type": "llm_response", "costUsd": 0.25}
    spawned = {"type": "worker_spawned", "workerId": "1", "objective": "Look", "threadId": "hand"}
    start("boss", None, [spent, spawned])
    call = {"type": "tool_calls", "calls": [{"id": "a", "name": "look"}]}
    start("hand", "boss", [spent, call, {"type": "tool_results", "results": [error]}])
    catch_up(service)


def test_a_parent_shows_time_cost_and_failures_of_its_workers(page: Page) -> None:
    page.goto("/threads/boss")
    expect(page.get_by_title("In its workers", exact=True)).to_have_text("1 failed")
    page.get_by_role("button", name="Workers 1").click()
    threads = page.get_by_role("treeitem")
    expect(threads).to_have_count(2)
    first, second = threads.all()
    expect(first).to_contain_text("Goal of boss")
    expect(first).to_contain_text("$0.5000 in all")
    expect(second).to_contain_text("1 failed")
    assert violations(page) == []
    first.get_by_role("link").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Goal of hand")).to_be_visible()


def test_keys_lead_into_the_worker_at_the_cursor_and_out_again(
    page: Page, service: Service
) -> None:
    page.goto("/threads/boss?at=3")
    page.get_by_role("region", name="State at version 3", exact=True).wait_for()
    page.get_by_text("worker began").wait_for()
    page.keyboard.press("i")
    expect(page.get_by_role("heading", name="Goal of hand")).to_be_visible()
    page.keyboard.press("o")
    expect(page).to_have_url(f"{service.address}/threads/boss?at=3")
