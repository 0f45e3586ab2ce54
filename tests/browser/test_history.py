"""The history of a thread: its rows, what is folded and found, and how it goes on."""

import re

import pytest
from playwright.sync_api import Browser, Locator, Page, Route, expect

from tests.browser.accessibility import violations
from tests.browser.conftest import Service, held, opened
from tests.browser.contents import HOSTILE
from tests.waiting import until


def rows(page: Page) -> Locator:
    return page.get_by_role("region", name="Events").get_by_role("listitem")


def current(page: Page) -> Locator:
    return page.get_by_role("region", name="Events").locator("[aria-current=true]")


def test_a_failed_call_leads_to_its_result_and_back(page: Page) -> None:
    page.goto("/threads/deploy")
    call = rows(page).filter(has_text="smoke").first
    expect(call).to_contain_text("4.2 s · failed")
    call.get_by_role("button", name="failed go to version 4").click()
    expect(page).to_have_url(re.compile(r"\?at=4$"))
    expect(current(page)).to_contain_text("TimeoutError: smoke tests gave no answer")
    current(page).get_by_role("button", name="failed go to version 3").click()
    expect(current(page)).to_contain_text("run_tests smoke")
    page.go_back()
    expect(page).to_have_url(re.compile(r"\?at=4$"))


def test_keys_go_from_row_to_row_and_the_figures_follow(page: Page) -> None:
    page.goto("/threads/deploy?at=4")
    expect(current(page)).to_contain_text("TimeoutError")
    figures = page.locator("dl[aria-label='Up to the cursor']")
    expect(figures).to_contain_text("4 of 14")
    page.keyboard.press("j")
    expect(current(page)).to_contain_text("1 log folded · at 5, log")
    page.keyboard.press("ArrowDown")
    expect(current(page)).to_contain_text("limit_s: 60")
    expect(figures).to_contain_text("6 of 14")
    page.keyboard.press("k")
    page.keyboard.press("k")
    expect(current(page)).to_contain_text("TimeoutError")


def test_the_machinery_of_inspect_is_folded_and_metadata_is_under_the_message(
    page: Page, service: Service
) -> None:
    kinds = ("inspect.span_begin", "inspect.state", "inspect.sandbox", "inspect.score")
    for kind in kinds:
        service.append("inspected", {"type": kind, "payload": {"uuid": "u1"}})
    about: dict[str, object] = {"stats": {"samples": 3}}
    service.append("inspected", {"type": "log", "text": "see the metadata", "metadata": about})
    page.goto("/threads/inspected")
    folded = "1 state, 1 sandbox folded"
    expect(page.get_by_role("button", name=folded)).to_be_visible()
    expect(rows(page).filter(has_text="span")).to_contain_text("not ended")
    expect(page.get_by_role("region", name="History")).to_contain_text("score")
    expect(page.get_by_label("Metadata of the message").first).to_contain_text("stats")


def test_what_is_folded_is_counted_and_unfolds(page: Page) -> None:
    page.goto("/threads/refund")
    run = page.get_by_role("button", name="1 model request, 1 model response, 1 reasoning folded")
    expect(run).to_have_attribute("aria-expanded", "false")
    expect(page.get_by_text("Look before paying")).to_have_count(0)
    run.click()
    expect(run).to_have_attribute("aria-expanded", "true")
    expect(page.get_by_text("Look before paying")).to_be_visible()
    expect(page.get_by_text("412 → 38 tokens · $0.0014")).to_be_visible()
    page.get_by_role("button", name="Fold 4").click()
    page.get_by_role("checkbox", name="Reasoning").uncheck()
    page.get_by_role("checkbox", name="Facts of the thread").check()
    page.keyboard.press("Escape")
    expect(page).to_have_url(re.compile("fold=log%2Cmodel%2Cmachinery%2Cfacts"))
    expect(page.get_by_role("button", name="1 thread started folded")).to_be_visible()


def test_what_breaks_a_rule_or_has_no_answer_says_so(page: Page) -> None:
    page.goto("/threads/unruly")
    expect(rows(page).filter(has_text="Rome").nth(1)).to_contain_text("not JSON")
    expect(rows(page).filter(has_text="not JSON")).to_contain_text("unanswered")
    expect(rows(page).filter(has_text="8 °C").first).to_contain_text("orphan result")
    expect(rows(page).filter(has_text="One more question")).to_contain_text("after exit")
    page.get_by_role("combobox", name="Show only").select_option("suspected")
    expect(page.get_by_role("status").filter(has_text="1 of 9 events")).to_be_visible()
    expect(rows(page)).to_have_count(1)
    page.get_by_role("button", name="Show all").click()
    expect(rows(page)).to_have_count(9)


def test_a_worker_leads_to_its_thread_and_back(page: Page) -> None:
    page.goto("/threads/research")
    expect(rows(page).filter(has_text="the price page wants a login")).to_contain_text("failed")
    page.get_by_role("button", name="Events of research-worker-1").click()
    block = page.get_by_role("region", name="Thread research-worker-1")
    expect(block.get_by_role("listitem")).to_have_count(10)
    block.get_by_role("link", name="the first mirror closed").click()
    expect(page).to_have_url(re.compile(r"/threads/research-worker-1\?at=8$"))
    page.go_back()
    page.get_by_role("link", name="open thread").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Read the public benchmarks")
    page.get_by_role("link", name="research", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Compare three vector databases")


def test_text_is_found_and_marked_and_its_hits_follow_each_other(page: Page) -> None:
    page.goto("/threads/refund")
    expect(rows(page).first).to_be_visible()
    page.keyboard.press("f")
    page.keyboard.type("59.90")
    expect(page.locator("mark").first).to_have_text("59.90")
    field = page.get_by_role("combobox", name="Find text or terms")
    field.press("Enter")
    first = current(page).inner_text()
    field.press("Enter")
    expect(current(page)).not_to_have_text(first)
    expect(page).to_have_url(re.compile("find=%2259.90%22"))
    page.get_by_role("combobox", name="Show only").select_option("hit")
    expect(rows(page).filter(has=page.locator("mark"))).to_have_count(rows(page).count())


def test_a_filter_of_terms_lists_what_matches_and_playing_stops_there(page: Page) -> None:
    page.goto("/threads/unruly?at=1")
    field = page.get_by_role("combobox", name="Find text or terms")
    field.fill("open type:tool_calls")
    expect(page.get_by_role("combobox", name="Show only")).to_contain_text("Matches (1)")
    page.get_by_role("combobox", name="Show only").select_option("hit")
    expect(rows(page)).to_have_count(1)
    expect(rows(page)).to_contain_text("not JSON")
    page.get_by_role("button", name="Show all").click()
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()
    expect(current(page)).to_contain_text("not JSON")
    page.keyboard.press("/")
    field.fill("$.args.city")
    expect(rows(page).filter(has_text="args.city Oslo")).to_have_count(1)
    assert violations(page) == []


def test_matches_follow_a_thread_that_grows(page: Page, service: Service) -> None:
    service.append("digging", {"type": "input", "text": "dig here"})
    page.goto("/threads/digging?find=dig")
    matches = page.get_by_role("combobox", name="Show only")
    expect(matches).to_contain_text("Matches (1)")
    service.append("digging", {"type": "reply", "text": "dig there"})
    expect(matches).to_contain_text("Matches (2)")


def test_a_filter_that_cannot_be_read_says_where(browser: Browser, service: Service) -> None:
    with browser.new_context(base_url=service.address) as context:  # it logs what was refused
        page = context.new_page()
        page.goto("/threads/unruly?at=1")
        field = page.get_by_role("combobox", name="Find text or terms")
        field.fill("tool:")
        expect(page.get_by_role("alert")).to_contain_text("a value is missing, at character 6")
        field.fill("tool:weather")
        expect(page.get_by_role("alert")).to_have_count(0)


def test_a_thread_that_grows_is_followed_held_and_resumed(page: Page, service: Service) -> None:
    service.append("growing", {"type": "input", "text": "begin"})
    lines: list[dict[str, object]] = [{"type": "reply", "text": f"line {n}"} for n in range(300)]
    page.goto("/threads/growing")
    expect(page.get_by_role("status").filter(has_text="live")).to_be_visible()
    service.append(
        "growing", {"type": "tool_calls", "calls": [{"id": "c1", "name": "dig", "args": {}}]}
    )
    expect(current(page)).to_contain_text("no result yet")
    service.append(
        "growing",
        {"type": "tool_results", "results": [{"callId": "c1", "output": "Error: stone"}]},
        *lines,
    )
    expect(current(page)).to_contain_text("line 299")
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_role("status").filter(has_text="paused")).to_be_visible()
    service.append("growing", {"type": "reply", "text": "unseen"}, {"type": "reply", "text": "end"})
    resume = page.get_by_role("button", name="2 new · Resume")
    expect(resume).to_be_visible()
    expect(current(page)).to_contain_text("line 299")
    resume.click()
    expect(current(page)).to_contain_text("end")
    page.get_by_role("combobox", name="Show only").select_option("told")
    expect(rows(page)).to_have_text([re.compile("dig Error: stone")])


def test_an_answer_on_its_way_at_the_pause_is_not_taken(page: Page, service: Service) -> None:
    service.append("held", {"type": "input", "text": "begin"})
    page.goto("/threads/held")
    expect(page.get_by_role("status").filter(has_text="live")).to_be_visible()
    with held(page, "/v1/threads/held$"):
        with page.expect_request("**/v1/threads/held"):
            service.append("held", {"type": "reply", "text": "seen"})
        expect(current(page)).to_contain_text("seen")
        with page.expect_event("requestfailed", lambda request: request.url.endswith("/held")):
            page.get_by_role("button", name="Pause").click()
        service.append("held", {"type": "reply", "text": "unseen"})
        expect(page.get_by_role("button", name="1 new · Resume")).to_be_visible()
    expect(current(page)).to_contain_text("seen")


def test_a_stream_that_breaks_goes_on_where_it_broke(page: Page, service: Service) -> None:
    replies: list[dict[str, object]] = [{"type": "reply", "text": f"part {n}"} for n in range(9)]
    service.append("broken", *replies)
    path = "/v1/threads/broken/events?view=timeline&hint=true"
    frames = service.client.get(f"{path}&follow=false").text.split("\n\n")
    broken = "\n\n".join(frames[:6])[:-4]
    resumed: list[str | None] = []

    def breaks(route: Route) -> None:
        resumed.append(route.request.headers.get("last-event-id"))
        if len(resumed) == 1:
            route.fulfill(content_type="text/event-stream", body=broken)
        else:
            route.continue_()

    page.route("**/events?view=timeline*", breaks)
    page.goto("/threads/broken")
    expect(page.get_by_role("status").filter(has_text="live")).to_be_visible()
    service.append("broken", {"type": "reply", "text": "after the break"})
    expect(current(page)).to_contain_text("after the break")
    expect(rows(page)).to_have_count(10)
    ids = [re.findall("^id: (.+)$", frame, re.MULTILINE) for frame in frames[:5]]
    assert resumed == [None, *ids[-1]], frames


def test_a_hostile_thread_is_read_to_its_end_and_stays_text(page: Page) -> None:
    page.goto(f"/threads/{HOSTILE}")
    expect(rows(page)).to_have_count(9)
    expect(rows(page).nth(1)).to_contain_text("<script>document.title")
    expect(rows(page).nth(8)).to_contain_text("12345678901234567890123.10")
    for _ in range(8):
        page.keyboard.press("k")
    expect(current(page)).to_contain_text("thread started")
    assert page.title() != "ran"


def test_a_divider_moves_by_keys_and_is_remembered(page: Page) -> None:
    page.goto("/threads/deploy")
    divider = page.get_by_role("separator", name="Width of History")
    expect(divider).to_have_attribute("aria-valuenow", "38")
    divider.press("ArrowRight")
    expect(divider).to_have_attribute("aria-valuenow", "40")
    page.reload()
    expect(divider).to_have_attribute("aria-valuenow", "40")


def test_a_phone_shows_one_pane_and_opens_the_event_that_is_chosen(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto("/threads/deploy")
    expect(page.get_by_role("tab", name="History")).to_have_attribute("aria-selected", "true")
    expect(page.get_by_role("link", name="API", exact=True)).to_be_in_viewport(ratio=1)
    panes = page.get_by_role("tablist").bounding_box()
    assert panes is not None
    assert panes["y"] < 844 / 2
    rows(page).get_by_role("button", name="user Ship 2.4").click()
    expect(page.get_by_role("tab", name="Event")).to_have_attribute("aria-selected", "true")
    expect(page).to_have_url(re.compile("at=2&pane=event"))


def test_the_screen_has_no_fault_of_access(page: Page) -> None:
    page.goto("/threads/unruly?find=weather")
    expect(page.locator("mark").first).to_be_visible()
    assert violations(page) == []


@pytest.fixture(scope="module")
def sixty(service: Service) -> str:
    """A thread of sixty calls in one message, 58 results, and a call id used again."""
    service.client.post("/v1/threads", json={"threadId": "sixty", "policy": "record"})
    calls = [{"id": f"c{number}", "name": f"tool_{number % 6}"} for number in range(60)]
    service.append("sixty", {"type": "tool_calls", "calls": calls})
    for number in range(58):
        result = {"callId": f"c{number}", "output": "fine"}
        service.append("sixty", {"type": "tool_results", "results": [result]})
    service.append("sixty", {"type": "tool_calls", "calls": [{"id": "c0", "name": "another"}]})
    return "sixty"


def test_calls_are_paired_over_a_thread_of_any_length(page: Page, sixty: str) -> None:
    page.goto(f"/threads/{sixty}?at=2")
    expect(rows(page).nth(1)).to_contain_text("… 52 more")
    expect(page.get_by_label("Up to the cursor")).to_contain_text("Calls60")
    page.goto(f"/threads/{sixty}?at=end")
    expect(page.get_by_label("Up to the cursor")).to_contain_text("Calls61")
    expect(rows(page).nth(-2)).to_contain_text("tool_3")
    expect(page.get_by_text("orphan")).to_have_count(0)
    pane = page.get_by_role("region", name="Event", exact=True)
    page.goto(f"/threads/{sixty}?at=60")
    expect(pane.get_by_role("link", name="← Call at 2")).to_be_visible()


def test_a_call_id_used_again_is_a_grey_note(page: Page, sixty: str) -> None:
    page.goto(f"/threads/{sixty}?at=end")
    badge = rows(page).last.get_by_text("call id reused")
    expect(badge).to_have_class("badge ")
    expect(page.get_by_text("1 id reused")).to_be_visible()
    expect(page.get_by_text(re.compile("anomal|duplicate"))).to_have_count(0)


_ROWS_IN_SIGHT = """region => {
  const { top, bottom } = region.getBoundingClientRect();
  return [...region.querySelectorAll("li")].filter((row) => {
    const place = row.getBoundingClientRect();
    return place.top >= top && place.bottom <= Math.min(bottom, innerHeight);
  }).length;
}"""


@pytest.mark.parametrize("size", [(720, 450), (1440, 720), (1280, 720)])
@pytest.mark.parametrize("at", [31, 32, "end"])
def test_twelve_events_are_in_sight_in_a_low_window(
    browser: Browser, service: Service, sixty: str, size: tuple[int, int], at: int | str
) -> None:
    viewport = {"width": size[0], "height": size[1]}
    with opened(browser, service, viewport=viewport) as page:
        page.goto(f"/threads/{sixty}?at={at}")
        expect(current(page)).to_be_in_viewport()
        events = page.get_by_role("region", name="Events", exact=True)
        until(lambda: events.evaluate(_ROWS_IN_SIGHT) >= 12)
        timeline = page.get_by_role("button", name="Timeline")
        expect(timeline).to_have_attribute("aria-expanded", "false")


def test_twelve_events_have_room_where_the_screen_scrolls(
    browser: Browser, service: Service, sixty: str
) -> None:
    with opened(browser, service, viewport={"width": 640, "height": 360}) as page:
        page.goto(f"/threads/{sixty}?at=31")
        events = page.get_by_role("region", name="Events", exact=True)
        expect(events).to_be_visible()
        box = events.bounding_box()
        assert box is not None
        assert box["height"] >= 12 * 24
        main = page.get_by_role("main")
        assert main.evaluate("main => main.scrollHeight > main.clientHeight")


def test_a_low_window_has_the_figures_behind_a_button(
    browser: Browser, service: Service, sixty: str
) -> None:
    with opened(browser, service, viewport={"width": 720, "height": 450}) as page:
        page.goto(f"/threads/{sixty}?at=31")
        page.get_by_role("button", name="31 of 61").click()
        expect(page.get_by_label("Up to the cursor")).to_contain_text("Calls60")
        assert violations(page) == []


def test_a_version_that_is_not_there_is_said_and_the_tab_is_named(page: Page, sixty: str) -> None:
    page.goto(f"/threads/{sixty}?at=999")
    travel = page.get_by_role("region", name="Travel")
    expect(travel.get_by_role("status")).to_have_text(
        "There is no version 999: this is the last, 61"
    )
    expect(page).to_have_title("open · sixty · agentlog")


def test_what_was_found_is_in_sight_in_the_row_and_in_the_event(
    page: Page, service: Service
) -> None:
    text = "word " * 400 + "needle in it " + "word " * 400
    service.append("haystack", {"type": "reply", "text": text})
    page.goto("/threads/haystack?at=1&find=needle")
    expect(rows(page).first.locator("mark")).to_have_text("needle")
    expect(rows(page).first.locator("mark")).to_be_in_viewport()
    marked = "[...(CSS.highlights.get('found') ?? [])].map(String)"
    until(lambda: page.evaluate(marked) == ["needle"])
    top = "[...CSS.highlights.get('found')][0].getBoundingClientRect().top"
    assert 0 < page.evaluate(top) < 800
