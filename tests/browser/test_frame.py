"""The frame of the page: its screens, its keys, its policy."""

import re

from playwright.sync_api import Browser, Page, expect

from tests.browser.accessibility import violations
from tests.browser.conftest import Service


def test_the_page_opens_and_names_its_screens(page: Page) -> None:
    page.goto("/")
    screens = page.get_by_role("navigation", name="Screens").get_by_role("link")
    expect(screens).to_have_text(
        ["Threads", "Live", "Compare", "Reports", "SQL", "Audit", "Keys", "API"]
    )


def test_question_mark_lists_the_keys_and_escape_ends_it(page: Page) -> None:
    page.goto("/")
    page.get_by_role("navigation", name="Screens").wait_for()
    page.keyboard.press("?")
    help_dialog = page.get_by_role("dialog", name="Keys")
    expect(help_dialog).to_contain_text("list the keys")
    page.keyboard.press("Escape")
    expect(help_dialog).to_have_count(0)


def test_a_title_has_its_keys_once(page: Page) -> None:
    page.goto("/threads/deploy")
    page.get_by_role("region", name="History").wait_for()
    page.keyboard.press("?")
    titles = (
        page.get_by_role("dialog", name="Keys").get_by_role("heading", level=3).all_inner_texts()
    )
    assert {"Everywhere", "Travel", "History"} <= set(titles)
    assert len(titles) == len(set(titles))


def test_the_palette_goes_to_versions_threads_screens_and_runs_keys(page: Page) -> None:
    page.goto("/threads/deploy")
    page.get_by_role("region", name="History").wait_for()
    palette = page.get_by_role("dialog", name="Commands")
    field = palette.get_by_role("combobox", name="Command")

    def do(text: str, option: str) -> None:
        page.keyboard.press("Control+k")
        expect(field).to_be_focused()
        page.keyboard.type(text)
        chosen = palette.get_by_role("option", selected=True)
        expect(chosen).to_have_text(re.compile(option))
        page.keyboard.press("Enter")
        expect(palette).to_have_count(0)

    do("7", "^Go to version 7 of 14$")
    expect(page).to_have_url(re.compile(r"/threads/deploy\?at=7$"))
    do("pin a", r"^pin A here\[$")
    expect(page).to_have_url(re.compile("a=7"))
    do("run_tests", r"^Only calls of run_tests \(2\)$")
    field_of_events = page.get_by_role("combobox", name="Find text or terms")
    expect(field_of_events).to_have_value("tool:run_tests")
    expect(page.get_by_role("status").filter(has_text="4 of 14 events")).to_be_visible()
    expect(page).to_have_url(re.compile("only=hit"))
    do("anthr", "^View: anthropic$")
    expect(page.get_by_role("tab", name="View")).to_have_attribute("aria-selected", "true")
    page.keyboard.press("Control+k")
    page.keyboard.type("person's leave")
    thread = palette.get_by_role("option", name="Refund order 1042, with a person's leave")
    expect(thread).to_be_visible()
    assert violations(page) == []
    thread.click()
    expect(page).to_have_url(re.compile(r"/threads/refund\b"))
    page.keyboard.press("Control+k")
    page.keyboard.type("zzzz")
    expect(palette.get_by_role("status")).to_have_text("Nothing has this name")
    page.keyboard.press("Escape")  # and at once again
    do("repor", "^Reports$")
    expect(page).to_have_title("Reports · agentlog")


def test_a_thread_that_waits_for_a_person_says_so_in_the_tab(page: Page, service: Service) -> None:
    asked = {"type": "approval_request", "callId": "c", "tool": "pay"}
    call = {"type": "tool_calls", "calls": [{"id": "c", "name": "pay"}]}
    service.append("waits-in-tab", call, asked)
    page.goto("/threads/waits-in-tab")
    expect(page).to_have_title("● needs approval · waits-in-tab · agentlog")
    icon = page.locator("link[rel=icon]")
    expect(icon).to_have_attribute("href", re.compile("icon-alert"))
    answer = {"type": "approval_response", "callId": "c", "approved": True}
    service.append("waits-in-tab", answer)
    expect(page).to_have_title("open · waits-in-tab · agentlog")
    expect(icon).not_to_have_attribute("href", re.compile("icon-alert"))


def test_an_address_that_is_no_screen_says_so(page: Page, service: Service) -> None:
    assert service.client.get("/nowhere", headers={"Accept": "text/html"}).status_code == 404
    page.goto("/")
    page.evaluate(
        "history.pushState(null, '', '/nowhere'); dispatchEvent(new PopStateEvent('popstate'))"
    )
    expect(page.get_by_role("heading", name="There is no such screen")).to_be_visible()


def test_what_an_address_says_that_cannot_be_is_dropped(page: Page) -> None:
    page.goto("/threads/deploy?at=0&state=nope&pane=event&zork=1")
    expect(page.get_by_role("tab", name="State")).to_have_attribute("aria-selected", "true")
    expect(page).to_have_url(re.compile(r"/threads/deploy\?pane=event&at=4$"))
    expect(page.get_by_role("alert")).to_have_count(0)


def test_a_thread_that_is_not_there_is_named_and_there_is_a_way_on(
    browser: Browser, service: Service
) -> None:
    with browser.new_context(base_url=service.address) as context:  # it logs what was refused
        page = context.new_page()
        for address in ("/threads/gone", "/audit?thread=gone", '/compare?thread=["gone","deploy"]'):
            page.goto(address)
            expect(page.get_by_role("alert")).to_contain_text("there is no thread 'gone'")
        page.get_by_role("main").get_by_role("link", name="gone").click()
        expect(page.get_by_text("Compare deploy with which thread?")).to_be_visible()


def test_a_service_that_was_away_is_asked_again(browser: Browser, service: Service) -> None:
    with browser.new_context(base_url=service.address) as context:
        page = context.new_page()
        page.goto("/reports/tools")
        expect(page.get_by_role("table")).to_be_visible()
        context.set_offline(True)
        page.get_by_role("link", name="Failed calls", exact=True).click()
        expect(page.get_by_role("alert")).to_contain_text("The service does not answer")
        context.set_offline(False)
        expect(page.get_by_role("table")).to_be_visible()


def test_a_thread_that_the_service_cannot_give_names_the_cause_at_once(
    browser: Browser, service: Service
) -> None:
    with browser.new_context(base_url=service.address) as context:
        page = context.new_page()
        page.goto("/threads/deploy")
        expect(page.get_by_role("region", name="History")).to_be_visible()
        context.set_offline(True)
        page.evaluate(
            "history.pushState(null, '', '/threads/refund');"
            "dispatchEvent(new PopStateEvent('popstate'))"
        )
        alert = page.get_by_role("alert").filter(has_text="The service does not answer")
        expect(alert.first).to_be_visible(timeout=2_000)
        context.set_offline(False)
        expect(page.get_by_role("region", name="History")).to_be_visible()


def test_the_documentation_of_the_api_draws_itself_from_our_own_files(page: Page) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto("/docs")
    expect(page.get_by_text("/v1/threads", exact=True).first).to_be_visible()
    hosts = {url.split("/")[2] for url in asked if url.startswith("http")}
    assert len(hosts) == 1
