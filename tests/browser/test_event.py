"""The event under the cursor, and what is handed on to other tools."""

import base64
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, Route, expect

from tests.browser.accessibility import violations
from tests.browser.conftest import SCHEMES, Service, opened, serving
from tests.browser.contents import HOSTILE, LONG
from tests.command_line import agentlog
from tests.databases import new_database
from tests.waiting import until

EXAMPLES = [
    ("refund", 1, "Thread started", "Refund order 1042, with a person's leave"),
    ("refund", 2, "System", "Money moves only when a person agrees."),
    ("refund", 3, "Input", "Order 1042 came broken."),
    ("refund", 4, "Model request", "1,024"),
    ("refund", 5, "Model response", "$0.0014"),
    ("refund", 6, "Reasoning", "Look before paying"),
    ("refund", 7, "Reply", "I am sorry to hear that."),
    ("refund", 10, "Tool calls", "59.90"),
    ("refund", 11, "Approval asked", "pays out 59.90 EUR"),
    ("refund", 12, "Approval answered", "by maria.lopez"),
    ("refund", 9, "Tool results", '"delivered"'),
    ("refund", 16, "Thread closed", "resolved"),
    ("deploy", 4, "Tool results", "smoke tests gave no answer within 4 s"),
    ("deploy", 5, "Log", "retrying run_tests with a longer limit"),
    ("deploy", 9, "Approval answered", "denied"),
    ("deploy", 11, "Scratchpad", "Replaces the scratchpad"),
    ("deploy", 13, "Shutdown", "end of the working day"),
    ("deploy", 14, "Exit", "The user stopped the agent."),
    ("research", 4, "Worker spawned", "only sources of this year"),
    ("research", 6, "Tick", "Time passed."),
    ("research", 7, "Worker result", "the price page wants a login"),
    ("research", 9, "vendor.citation", "https://example.org/benchmarks"),
    ("research-worker-1", 8, "Runtime error", "the first mirror closed the connection"),
    ("unruly", 3, "Tool calls", '{"city": "Rome"'),
]


def event_at(page: Page, thread_id: str, version: int, *, more: str = "") -> Locator:
    """Open the event of a version; return its pane."""
    page.goto(f"/threads/{thread_id}?at={version}{more}")
    pane = page.get_by_role("region", name="Event", exact=True)
    expect(pane).to_have_attribute("aria-busy", "false")
    return pane


EVERY_TAB = ("JSON", "Raw", "Proof", "Shown")
TABS = pytest.mark.parametrize(
    "tabs",
    [("Shown",), pytest.param(EVERY_TAB, marks=pytest.mark.slow)],
    ids=["as shown", "every tab"],
)


def place_of(pane: Locator) -> Locator:
    """Return where the pane says which version it shows."""
    return pane.locator("header strong[title^=Version]")


def step_to(page: Page, version: int) -> Locator:
    """Step on to the event of a later version; return its pane."""
    pane = page.get_by_role("region", name="Event", exact=True)
    place = place_of(pane)
    while (current := int(place.inner_text())) < version:
        pane.get_by_role("button", name="Next event").click()
        expect(place).to_have_text(f"{current + 1}")
    expect(pane).to_have_attribute("aria-busy", "false")
    return pane


@pytest.mark.parametrize(
    "examples",
    [EXAMPLES[::3], pytest.param(EXAMPLES, marks=pytest.mark.slow)],
    ids=["some", "all"],
)
def test_every_type_of_the_examples_is_shown_in_its_own_way(
    page: Page, examples: list[tuple[str, int, str, str]]
) -> None:
    opened_thread = ""
    for thread_id, version, kind, text in sorted(examples):
        if thread_id == opened_thread:
            pane = step_to(page, version)
        else:
            pane = event_at(page, thread_id, version)
        opened_thread = thread_id
        expect(pane.get_by_role("heading", name=kind, exact=True)).to_be_visible()
        expect(pane.get_by_role("tabpanel")).to_contain_text(text)


def test_a_call_leads_to_its_result_and_back(page: Page) -> None:
    pane = event_at(page, "refund", 10)
    expect(pane.get_by_role("tabpanel")).to_contain_text("49 s")
    pane.get_by_role("link", name="Result at 13").click()
    expect(pane.get_by_role("heading", name="Tool results")).to_be_visible()
    expect(place_of(pane)).to_have_text("13")
    pane.get_by_role("link", name="Call at 10").click()
    expect(place_of(pane)).to_have_text("10")
    pane.get_by_role("button", name="Next event").click()
    expect(pane.get_by_role("heading", name="Approval asked")).to_be_visible()


def test_calls_without_result_and_results_without_call_say_so(page: Page) -> None:
    expect(event_at(page, "unruly", 3)).to_contain_text("no result")
    expect(event_at(page, "unruly", 6)).to_contain_text("no call before it")


def test_an_old_event_never_stands_under_a_new_number(page: Page) -> None:
    pane = event_at(page, "refund", 6)
    old = pane.get_by_role("heading").first.text_content()

    def slow(route: Route) -> None:
        page.wait_for_timeout(700)
        route.continue_()

    page.route(re.compile(r"/messages\?after=6&limit=1&"), slow)
    page.keyboard.press("ArrowRight")
    expect(pane).to_contain_text("6 reading 7…")
    assert pane.get_by_role("heading").first.text_content() == old
    expect(place_of(pane)).to_have_text("7")
    expect(pane).not_to_contain_text("reading")


def test_a_worker_leads_to_its_thread(page: Page) -> None:
    pane = event_at(page, "research", 4)
    pane.get_by_role("link", name="Thread research-worker-1").click()
    expect(page).to_have_url(re.compile("/threads/research-worker-1"))


def test_code_is_coloured_and_markdown_can_be_seen_as_it_is(page: Page, service: Service) -> None:
    text = "## Plan\n\n```python\nreturn 1  # done\n```"
    service.append("event-markdown", {"type": "reply", "text": text})
    pane = event_at(page, "event-markdown", 1)
    expect(pane.get_by_role("heading", name="Plan")).to_be_visible()
    expect(pane.locator("pre .hljs-comment")).to_have_text("# done")
    pane.get_by_role("button", name="Plain text").click()
    expect(pane).to_contain_text("## Plan")
    expect(page).to_have_url(re.compile("plain=true"))


def test_pictures_are_drawn_and_other_files_are_downloaded(page: Page, service: Service) -> None:
    picture = service.client.get("/v1/threads/invoice/messages").json()
    data = picture["items"][1]["message"]["files"][0]["data"]
    note = b"a note of some length\n" * 100
    service.append(
        "event-files",
        {
            "type": "input",
            "files": [
                {"data": data, "filename": "dot.png", "mimeType": "image/png"},
                {"data": base64.b64encode(note).decode(), "filename": "../note.txt"},
                {"data": "PHN2Zy8+", "filename": "x.svg", "mimeType": "image/svg+xml"},
            ],
        },
    )
    pane = event_at(page, "event-files", 1)
    image = pane.get_by_role("img", name="dot.png")
    expect(image).to_have_js_property("naturalWidth", 1)
    assert re.match("blob:", str(image.get_attribute("src")))
    expect(pane.get_by_role("img")).to_have_count(1)
    expect(pane.get_by_role("figure").filter(has_text="note.txt")).to_contain_text("2.2 kB")
    with page.expect_download() as saved:
        pane.get_by_role("button", name="Download ../note.txt").click()
    assert saved.value.suggested_filename == "_note.txt"
    assert saved.value.path().read_bytes() == note


def test_json_and_raw_keep_every_digit_and_byte(page: Page, service: Service) -> None:
    pane = event_at(page, "refund", 10, more="&event=json")
    expect(pane.get_by_role("tree", name="Event")).to_contain_text("position")
    pane.get_by_role("tab", name="Raw").click()
    with page.expect_download() as saved:
        pane.get_by_role("button", name="Download").click()
    chained = service.client.get("/v1/threads/refund/chain?after=9&limit=1").json()["items"][0]
    assert saved.value.path().read_bytes() == base64.b64decode(chained["body"])
    pane.get_by_role("tab", name="Proof").click()
    expect(pane.get_by_role("tabpanel")).to_contain_text(chained["bodySha256"])
    expect(pane.get_by_role("tabpanel")).to_contain_text(chained["chain"])


@contextmanager
def watched(page: Page, service: Service) -> Iterator[None]:
    """Fail if a content asks another host, opens a dialog, or sets the title meanwhile."""
    harm: list[str] = []
    page.on("dialog", lambda dialog: harm.append(dialog.message))
    page.on("popup", lambda popup: harm.append(popup.url))
    page.on(
        "request",
        lambda request: (
            None if request.url.startswith((service.address, "blob:")) else harm.append(request.url)
        ),
    )
    yield
    assert (page.title() == "ran", harm) == (False, [])


@TABS
def test_hostile_contents_do_nothing_and_can_all_be_read(
    page: Page, service: Service, tabs: tuple[str, ...]
) -> None:
    last = service.client.get(f"/v1/threads/{HOSTILE}").json()["version"]
    with watched(page, service):
        event_at(page, HOSTILE, 1)
        for version in range(1, last + 1):
            pane = step_to(page, version)
            for name in tabs if version > 1 else EVERY_TAB:
                pane.get_by_role("tab", name=name).click()
                expect(pane.get_by_role("tab", name=name)).to_have_attribute(
                    "aria-selected", "true"
                )
                expect(pane.get_by_text("Loading…")).to_have_count(0)
        expect(event_at(page, HOSTILE, 2).get_by_role("tabpanel")).to_contain_text(
            "<script>document.title = 'ran'</script>"
        )
        expect(event_at(page, HOSTILE, 7)).to_contain_text("abc ⟨U+202E⟩gnp.exe")
        expect(event_at(page, HOSTILE, 8)).to_contain_text("before⟨U+0000⟩after")
        expect(event_at(page, HOSTILE, 9)).to_contain_text("12345678901234567890123.10")


def test_a_large_text_is_read_when_asked_for_and_to_its_end(page: Page) -> None:
    pane = event_at(page, HOSTILE, 5)
    expect(pane).to_contain_text("This is the beginning.")
    pane.get_by_role("button", name="Show all 20.7 MB").click()
    text = pane.get_by_role("region", name="Text")
    expect(text).to_be_visible()
    text.focus()
    end = text.locator(f"pre[data-index='{len(LONG) // 2000 - 1}']")

    def is_at_the_end() -> int:
        page.keyboard.press("End")  # again, where pieces on the way are longer than estimated
        return end.count()

    until(is_at_the_end)
    expect(place_of(pane)).to_have_text("5")
    assert pane.locator("pre").count() < 200


def test_redaction_asks_twice_and_then_shows_what_is_left(page: Page, service: Service) -> None:
    service.append("event-redact", {"type": "input", "text": "My name is Ada."})
    service.append("event-redact", {"type": "reply", "text": "Hello."})
    pane = event_at(page, "event-redact", 1)
    expect(pane.get_by_role("tabpanel")).to_contain_text("Ada")
    expect(pane.get_by_role("button", name=re.compile("Redact|Erase"))).to_have_count(0)
    page.get_by_role("button", name="Actions").click()
    page.get_by_role("button", name="Of the message at version 1…").click()
    dialog = page.get_by_role("dialog", name="Redact this message")
    erase = dialog.get_by_role("button", name="Erase for ever")
    expect(erase).to_be_disabled()
    dialog.get_by_label("Reason").fill("request 2026-118")
    expect(erase).to_be_disabled()
    dialog.get_by_label("Type the version").fill("2")
    expect(erase).to_be_disabled()
    dialog.get_by_label("Type the version").fill("1")
    erase.click()
    expect(dialog).to_have_count(0)
    expect(pane).to_contain_text("erased by version 3")
    expect(pane.get_by_role("tabpanel")).not_to_contain_text("Ada")
    page.get_by_role("button", name="Actions").click()
    expect(page.get_by_role("button", name="Of the whole thread…")).to_be_visible()
    expect(page.get_by_role("button", name="Of the message")).to_have_count(0)
    page.keyboard.press("Escape")
    pane.get_by_role("tab", name="Raw").click()
    expect(pane).to_contain_text("These bytes are erased.")
    expect(event_at(page, "event-redact", 3)).to_contain_text("request 2026-118")


def copied(page: Page, name: str) -> str:
    """Choose a copy in the menu; return what is in the clipboard."""
    page.evaluate("navigator.clipboard.writeText('')")
    page.get_by_role("button", name=name, exact=True).click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    text: str = page.evaluate("navigator.clipboard.readText()")
    expect(page.get_by_role("button", name=name, exact=True)).to_be_visible()
    return text


def output_of(*command: str, **settings: str) -> str:
    """Run what was copied; return its standard output."""
    environment = {**os.environ, "NO_PROXY": "*", **settings}
    return subprocess.run(
        command, env=environment, capture_output=True, text=True, check=True
    ).stdout


CLIPBOARD = ["clipboard-read", "clipboard-write"]


def test_what_is_copied_works_as_it_is_pasted(browser: Browser, service: Service) -> None:
    wanted = service.client.get("/v1/threads/refund/views/openai?bare=true&at=10").json()
    with opened(browser, service, permissions=CLIPBOARD) as page:
        event_at(page, "refund", 10)
        page.get_by_role("button", name="Actions").click()
        assert json.loads(copied(page, "OpenAI messages")) == wanted
        assert json.loads(output_of("sh", "-c", copied(page, "curl command"))) == wanted
        python = copied(page, "Python program")
        assert json.loads(output_of(sys.executable, "-c", python)) == wanted
        link = copied(page, "Link to this place")
        page.goto(link)
        expect(place_of(page.get_by_role("region", name="Event", exact=True))).to_have_text("10")


def test_the_copied_test_fails_unless_the_agent_does_the_same(
    browser: Browser, service: Service
) -> None:
    with opened(browser, service, permissions=CLIPBOARD) as page:
        event_at(page, "refund", 4)
        page.get_by_role("button", name="Actions").click()
        case = copied(page, "pytest case") + "\n\ntest_the_agent_calls_what_it_called()\n"
    assert "get_order" in case
    ask = 'raise NotImplementedError("call your agent here")'
    output_of(sys.executable, "-c", case.replace(ask, "return RECORDED"))
    for other in (ask, "return {'content': 'no'}"):
        with pytest.raises(subprocess.CalledProcessError):
            output_of(sys.executable, "-c", case.replace(ask, other))


def test_a_downloaded_thread_can_be_imported(
    page: Page, server_url: str, template_database: str, tmp_path: Path
) -> None:
    page.goto("/threads/refund")
    page.get_by_role("button", name="Actions").click()
    with page.expect_download() as saved:
        page.get_by_role("button", name="JSON lines").click()
    file = tmp_path / saved.value.suggested_filename
    saved.value.save_as(file)
    with new_database(server_url, template=template_database) as url:
        assert agentlog("import", file, url=url).code == 0
        assert agentlog("export", "threads", url=url).out == file.read_text(encoding="utf-8")


def test_a_key_that_may_only_read_sees_no_redaction_and_stays_out_of_snippets(
    browser: Browser, server_url: str, template_database: str
) -> None:
    with new_database(server_url, template=template_database) as url:
        agentlog("import", Path(__file__).parents[2] / "examples" / "refund.json", url=url)
        made = agentlog("keys", "create", "--name", "reader", "--scope", "read", url=url)
        match = re.search(r"agentlog_\S+", made.out)
        assert match is not None, made.out
        with serving(url) as service, opened(browser, service, permissions=CLIPBOARD) as page:
            page.add_init_script(f"sessionStorage.setItem('agentlog.key', '{match[0]}')")
            pane = event_at(page, "refund", 10)
            expect(pane.get_by_role("button", name="Next event")).to_be_visible()
            page.get_by_role("button", name="Actions").click()
            expect(page.get_by_role("button", name=re.compile("^Of the"))).to_have_count(0)
            command = copied(page, "curl command")
            assert match[0] not in command
            answer = output_of("sh", "-c", command, AGENTLOG_KEY=match[0])
            assert json.loads(answer)[-1]["role"] == "assistant"


@pytest.mark.parametrize("scheme", SCHEMES)
def test_nothing_is_hard_to_read_or_to_reach(
    browser: Browser, service: Service, scheme: str
) -> None:
    with opened(browser, service, color_scheme=scheme) as page:
        for thread_id, version, more in (
            ("refund", 10, ""),
            ("deploy", 4, ""),
            ("refund", 10, "&event=json"),
            ("refund", 10, "&event=raw"),
            ("refund", 10, "&event=proof"),
        ):
            event_at(page, thread_id, version, more=more)
            page.get_by_role("button", name="Actions").click()
            assert violations(page, "[aria-label=Event]", "[aria-label='Actions']") == []


def test_tabs_are_chosen_by_arrows_home_and_end(page: Page) -> None:
    page.goto("/threads/deploy?at=4")
    page.get_by_role("tab", name="Shown").focus()
    moves = {"End": "Proof", "ArrowRight": "Shown", "ArrowLeft": "Proof", "Home": "Shown"}
    for key, name in moves.items():
        page.keyboard.press(key)
        tab = page.get_by_role("tab", name=name)
        expect(tab).to_be_focused()
        expect(tab).to_have_attribute("aria-selected", "true")


def test_an_exchange_says_how_it_ended_and_has_its_bytes_on_demand(
    page: Page, service: Service
) -> None:
    exchange = {
        "method": "POST",
        "path": "/v1/chat/completions",
        "api": "chat",
        "attempt": 1,
        "request": {"headers": {"user-agent": "x"}, "pieces": ['{"messages":[', '"hi"', "]}"]},
        "status": 200,
        "response": {"headers": {}, "body": "data: one\n\ndata: two\n\n", "chunks": [[0, 20]]},
        "end": "upstream_broke",
        "durationMs": 1500,
    }
    service.append("exchanges", {"type": "agentlog.exchange", "payload": exchange})
    pane = event_at(page, "exchanges", 1, more="&fold=")
    expect(pane.get_by_role("heading", name="Exchange")).to_be_visible()
    for text in ("answer broke off", "1.5 s", "20 ms"):
        expect(pane.get_by_text(text, exact=True)).to_be_visible()
    expect(pane.get_by_text("data: two")).to_have_count(0)
    pane.get_by_text("Response, 22 B").click()
    expect(pane.get_by_text("data: two")).to_be_visible()
    pane.get_by_text("Request, 19 B").click()
    expect(pane.get_by_text("Exact text")).to_be_visible()
    assert violations(page, "[aria-label=Event]") == []
    history = page.get_by_role("region", name="Events")
    expect(history).to_contain_text("POST /v1/chat/completions · answer broke off · 1.5 s")
