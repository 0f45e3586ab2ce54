"""Reports as tables and charts, and the console for SQL."""

import re
from pathlib import Path
from urllib.parse import urlencode

from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.accessibility import violations
from tests.browser.conftest import Service


def test_a_report_shows_what_the_service_counts_and_leads_to_threads(
    page: Page, service: Service
) -> None:
    answer = service.client.get("/v1/analytics/tools", params={"order": "calls"}).json()
    page.goto("/reports")
    page.get_by_role("link", name="Tools How tools did").click()
    table = page.get_by_role("table", name="Report tools")
    table.get_by_role("button", name="Calls", exact=True).click()
    expect(page).to_have_url(re.compile("order=-calls"))
    table.get_by_role("button", name="Calls", exact=False).first.click()
    expect(page).to_have_url(re.compile("order=calls"))
    first = table.get_by_role("row").nth(1)
    expect(first).to_contain_text(answer["rows"][0]["tool"])
    expect(page.get_by_text("level with the log")).to_be_visible()
    expect(page.get_by_role("img", name="Chart: Tools: calls")).to_be_visible()
    drawn = page.get_by_role("group", name="Plotted columns")
    drawn.get_by_role("button", name="Failed", exact=True).click()
    expect(page.get_by_role("img", name="Chart: Tools: calls, failed")).to_be_visible()
    expect(page).to_have_title("Tools · agentlog")
    assert violations(page) == []
    first.get_by_role("link", name="Threads").click()
    tool = answer["rows"][0]["tool"]
    query = urlencode({"filter": f'tool:"{tool}"'})
    expect(page).to_have_url(f"{service.address}/?{query}")


def test_filters_narrow_a_report_and_its_rows_become_questions(
    page: Page, service: Service, tmp_path: Path
) -> None:
    page.goto("/reports/failures")
    field = page.get_by_label("Add a filter")
    field.fill("tool:run_tests")
    field.press("Enter")
    table = page.get_by_role("table", name="Report failures")
    expect(table.get_by_role("row")).to_have_count(2)
    with page.expect_download() as saving:
        page.get_by_role("button", name="Save CSV").click()
    saving.value.save_as(tmp_path / "failures.csv")
    query = "filter=tool:run_tests&format=csv&limit=10000"
    expected = service.client.get(f"/v1/analytics/failures?{query}").text
    assert (tmp_path / "failures.csv").read_bytes().decode() == expected

    table.get_by_role("link", name="Threads").click()
    answer = page.get_by_role("table", name="Answer")
    answer.get_by_role("link", name="deploy").click()
    expect(page).to_have_url(re.compile(r"/threads/deploy\?at=\d+$"))


def _statement(page: Page) -> Locator:
    return page.get_by_role("textbox", name="SQL statement")


def test_sql_is_completed_run_by_keys_and_kept_in_the_address(page: Page) -> None:
    page.goto("/sql")
    _statement(page).click()
    page.keyboard.type("SELECT 1.10::numeric AS exact, thread_id FROM tool_ca")
    page.get_by_role("option", name="tool_calls").click()
    expect(_statement(page)).to_contain_text("FROM tool_calls")  # who types sees it, too
    page.keyboard.type(" LIMIT 2 -- ?nothing")
    page.keyboard.press("Control+Enter")
    answer = page.get_by_role("table", name="Answer")
    expect(answer.get_by_role("row")).to_have_count(3)
    expect(answer.get_by_role("cell", name="1.10", exact=True)).to_have_count(2)
    expect(page.get_by_role("dialog")).to_have_count(0)
    assert violations(page) == []
    page.reload()
    expect(answer.get_by_role("row")).to_have_count(3)
    page.get_by_role("button", name="Row 1 whole").click()
    expect(page.get_by_role("dialog", name="Row 1")).to_contain_text("1.10")


def test_a_link_to_a_statement_shows_it_and_runs_nothing(page: Page) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(f"{request.method} {request.url}"))
    page.goto("/sql?sql=SELECT+nope%0AFROM+events")
    expect(_statement(page)).to_contain_text("SELECT nope")
    assert not [request for request in asked if request.startswith("POST")]


def test_a_refused_statement_is_marked_where_it_is_wrong_and_changes_are_undone(
    browser: Browser, service: Service
) -> None:
    # not of the fixture: the browser logs every refusal as an error
    page = browser.new_page(base_url=service.address)
    page.goto("/sql?sql=SELECT+nope+FROM+events")
    _statement(page).click()
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("alert")).to_contain_text('column "nope" does not exist')
    expect(_statement(page).locator(".wrong")).to_have_text("nope")
    page.keyboard.press("Control+End")
    page.keyboard.type(" x")
    expect(_statement(page)).to_contain_text("events x")
    page.keyboard.press("Control+z")
    expect(_statement(page)).not_to_contain_text("events x")
    page.close()


def test_an_example_is_drawn_and_the_chart_follows_the_theme(page: Page) -> None:
    page.goto("/sql")
    page.get_by_label("Example").select_option("Messages of each type")
    page.get_by_role("button", name="Run").click()
    page.get_by_role("tab", name="Chart").click()
    chart = page.get_by_role("img", name="Chart: messages")
    expect(chart).to_be_visible()
    page.wait_for_function(_DRAWN)
    light = page.evaluate(_PIXELS)
    page.emulate_media(color_scheme="dark")
    page.wait_for_function(f"before => ({_PIXELS})() !== before", arg=light)
    expect(page).to_have_url(re.compile("chart=true"))


_PIXELS = "() => document.querySelector('canvas').toDataURL()"
_DRAWN = """() => {
    const canvas = document.querySelector('canvas');
    const blank = document.createElement('canvas');
    [blank.width, blank.height] = [canvas.width, canvas.height];
    return canvas.width > 0 && canvas.toDataURL() !== blank.toDataURL();
}"""
