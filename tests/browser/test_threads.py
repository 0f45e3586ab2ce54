"""The list of threads, as its readers use it."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page, Route, expect

from tests.browser.accessibility import violations
from tests.browser.conftest import ROOT, SCHEMES, Service, catch_up, opened, serving
from tests.command_line import agentlog
from tests.databases import new_database


def row(page: Page, thread_id: str) -> Locator:
    """Return the row of a thread."""
    link = page.get_by_role("link", name=thread_id, exact=True)
    return page.get_by_role("grid", name="Threads").get_by_role("row").filter(has=link)


def top_rows(page: Page) -> list[str]:
    """Return what is drawn at the places of the list, from the top of what is seen."""
    ids: list[str] = page.get_by_role("grid").evaluate(
        """grid => {
            const { left, top } = grid.getBoundingClientRect();
            return [0, 1, 2].map(n =>
                document.elementFromPoint(left + 60, top + 50 + 32 * n)
                    ?.closest("[role=row]")?.querySelector("a")?.textContent ?? "");
        }"""
    )
    return ids


@pytest.fixture(scope="module")
def empty(server_url: str, template_database: str) -> Iterator[Service]:
    """Return a service without a thread, which the first test fills."""
    with new_database(server_url, template=template_database) as url, serving(url) as service:
        catch_up(service)
        yield service


def test_the_run_that_failed_is_found_and_opened(page: Page) -> None:
    page.goto('/?q=research&columns=["failures","runtimeErrors"]')
    broken = row(page, "research-worker-1")
    failed = page.get_by_role("group", name="Filters").get_by_role("button", name="With errors")
    failed.click()
    expect(page).to_have_url(re.compile(r"filter=has(:|%3A)error"))
    of_worker = row(page, "research").get_by_role("gridcell")
    expect(of_worker.nth(2)).to_have_text("1")  # a worker failed, which is no error of its own
    expect(of_worker.nth(3)).to_have_text("0")
    page.get_by_role("columnheader", name="Errors").get_by_role("button").click()
    expect(page.get_by_role("columnheader", name="Errors")).to_have_attribute(
        "aria-sort", "descending"
    )
    expect(broken).to_have_attribute("aria-rowindex", "2")
    expect(broken.get_by_role("gridcell").nth(3)).to_have_text("1")
    broken.click()
    expect(page).to_have_url(re.compile(r"/threads/research-worker-1"))
    page.go_back()
    expect(broken).to_have_attribute("aria-selected", "true")
    page.get_by_role("grid").press("Enter")
    expect(page.get_by_role("heading", name="Read the public benchmarks")).to_be_visible()
    page.go_back()
    expect(broken).to_have_attribute("aria-selected", "true")
    page.get_by_role("button", name="Clear filters").click()
    expect(failed).to_have_attribute("aria-pressed", "false")
    expect(page).not_to_have_url(re.compile("filter"))


def test_threads_are_selected_ticked_and_opened_by_keys(page: Page) -> None:
    page.goto("/?sort=threadId&q=research")
    expect(row(page, "research-worker-1")).to_be_visible()
    expect(row(page, "refund")).to_have_count(0)
    page.keyboard.press("j")
    page.keyboard.press("x")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Space")
    ticked = page.get_by_role("region", name="Ticked threads")
    expect(page.get_by_role("checkbox", name="Tick research-worker-1")).to_be_checked()
    compare = ticked.get_by_role("link", name="Compare 2 threads")
    href = compare.get_attribute("href")
    assert href is not None
    assert "research" in href
    assert "research-worker-1" in href
    page.keyboard.press("Home")
    expect(row(page, "research")).to_have_attribute("aria-selected", "true")
    page.keyboard.press("End")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/threads/research-worker-1"))


def test_filters_and_columns_of_metadata_are_set_shown_and_removed(page: Page) -> None:
    page.goto("/?sort=-threadId")
    expect(row(page, "refund")).to_be_visible()
    page.get_by_role("button", name="Filter", exact=True).click()
    form = page.get_by_role("dialog", name="Filter")
    form.get_by_label("Metadata", exact=True).fill("team")
    form.get_by_label("Value of the metadata").fill("support")
    form.get_by_role("button", name="Apply").click()
    expect(form).to_be_hidden()
    expect(page.get_by_role("grid").get_by_role("link")).to_have_text(["refund"])
    page.get_by_role("button", name="Columns", exact=True).click()
    page.get_by_role("checkbox", name="customer").check()
    page.keyboard.press("Escape")
    expect(row(page, "refund").get_by_role("gridcell").last).to_have_text("c-77")
    page.reload()
    expect(row(page, "refund").get_by_role("gridcell").last).to_have_text("c-77")
    terms = page.get_by_label("Filter by terms")
    expect(terms).to_have_value("metadata.team:support")
    terms.fill("")
    terms.press("Enter")
    expect(row(page, "research-worker-1")).to_be_visible()
    page.get_by_role("columnheader", name="customer").get_by_role("button").click()
    expect(page.get_by_role("grid").get_by_role("link").first).to_have_text("refund")
    runs = page.get_by_role("button", name="Compare runs of a task")
    runs.click()
    page.get_by_role("link", name="team", exact=True).click()
    expect(page).to_have_url(re.compile(r"/compare\?by=team"))


def test_a_text_is_searched_in_goals_and_then_in_contents(page: Page) -> None:
    page.goto("/")
    expect(page.get_by_role("grid").get_by_role("link").first).to_be_visible()
    page.keyboard.press("/")
    page.keyboard.type("are on their way back")
    expect(page.get_by_role("heading", name="No thread matches")).to_be_visible()
    page.get_by_role("button", name="Search contents for “are on their way back”").click()
    hits = page.get_by_role("region", name="Messages found")
    expect(page.get_by_role("searchbox", name="Search contents")).to_have_value(
        "are on their way back"
    )
    hit = hits.get_by_role("link", name=re.compile("59.90 EUR are on their way back"))
    expect(hit.locator("mark").first).to_have_text("are on their way back")
    page.get_by_role("button", name="With errors").click()
    expect(page.get_by_role("heading", name="No message has")).to_be_visible()
    page.get_by_role("button", name="Clear filters").click()
    hit.click()
    expect(page).to_have_url(re.compile(r"/threads/refund\?at=14&find=are"))


def test_a_thread_opened_while_its_name_is_typed_is_not_left_again(page: Page) -> None:
    def is_late(route: Route) -> None:
        page.wait_for_timeout(1000)
        route.continue_()

    page.route("**/assets/ThreadScreen-*.js", is_late)
    page.goto("/")
    thread = page.get_by_role("grid").get_by_role("link").first
    thread_id = thread.inner_text()
    page.get_by_role("searchbox").fill(thread_id)
    thread.click()
    expect(page.get_by_role("region", name="Event", exact=True)).to_be_visible()
    expect(page).to_have_url(re.compile(rf"/threads/{thread_id}\?at=\w+$"))


def test_an_empty_log_says_how_to_fill_it_and_fills_by_itself(
    browser: Browser, empty: Service
) -> None:
    with opened(browser, empty, permissions=["clipboard-read", "clipboard-write"]) as page:
        page.goto("/")
        expect(page.get_by_role("heading", name="No threads yet")).to_be_visible()
        assert violations(page) == []
        for name, command in (
            ("record", "agentlog record -- python agent.py"),
            ("import", "agentlog import runs/"),
            ("watch", "agentlog watch claude-code"),
            ("spans", f"export OTEL_EXPORTER_OTLP_ENDPOINT={empty.address}/otlp"),
            ("demo", "agentlog demo"),
        ):
            expect(page.get_by_label(f"Command: {name}", exact=True)).to_have_text(command)
        program = page.get_by_label("Command: client")
        program.locator("..").get_by_role("button", name="Copy").click()
        expect(page.get_by_role("button", name="Copied")).to_be_visible()
        exec(page.evaluate("navigator.clipboard.readText()"), {})  # noqa: S102 - what a reader runs
        expect(row(page, "parcel-4711")).to_be_visible()


def test_a_list_that_is_scrolled_stays_in_place_and_tells_what_is_new(
    browser: Browser, empty: Service
) -> None:
    for number in range(150):
        empty.append(f"run-{number:03}", {"type": "input", "text": "Go."})
    catch_up(empty)
    with opened(browser, empty) as page:
        page.goto("/")
        expect(row(page, "run-149")).to_have_attribute("aria-rowindex", "2")
        empty.append("run-000", {"type": "reply", "text": "Gone."})
        expect(row(page, "run-000")).to_have_attribute("aria-rowindex", "2")
        expect(row(page, "run-000")).to_have_class(re.compile("fresh"))
        expect(row(page, "run-000")).not_to_have_class(re.compile("fresh"))
        page.get_by_role("grid").focus()
        page.keyboard.press("End")
        expect(row(page, "run-001")).to_have_attribute("aria-rowindex", "151")
        before = top_rows(page)
        assert all(re.fullmatch(r"run-\d+", name) for name in before)
        empty.append("late", {"type": "input", "text": "Go."})
        empty.append("run-001", {"type": "reply", "text": "Gone."})
        news = page.get_by_role("button", name="2 threads new or moved")
        expect(news).to_be_visible()
        # what the row says is up to date, its place is as it was
        expect(row(page, "run-001").get_by_role("gridcell").nth(6)).to_have_text("2")
        assert top_rows(page) == before
        news.click()
        expect(row(page, "run-001")).to_have_attribute("aria-rowindex", "2")
        expect(row(page, "late")).to_have_attribute("aria-rowindex", "3")
        expect(news).to_have_count(0)


def test_an_unknown_order_is_refused_without_rows_and_a_header_chooses_another(
    browser: Browser, service: Service
) -> None:
    page = browser.new_page(base_url=service.address)  # the browser logs the refusal as an error
    page.goto("/?sort=nothing")
    expect(page.get_by_role("alert")).to_contain_text("no column 'nothing'")
    expect(page.get_by_role("grid").get_by_role("gridcell")).to_have_count(0)
    page.get_by_role("columnheader", name="Goal").get_by_role("button").click()
    expect(row(page, "refund")).to_be_visible()
    expect(page.get_by_role("alert")).to_have_count(0)
    page.goto("/?sort=nothing&q=refund")
    page.get_by_role("button", name="Usual order").click()
    expect(page).to_have_url(re.compile(r"/\?q=refund$"))
    expect(row(page, "refund")).to_be_visible()
    page.close()


def test_a_cost_is_the_same_in_the_list_the_thread_and_the_report_and_marked_where_computed(
    page: Page, service: Service
) -> None:
    usage = {"inputTokens": 1000, "outputTokens": 100, "totalTokens": 15_048_000}
    asked: dict[str, object] = {"type": "input", "text": "How much?"}
    service.append("priced", asked, {"type": "llm_response", "model": "gpt-4o", "usage": usage})
    catch_up(service)
    page.goto("/?q=priced")
    cost = row(page, "priced").get_by_text("~$0.0035")
    expect(cost).to_have_attribute("title", "computed by a list of prices: 1 call")
    tokens = row(page, "priced").get_by_text("15,048,000")
    assert tokens.evaluate("cell => cell.scrollWidth <= cell.clientWidth")
    page.goto("/threads/priced?at=2")
    expect(page.get_by_label("Up to the cursor")).to_contain_text("~$0.0035")
    expect(page.get_by_label("Model response")).to_contain_text("~$0.0035")
    page.goto("/reports/usage?by=thread&only=thread%3Dpriced")
    expect(page.get_by_role("table").get_by_text("~$0.0035")).to_be_visible()
    calls = page.get_by_role("columnheader", name="Computed calls")
    expect(calls).to_have_text("Computed calls")


def test_a_hidden_thread_is_listed_and_read_if_asked(
    browser: Browser, server_url: str, template_database: str
) -> None:
    with new_database(server_url, template=template_database) as url:
        agentlog("import", ROOT / "examples" / "refund.json", url=url)
        (made,) = agentlog("imports", "--json", url=url).lines
        agentlog("imports", "undo", made["id"], url=url)
        with serving(url) as service, opened(browser, service) as page:
            service.append("seen", {"type": "input", "text": "In sight"})
            catch_up(service)
            page.goto("/")
            expect(row(page, "seen")).to_be_visible()
            expect(row(page, "refund")).to_have_count(0)
            page.get_by_role("button", name="Filter").click()
            page.get_by_label("With hidden threads").check()
            page.get_by_role("button", name="Apply").click()
            expect(row(page, "refund")).to_contain_text("hidden")
            row(page, "refund").click()
            expect(page).to_have_url(re.compile("hidden=true"))
            expect(page.get_by_role("region", name="History")).to_contain_text("59.90")


def test_a_phrase_is_found_before_its_words_and_no_word_within_another(
    page: Page, service: Service
) -> None:
    said = "The payment amount does not add up."
    service.append("phrase-1", {"type": "input", "text": said})
    service.append("phrase-2", {"type": "input", "text": "Update: payments do not add upward."})
    service.append("phrase-3", {"type": "input", "text": "Up to an amount, add the payment."})
    catch_up(service)
    page.goto("/?find=add+up+payment")
    hits = page.get_by_role("region", name="Messages found")
    expect(hits).to_contain_text("phrase-3")
    expect(hits).not_to_contain_text("phrase-2")
    page.goto("/?find=payment+amount+does+not+add+up")
    expect(hits).to_contain_text("phrase-1")


def test_a_phone_sorts_by_a_key_of_metadata(page: Page, service: Service) -> None:
    wide = {"threadId": "wide-key", "metadata": {"a key of many words " * 5: "x"}}
    assert service.client.post("/v1/threads", json=wide).status_code == 201
    catch_up(service)
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto("/?sort=-threadId")
    expect(page.get_by_label("Order")).to_contain_text("a key of many words")
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    page.get_by_label("Order").select_option("By team")
    expect(page).to_have_url(re.compile(r"sort=metadata\.team"))
    expect(page.get_by_role("grid").get_by_role("link").first).to_have_text("invoice")


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_list_its_panels_and_its_hits_are_accessible(
    browser: Browser, service: Service, scheme: str
) -> None:
    with opened(browser, service, color_scheme=scheme) as page:
        page.goto("/?ticked=refund&filter=metadata.team%3Asupport&row=1")
        expect(row(page, "refund")).to_be_visible()
        assert violations(page) == []
        for panel in ("Filter", "Columns", "Compare runs of a task"):
            page.get_by_role("button", name=panel, exact=True).click()
            expect(page.get_by_role("dialog", name=panel)).to_be_visible()
            assert violations(page) == []
            page.keyboard.press("Escape")
        page.goto("/?find=refund")
        expect(
            page.get_by_role("region", name="Messages found").get_by_role("link")
        ).not_to_have_count(0)
        assert violations(page) == []
        page.set_viewport_size({"width": 390, "height": 844})
        page.goto("/")
        expect(page.get_by_role("grid").get_by_role("link").first).to_be_visible()
        assert violations(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") == 390
