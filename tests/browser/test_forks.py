"""Forks in the header of a thread: what is copied, the tree, and a fork beside its origin."""

import re
import shlex
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.accessibility import violations
from tests.browser.conftest import Service, opened, serving
from tests.command_line import agentlog
from tests.databases import new_database

CLIPBOARD = ["clipboard-read", "clipboard-write"]
REPLAYED = {"source": "replay", "changes": "model m", "liveCalls": 2, "check": "failed"}
LONG = "a-fork-whose-id-does-not-end-" * 4


def _forked(service: Service, origin: str) -> None:
    """An origin of 8 versions; a fork of it at 5, another of that, and one with a long id."""
    service.append(origin, *({"type": "input", "text": f"Question {n}"} for n in range(7)))
    for thread_id, of, body in (
        (f"{origin}-a", origin, {"at": "5", "edits": [{"drop": 2}]}),
        (f"{origin}-aa", f"{origin}-a", {"metadata": REPLAYED}),
        (f"{origin}-{LONG}"[:128], origin, {"at": "3"}),
    ):
        answer = service.client.post(f"/v1/threads/{of}/fork", json={"threadId": thread_id, **body})
        assert answer.status_code == 201, answer.text
    service.append(f"{origin}-a", {"type": "input", "text": "Something else"})


def test_a_fork_says_what_is_copied_and_stands_in_its_tree(page: Page, service: Service) -> None:
    _forked(service, "tree")
    page.goto("/threads/tree-a")
    header = page.locator("header").filter(has=page.get_by_role("heading", name="tree-a"))
    expect(header).to_contain_text("4 of 6 copied from tree@5")
    page.get_by_role("button", name="Forks 3").click()
    rows = page.get_by_role("treeitem")
    expect(rows).to_have_count(4)
    here = rows.and_(page.locator("[aria-selected=true]"))
    expect(here).to_contain_text("version 6, forked with drop 2 at 5 of tree")
    expect(rows.nth(2)).to_contain_text("check failed")
    expect(rows.nth(2)).to_contain_text("version 5 · 2 live calls, forked with model m at 5")
    expect(here).to_have_attribute("aria-level", "2")
    assert violations(page, "[aria-label='Forks']") == []

    here.get_by_role("link", name="tree-a", exact=True).focus()
    page.keyboard.press("ArrowDown")
    expect(rows.nth(2).get_by_role("link", name="tree-aa", exact=True)).to_be_focused()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/threads/tree-aa\?at=end$"))
    page.goto("/threads/" + f"tree-{LONG}"[:128])
    expect(page.get_by_text("3 of 4 copied from")).to_be_visible()


def test_a_fork_is_one_step_from_its_origin_with_what_they_share_folded(
    page: Page, service: Service
) -> None:
    _forked(service, "beside")
    page.goto("/threads/beside-aa")
    page.get_by_role("button", name="Forks 3").click()
    page.get_by_role("link", name="Compare beside-a with its origin").click()
    for thread_id in ("beside", "beside-a"):
        expect(page.get_by_role("columnheader", name=thread_id, exact=False).first).to_be_visible()
    expect(page.get_by_text("First difference after 1 equal step")).to_be_visible()
    expect(page.get_by_text("Something else")).to_be_visible()
    service.append("beside", {"type": "input", "text": "Question 8"})
    service.client.post("/v1/threads/beside/fork", json={"threadId": "beside-b", "at": "6"})
    service.append("beside-b", {"type": "input", "text": "Instead of question 6"})
    page.goto('/compare?thread=["beside","beside-b"]')
    expect(
        page.get_by_role("button", name="equal steps: versions 1 to 6 are copied")
    ).to_be_visible()


@pytest.mark.parametrize("width", [390, pytest.param(1280, marks=pytest.mark.slow)])
def test_a_thread_without_forks_shows_none(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 700})
    page.goto("/threads/refund")
    expect(page.get_by_role("button", name="Actions")).to_be_visible()
    expect(page.get_by_role("button", name="Chain whole")).to_be_visible()
    expect(page.get_by_role("button", name="Forks")).to_have_count(0)


def test_the_command_that_forks_from_here_makes_the_fork(
    browser: Browser, server_url: str, template_database: str, tmp_path: Path
) -> None:
    origin = "-an:odd~id"
    with (
        new_database(server_url, template=template_database) as url,
        serving(url) as service,
        opened(browser, service, permissions=CLIPBOARD) as page,
    ):
        service.append(origin, *({"type": "input", "text": f"Question {n}"} for n in range(3)))
        page.goto(f"/threads/{origin}?at=2")
        page.get_by_role("button", name="Actions").click()
        page.get_by_role("button", name="Fork from version 2…").click()
        dialog = page.get_by_role("dialog", name="Fork from version 2")
        dialog.get_by_label("Id of the fork").fill("another")
        dialog.get_by_label("The input of version 2 is").select_option("edited")
        message = dialog.get_by_label("Message, as JSON")
        message.fill(message.input_value().replace("Question 1", "Something else"))
        assert violations(page, "dialog") == []
        with page.expect_download() as saved:
            dialog.get_by_role("button", name="Save as message-2.json").click()
        file = tmp_path / "it's an input.json"
        saved.value.save_as(file)
        dialog.get_by_role("button", name="Copy command").click()
        expect(dialog.get_by_role("button", name="Copied")).to_be_visible()
        name, *arguments = shlex.split(page.evaluate("navigator.clipboard.readText()"))
        assert name == "agentlog"
        assert arguments.pop(arguments.index("2=message-2.json")) == "2=message-2.json"
        arguments.insert(arguments.index("--replace") + 1, f"2={file}")
        assert agentlog(*arguments, url=url).code == 0
        page.goto("/threads/another")
        expect(page.get_by_text(f"2 of 3 copied from {origin}@2")).to_be_visible()
        expect(page.get_by_role("region", name="Event", exact=True)).to_contain_text(
            "Something else"
        )


def _dialog(page: Page, thread_id: str, version: int) -> Locator:
    page.goto(f"/threads/{thread_id}?at={version}")
    page.get_by_role("button", name="Actions").click()
    page.get_by_role("button", name=f"Fork from version {version}…").click()
    return page.get_by_role("dialog", name=f"Fork from version {version}")


def test_a_fork_with_an_edited_result_is_made_in_the_page(page: Page, service: Service) -> None:
    call = {"id": "c1", "name": "track", "args": {"parcel": 4711}}
    result = {"callId": "c1", "output": "no such parcel"}
    service.append(
        "tracked",
        {"type": "tool_calls", "calls": [call]},
        {"type": "tool_results", "results": [result]},
    )
    dialog = _dialog(page, "tracked", 2)
    dialog.get_by_label("The tool results of version 2 is").select_option("edited")
    message = dialog.get_by_label("Message, as JSON")
    expect(message).to_have_value(re.compile("no such parcel"))
    text = message.input_value()
    message.fill(text[:-1])
    dialog.get_by_role("button", name="Fork", exact=True).click()
    expect(dialog.get_by_role("alert")).to_contain_text("The message is no JSON")
    message.fill(text.replace("no such parcel", "in transit"))
    dialog.get_by_role("button", name="Fork", exact=True).click()
    expect(page.get_by_text("copied from tracked@2")).to_be_visible()
    expect(page.get_by_role("region", name="Event", exact=True)).to_contain_text("in transit")


def test_why_a_fork_cannot_be_is_said(browser: Browser, service: Service) -> None:
    page = browser.new_page(base_url=service.address)  # the browser logs the refusal as an error
    service.client.post("/v1/threads", json={"threadId": "ruled"}).raise_for_status()
    call = {"id": "c1", "name": "track", "args": {}}
    service.append("ruled", {"type": "tool_calls", "calls": [call]})
    service.append("ruled", {"type": "tool_results", "results": [{"callId": "c1", "output": ""}]})
    dialog = _dialog(page, "ruled", 1)
    expect(dialog.get_by_role("note")).to_contain_text("a fork has facts of its own")
    expect(dialog.get_by_role("combobox")).to_have_count(0)
    dialog = _dialog(page, "ruled", 3)
    dialog.get_by_role("combobox").select_option("edited")
    message = dialog.get_by_label("Message, as JSON")
    expect(message).to_have_value(re.compile("c1"))
    message.fill(message.input_value().replace("c1", "c2"))
    dialog.get_by_role("button", name="Fork", exact=True).click()
    expect(dialog.get_by_role("alert")).to_contain_text("The fork was not made")
    expect(dialog.get_by_role("alert")).to_contain_text("c2")
    page.close()
