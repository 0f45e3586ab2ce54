"""No content empties a screen, and none hides or turns round what is read beside it."""

import json
import re
from typing import Any, Final

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Service, catch_up
from tests.browser.test_event import EVERY_TAB, TABS, event_at, step_to

HIDDEN: Final = "a\u202eb\u2066c\u0007d\u200be\U000e0041f"
"""A text with characters that turn, sound, or are not drawn."""

THREAD: Final = "hidden-characters"

MESSAGES: Final[list[dict[str, Any]]] = [
    {"type": "input", "text": HIDDEN, "files": [{"data": "QQ==", "filename": HIDDEN}]},
    {"type": "reply", "text": f"# {HIDDEN}\n\n```{HIDDEN}\n{HIDDEN}\n```\n\n&#x202e;entity"},
    {"type": "reasoning", "title": HIDDEN, "summary": HIDDEN},
    {
        "type": "tool_calls",
        "calls": [
            {"id": HIDDEN, "name": HIDDEN, "args": {HIDDEN: HIDDEN, "code": f"{HIDDEN}\n2"}},
            {"id": "b", "name": HIDDEN, "argumentsText": f"{{{HIDDEN}"},
        ],
    },
    {
        "type": "tool_results",
        "results": [
            {"callId": HIDDEN, "output": json.dumps({HIDDEN: HIDDEN})},
            {
                "callId": "b",
                "output": None,
                "error": {"name": HIDDEN, "message": HIDDEN, "stack": HIDDEN},
            },
        ],
    },
    {"type": "approval_request", "callId": HIDDEN, "tool": HIDDEN, "reason": HIDDEN},
    {"type": "approval_response", "callId": HIDDEN, "approved": False, "reason": HIDDEN},
    {"type": "worker_spawned", "workerId": HIDDEN, "objective": HIDDEN, "model": HIDDEN},
    {"type": "worker_result", "workerId": HIDDEN, "error": {"message": HIDDEN}},
    {"type": "llm_request", "model": HIDDEN},
    {"type": "llm_response", "model": HIDDEN, "provider": HIDDEN, "finishReason": HIDDEN},
    {"type": "system", "text": HIDDEN},
    {"type": "log", "text": HIDDEN},
    {"type": "scratchpad", "text": HIDDEN, "mode": "append"},
    {"type": "runtime_error", "error": HIDDEN},
    {"type": "vendor.odd", "payload": {HIDDEN: [HIDDEN]}},
    {"type": "shutdown", "reason": HIDDEN},
    {"type": "exit", "reason": "error", "message": HIDDEN},
]

_DRAWN = """() => {
    const texts = [document.title, document.body.textContent];
    for (const element of document.querySelectorAll("*"))
        for (const { name, value } of element.attributes)
            if (/^(title|alt|placeholder|label|aria-.*)$/.test(name)) texts.push(value);
    return texts.join("\\n");
}"""
_RAW = re.compile(
    "[\u202a-\u202e\u2066-\u2069\u200b\u0000-\u0008\u000e-\u001f\U000e0000-\U000e007f]"
)


@pytest.fixture(scope="module")
def thread(service: Service) -> str:
    """The thread whose fields all have hidden characters."""
    started = {"threadId": THREAD, "goal": HIDDEN, "policy": "record", "metadata": {HIDDEN: HIDDEN}}
    service.client.post("/v1/threads", json=started).raise_for_status()
    said = [{**message, "metadata": {HIDDEN: HIDDEN, "actor": HIDDEN}} for message in MESSAGES]
    service.append(THREAD, *said)
    catch_up(service)
    return THREAD


def raw_characters(page: Page) -> list[str]:
    """Return the hidden characters among the texts and labels of a page."""
    return sorted({hex(ord(sign)) for sign in _RAW.findall(page.evaluate(_DRAWN))})


@TABS
def test_no_hidden_character_is_drawn_of_any_event(
    page: Page, thread: str, tabs: tuple[str, ...]
) -> None:
    event_at(page, thread, 1)
    for version in range(1, len(MESSAGES) + 2):
        pane = step_to(page, version)
        for name in tabs if version > 1 else EVERY_TAB:
            pane.get_by_role("tab", name=name).click()
            expect(pane.get_by_text("Loading…")).to_have_count(0)
            assert raw_characters(page) == [], (version, name)
    assert "⟨U+202E⟩" in page.title()


@pytest.mark.parametrize(
    "address",
    [
        *(f"/threads/{THREAD}?state={state}" for state in ("state", "model", "changes")),
        *(f"/threads/{THREAD}?state=view&view={view}" for view in ("openai", "letta", "kernel")),
        f"/threads/{THREAD}?at=5&find=b",
        "/",
        "/?q=b",
        f'/compare?thread=["{THREAD}","deploy"]',
        "/reports/tools",
    ],
)
def test_no_hidden_character_is_drawn_on_any_screen(page: Page, thread: str, address: str) -> None:
    page.goto(address)
    expect(page.get_by_text(re.compile(f"{thread}|⟨U")).first).to_be_visible()
    page.wait_for_timeout(300)  # what is read after the first text
    assert raw_characters(page) == []


@pytest.mark.parametrize("language", ["constructor", "toString", "__proto__", "hasOwnProperty"])
def test_a_block_of_code_in_any_language_is_drawn(
    page: Page, service: Service, language: str
) -> None:
    thread_id = f"language-{language.strip('_')}"
    service.append(thread_id, {"type": "reply", "text": f"see\n\n```{language}\nx = 1\n```"})
    expect(event_at(page, thread_id, 1).locator("pre code")).to_contain_text("x = 1")


def test_what_a_renderer_cannot_draw_is_a_plain_text(browser: Browser, service: Service) -> None:
    service.append("renderer-fails", {"type": "reply", "text": "before\n\n```py\nx = 1\n```"})
    context = browser.new_context(base_url=service.address)  # where errors may be logged
    page = context.new_page()
    page.route(
        re.compile(r"/highlight-[\w-]+\.js$"),
        lambda route: route.fulfill(
            body="export const highlightHtml = () => { throw Error('no') }",
            content_type="text/javascript",
        ),
    )
    pane = event_at(page, "renderer-fails", 1)
    expect(pane.locator("pre.text")).to_contain_text("```py")
    expect(pane.get_by_role("heading", name="Reply")).to_be_visible()
    expect(page.get_by_role("region", name="Events")).to_contain_text("before")
    context.close()


def test_colours_of_a_terminal_are_colours(page: Page, service: Service) -> None:
    output = "\u001b[1;31mFAILED\u001b[0m tests/test_x.py"
    service.append(
        "terminal",
        {"type": "tool_calls", "calls": [{"id": "a", "name": "sh", "args": {"c": "if x:\n  y"}}]},
        {"type": "tool_results", "results": [{"callId": "a", "output": output}]},
    )
    pane = event_at(page, "terminal", 2)
    expect(pane.get_by_text("FAILED", exact=True)).to_have_css("font-weight", "600")
    expect(pane.get_by_role("tabpanel")).to_contain_text("FAILED tests/test_x.py")
    expect(event_at(page, "terminal", 1).locator("figure pre")).to_have_text("if x:\n  y")
