"""The pane of a thread's state: keys, what a model is sent, changes, watch, views."""

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.accessibility import violations
from tests.browser.conftest import Service, held, opened
from tests.browser.contents import HOSTILE

LOADING_MS = 30_000
"""Time for the tables of the tokenizer to be loaded on a busy machine."""
TABS = {
    "state": "State",
    "model": "Sent to model",
    "changes": "Changes",
    "watch": "Watch",
    "view": "View",
}


def test_a_step_marks_what_it_changed_and_a_keys_history_moves_the_cursor(page: Page) -> None:
    page.goto("/threads/refund?at=9")
    state = page.get_by_role("region", name="State at version 9")
    changed = state.get_by_role("listitem").filter(
        has=page.get_by_role("button", name="changed", exact=True)
    )
    expect(changed).to_have_count(2)
    expect(changed.nth(0)).to_contain_text("step_count")
    expect(changed.nth(1)).to_contain_text("pending_llm")

    changed.nth(0).get_by_role("button", name="changed").click()
    difference = page.get_by_role("group", name="What version 9 changed of step_count")
    expect(difference).to_contain_text("2 → 3")

    state.get_by_role("button", name="step_count").click()
    history = page.get_by_role("group", name="History of step_count")
    expect(history.get_by_role("button")).to_have_text(
        [re.compile(f"^{text}$") for text in ("31", "72", "93", "104", "125", "136", "147")]
    )
    expect(history.locator("[aria-current=step]")).to_have_text("93")
    history.get_by_role("button", name="12 5").click()
    expect(page).to_have_url(re.compile(r"at=12"))
    expect(page.get_by_role("region", name="State at version 12")).to_contain_text("step_count5")
    expect(history.locator("[aria-current=step]")).to_have_text("125")


def test_what_a_run_keeps_for_itself_stands_part_by_part(page: Page, service: Service) -> None:
    todos = [{"content": "Fix it", "status": "in_progress"}]
    for number, (name, args) in enumerate(
        [
            ("TodoWrite", {"todos": todos}),
            ("Write", {"file_path": "/a.py", "content": "x = 1\ny = 2\n"}),
            ("Edit", {"file_path": "/a.py", "old_string": "y = 2", "new_string": "y = 3"}),
            ("Edit", {"file_path": "/b.py", "old_string": "x", "new_string": "y"}),
        ]
    ):
        call = {"id": f"{number}", "name": name, "args": args}
        service.append("working", {"type": "tool_calls", "calls": [call]})
        result = {"callId": f"{number}", "output": "ok"}
        service.append("working", {"type": "tool_results", "results": [result]})

    page.goto("/threads/working?at=6")
    state = page.get_by_role("region", name="State at version 6", exact=True)
    expect(state.get_by_role("region", name="To do")).to_contain_text("0 of 1 done")
    expect(state.get_by_role("region", name="To do")).to_contain_text("Fix itin progress")
    file = state.get_by_role("region", name="Files").get_by_role("listitem")
    expect(file).to_contain_text("2 lines, last changed at 6")
    expect(file).to_contain_text("changed")
    file.get_by_role("button", name="text of /a.py").click()
    text = state.get_by_role("group", name="Text of /a.py")
    expect(text.locator("del")).to_have_text("2")
    expect(text.locator("ins")).to_have_text("3")

    state.get_by_role("button", name="/a.py", exact=True).click()
    history = page.get_by_role("group", name="History of /a.py")
    expect(history.get_by_role("button")).to_have_text("42")
    page.keyboard.press("End")
    state = page.get_by_role("region", name="State at version 8", exact=True)
    expect(state).to_contain_text("text not known, last changed at 8")
    state.get_by_text("1 change up to here did not apply").click()
    expect(state).to_contain_text("what it was before the edit is not on record")

    page.goto('/threads/working?at=6&state=watch&watch=["$.files[*].lines"]')
    watch = page.get_by_role("article", name="Watch $.files[*].lines")
    expect(watch.locator("[aria-current=step]")).to_have_text("42")
    page.goto("/threads/working?at=8&state=changes&a=4&b=6")
    differences = page.get_by_role("region", name="Differences of the state")
    expect(differences).to_contain_text(re.compile(r"text.*y = 2.*y = 3|text.*y = 23"))


def test_counters_that_never_changed_are_hidden_and_counted(page: Page) -> None:
    page.goto("/threads/refund?at=9&state=state")
    kernel = page.get_by_role("region", name="Kernel", exact=True)
    expect(kernel.get_by_role("listitem")).to_have_count(3)
    kernel.get_by_role("button", name="Show 7 keys as at the beginning").click()
    expect(kernel.get_by_role("listitem")).to_have_count(10)
    expect(kernel).to_contain_text("max_delegations10")


def test_where_a_run_keeps_no_state_the_pane_opens_on_what_the_model_is_sent(
    page: Page, service: Service
) -> None:
    service.append("stateless", {"type": "input", "text": "Hi"}, {"type": "reply", "text": "Ho"})
    page.goto("/threads/stateless")
    model = page.get_by_role("tab", name="Sent to model")
    expect(model).to_have_attribute("aria-selected", "true")
    page.get_by_role("tab", name="State", exact=True).click()
    expect(page).to_have_url(re.compile("state=state"))
    page.goto("/threads/refund")
    expect(page.get_by_role("tab", name="State", exact=True)).to_have_attribute(
        "aria-selected", "true"
    )


def test_messages_stand_although_what_was_sent_beside_them_cannot_be_read(page: Page) -> None:
    page.route("**/views/request?*", lambda route: route.fulfill(body="{"))
    page.goto("/threads/unruly?at=9&state=model")
    expect(page.get_by_role("alert")).to_have_count(1)
    messages = page.get_by_role("region", name="Messages for the model")
    expect(messages.get_by_role("article").last).to_contain_text("One more question …")
    expect(page.get_by_role("button", name="Count tokens")).to_have_count(0)


def test_the_model_is_sent_what_the_service_answers_and_repairs_are_marked(
    browser: Browser, service: Service
) -> None:
    answered = service.client.get("/v1/threads/unruly/views/openai?bare=true&at=9").text
    with opened(browser, service, permissions=["clipboard-read", "clipboard-write"]) as page:
        page.goto("/threads/unruly?at=9&state=model")
        messages = page.get_by_role("region", name="Messages for the model")
        repaired = messages.get_by_role("article").filter(has_text="repaired")
        expect(repaired).to_have_count(2)
        expect(repaired.nth(0)).to_contain_text("the call has no result before the next turn")
        expect(repaired.nth(1)).to_contain_text("the result has no call")
        newest = messages.get_by_role("article").last
        expect(newest).to_contain_text("new")
        expect(newest).to_contain_text("One more question …")
        expect(page.get_by_role("region", name="Beside the messages")).to_be_visible()
        expect(newest).to_be_in_viewport(ratio=1)

        page.get_by_role("button", name="Copy JSON").click()
        expect(page.get_by_role("button", name="Copied")).to_be_visible()
        assert page.evaluate("navigator.clipboard.readText()") == answered
        page.get_by_role("button", name="As JSON").click()
        expect(page.get_by_role("region", name="JSON").locator("pre")).to_have_text(answered)


def test_tokens_are_counted_by_themselves_and_follow_the_cursor(
    page: Page, service: Service
) -> None:
    service.append(
        "counted",
        {"type": "input", "text": "Where is my parcel?"},
        {"type": "reply", "text": "<|endoftext|>"},
    )
    page.goto("/threads/counted?at=1&state=model")
    panel = page.get_by_role("tabpanel", name="Sent to model")
    # four words and a sign, each a token
    expect(panel).to_contain_text("5 tokens o200k_base", timeout=LOADING_MS)
    page.goto("/threads/counted?at=2&state=model")
    # the sign is plain text in a message: seven tokens, not the one that ends a text
    expect(panel).to_contain_text("12 tokens o200k_base", timeout=LOADING_MS)


def test_an_answer_leads_to_the_request_that_produced_it(page: Page, service: Service) -> None:
    response = {"responseId": "r2"}
    usage = {"inputTokens": 30, "cachedInputTokens": 16}
    service.append(
        "produced",
        {"type": "input", "text": "Where is my parcel?"},
        {"type": "reply", "text": "Which one?", "metadata": {"responseId": "r1"}},
        {"type": "input", "text": "The red one."},
        {"type": "llm_response", "model": "gpt-4o", "usage": usage, "metadata": response},
        {"type": "reply", "text": "I look.", "metadata": response},
        {"type": "tool_calls", "calls": [{"id": "a", "name": "track"}], "metadata": response},
    )
    page.goto("/threads/produced?at=6")
    page.get_by_role("button", name="What produced this").first.click()
    request = page.get_by_role("region", name="Request sent after version 3")
    expect(request).to_contain_text("3 messages sent after version 3")
    expect(request.get_by_role("button", name=re.compile("^[4-6]$"))).to_have_count(3)
    expect(request).to_contain_text("reconstructed")
    expect(request).to_contain_text("Model gpt-4o")
    window = request.get_by_role("group", name="Context window")
    # five of the question, three of the reply, four of the other question
    expect(window).to_contain_text("12 tokens o200k_base of 128,000", timeout=LOADING_MS)
    expect(window).to_contain_text("reported 30")
    before = request.get_by_role("group", name="Against the request before")
    expect(before).to_contain_text(
        "Goes on from the request answered at 2: 1 of 1 messages come again, 2 follow"
    )
    expect(before).to_contain_text("16 tokens cached, as reported")
    messages = request.get_by_role("region", name="Messages of the request")
    expect(messages.get_by_role("article").last).to_contain_text("The red one.")
    expect(messages).not_to_contain_text("I look.")

    page.get_by_role("button", name="What is sent next").click()
    expect(page.get_by_role("region", name="Messages for the model")).to_contain_text("I look.")
    assert violations(page) == []


def test_where_a_request_differs_from_the_one_before_its_cache_breaks(
    page: Page, service: Service
) -> None:
    service.append(
        "broken-cache",
        {"type": "llm_request", "model": "gpt-4o", "temperature": 0.5},
        {"type": "input", "text": "Hi"},
        {"type": "reply", "text": "Ho", "metadata": {"responseId": "r1"}},
        {"type": "llm_request", "model": "gpt-4o", "temperature": 0.9},
        {"type": "input", "text": "And?"},
        {"type": "reply", "text": "So.", "metadata": {"responseId": "r2"}},
    )
    page.goto("/threads/broken-cache?at=6&state=model&call=true")
    before = page.get_by_role("group", name="Against the request before")
    expect(before).to_contain_text("Differs from the request answered at 3")
    before.get_by_text("breaks the cache").click()
    expect(before).to_contain_text("at temperature")
    expect(before).to_contain_text("0.5 → 0.9")


def test_what_the_model_is_asked_with_beside_messages_is_shown_and_counted(
    page: Page, service: Service
) -> None:
    tool = {"type": "function", "function": {"name": "track", "description": "Find a parcel."}}
    started = {"threadId": "asked", "metadata": {"tools": [tool]}}
    assert service.client.post("/v1/threads", json=started).status_code == 201
    service.append(
        "asked",
        {"type": "input", "text": "Where is my parcel?"},
        {"type": "llm_request", "model": "gpt-4o", "temperature": 0.2},
    )
    page.goto("/threads/asked?at=2&state=model")
    panel = page.get_by_role("tabpanel", name="Sent to model")
    beside = panel.get_by_role("region", name="Beside the messages")
    expect(beside).to_contain_text(re.compile(r"Model not on record.*1 definition"))
    expect(beside).to_contain_text("Parameters not on record")
    # the question alone is 5, as its message says; the rest is the definition's JSON
    expect(panel).to_contain_text("23 tokens o200k_base", timeout=LOADING_MS)

    page.goto("/threads/asked?at=3&state=model")
    expect(beside).to_contain_text("Model gpt-4o")
    expect(beside).to_contain_text(re.compile(r"temperature:\s*0\.2"))
    beside.get_by_text("1 definition").click()
    beside.get_by_text("track", exact=True).click()
    expect(beside).to_contain_text("Find a parcel.")


@pytest.mark.parametrize(("tab", "asked"), [("view", "letta"), ("model", "openai")])
def test_items_of_an_earlier_version_say_so(page: Page, tab: str, asked: str) -> None:
    earlier = page.get_by_role("region", name="At version 6", exact=True)
    with held(page, rf"/views/{asked}\?.*&at=7&"):
        page.goto(f"/threads/refund?at=6&view=letta&state={tab}")
        expect(earlier).to_have_attribute("aria-busy", "false")
        page.keyboard.press("ArrowRight")
        expect(page).to_have_url(re.compile(r"at=7"))
        expect(earlier).to_have_attribute("aria-busy", "true")
    expect(page.get_by_role("region", name="At version 7", exact=True)).to_be_visible()
    expect(earlier).to_have_count(0)


@pytest.mark.parametrize("view", ["", "&view=openai"])
def test_no_old_difference_stands_under_new_versions(page: Page, view: str) -> None:
    panel = page.get_by_role("tabpanel", name="Changes")
    differences = panel.get_by_role("region", name="Differences of")
    with held(page, r"/agent-state\?.*&at=10$|/diff\?.*&to=10$"):
        page.goto(f"/threads/refund?at=9&a=3&state=changes{view}")
        expect(differences).to_be_visible()
        page.keyboard.press("ArrowRight")
        expect(panel).to_contain_text("From version 3 to 10")
        expect(panel).to_contain_text("Comparing…")
        expect(differences).to_have_count(0)
    expect(differences).to_be_visible()


def test_a_pin_past_the_end_is_at_the_end(page: Page) -> None:
    page.goto("/threads/refund?at=3&state=changes&a=3&b=99999")
    panel = page.get_by_role("tabpanel", name="Changes")
    expect(panel).to_contain_text(re.compile(r"From version 3 to \d\d(?!\d)"))
    expect(page.get_by_role("region", name="Differences of the state")).to_be_visible()


def test_two_pinned_versions_are_compared_in_the_state_and_in_a_view(page: Page) -> None:
    page.goto("/threads/refund?at=3&state=changes")
    panel = page.get_by_role("tabpanel", name="Changes")
    expect(panel).to_contain_text("From version 2 to 3: what this event changed")
    page.get_by_role("button", name="Pin A here").click()
    expect(page).to_have_url(re.compile(r"a=3"))

    page.goto("/threads/refund?at=9&state=changes&a=3")
    page.get_by_role("button", name="Pin B here").click()
    expect(panel).to_contain_text("From version 3 to 9")
    differences = page.get_by_role("region", name="Differences of the state")
    expect(differences).to_contain_text("step_count1 → 3")
    differences.get_by_role("button", name="5 unchanged").click()
    expect(differences).to_contain_text(re.compile(r"max_steps:\s*30"))
    page.get_by_role("button", name="Swap").click()
    expect(differences).to_contain_text("step_count3 → 1")

    page.get_by_role("button", name="Swap").click()
    page.get_by_role("combobox", name="View").select_option("openai")
    items = page.get_by_role("region", name="Differences of openai").get_by_role("listitem")
    expect(items).to_have_count(2)
    expect(items.nth(0)).to_contain_text("added at")
    expect(items.nth(1)).to_contain_text("call_order")
    page.get_by_role("button", name="Clear").click()
    expect(page).not_to_have_url(re.compile(r"[ab]=\d"))


def test_two_pinned_events_are_compared_in_all_their_fields(page: Page, service: Service) -> None:
    for amount, output in ((957, "Error: it does not add up"), (1047, "Error: still not")):
        call = {"id": f"pay-{amount}", "name": "pay", "args": {"amount": amount, "to": "me"}}
        service.append("paid", {"type": "tool_calls", "calls": [call]})
        result = {"callId": f"pay-{amount}", "output": output}
        service.append("paid", {"type": "tool_results", "results": [result]})
    page.goto("/threads/paid?at=3&state=changes&a=1")
    page.get_by_role("button", name="Events", exact=True).click()
    expect(page).to_have_url(re.compile("events=true"))
    differences = page.get_by_role("region", name="Differences of the events")
    expect(differences).to_contain_text("amount957 → 1047")
    result_difference = differences.get_by_role("region", name="Calls of pay")
    expect(result_difference.locator("del").first).to_be_visible()
    expect(result_difference).to_contain_text("still")

    page.keyboard.press("ArrowRight")
    page.keyboard.press("]")
    expect(page).to_have_url(re.compile("b=4"))
    expect(differences).to_contain_text("tool_results")
    page.goto("/threads/paid?at=4&state=changes&a=2&events=true")
    expect(differences.get_by_role("region", name="Calls of pay")).to_contain_text("957 → 1047")
    page.goto("/threads/paid?at=4&state=changes&a=0&events=true")
    expect(page.get_by_text("Version 0 has no event")).to_be_visible()


def test_events_of_any_content_are_compared(page: Page, service: Service) -> None:
    last = service.client.get(f"/v1/threads/{HOSTILE}").json()["version"]
    differences = page.get_by_role("region", name="Differences of the events")
    for version in range(2, last + 1):
        page.goto(f"/threads/{HOSTILE}?at={version}&state=changes&events=true")
        expect(differences).to_be_visible()
    text = "word " * 400_000
    service.append("vast", {"type": "reply", "text": text}, {"type": "reply", "text": f"{text}!"})
    page.goto("/threads/vast?at=2&state=changes&events=true")
    expect(page.get_by_text("Of long texts the beginnings are compared.")).to_be_visible()


def test_a_watched_expression_shows_its_value_and_goes_to_its_next_change(page: Page) -> None:
    page.goto("/threads/refund?at=4&state=watch")
    field = page.get_by_role("textbox", name="JSONPath to watch")
    field.fill("$.x[")
    field.press("Enter")
    wrong = page.get_by_role("article", name="Watch $.x[")
    expect(wrong.get_by_role("alert")).to_contain_text(
        "unclosed bracketed selection, at character 5"
    )
    wrong.get_by_role("button", name="Edit").click()
    wrong.get_by_role("textbox", name="JSONPath").fill("$.step_count")
    wrong.get_by_role("button", name="Save").click()

    watch = page.get_by_role("article", name="Watch $.step_count")
    expect(watch.get_by_role("listitem")).not_to_have_count(0)
    expect(watch.locator("[aria-current=step]")).to_have_text("31")
    watch.get_by_role("button", name="Next change").click()
    expect(page).to_have_url(re.compile(r"at=7"))
    expect(watch.locator("[aria-current=step]")).to_have_text("72")
    expect(watch).to_contain_text("changed")
    page.reload()
    expect(watch.locator("[aria-current=step]")).to_have_text("72")
    watch.get_by_role("button", name="Remove").click()
    expect(watch).to_have_count(0)


def test_a_long_view_is_windowed_and_reads_earlier_items_as_one_scrolls_up(
    page: Page, service: Service
) -> None:
    lines: list[dict[str, object]] = [
        {"type": "input", "text": f"Line {n}"} for n in range(1, 1001)
    ]
    service.append("lengthy", *lines)
    page.goto("/threads/lengthy?state=view&view=kernel")
    items = page.get_by_role("region", name="Items of kernel")
    expect(items).to_contain_text("Line 1000")
    panel = page.get_by_role("tabpanel", name="View")
    expect(panel).to_contain_text("last 200 items")
    assert items.get_by_role("listitem").count() < 40
    items.evaluate("(list) => { list.scrollTop = 0 }")
    expect(panel).to_contain_text(re.compile(r"last [4-9]00 items"))
    assert items.get_by_role("listitem").count() < 40


@pytest.mark.parametrize("tab", TABS)
def test_axe_finds_nothing_in_the_pane(page: Page, tab: str) -> None:
    page.goto(f'/threads/refund?at=9&state={tab}&a=3&key=step_count&watch=["$.step_count","$.x["]')
    panel = page.get_by_role("tabpanel", name=TABS[tab], exact=True)
    expect(panel).not_to_contain_text(
        re.compile(r"Reading|Comparing|Counting|reading"), timeout=LOADING_MS
    )
    assert violations(page) == []
