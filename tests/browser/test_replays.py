"""What the page shows of replays that are kept: how each answer was found, and what differed."""

import json
from typing import Any

from playwright.sync_api import Page, expect

from agentlog.domain.identifiers import derived_message_id
from tests.browser.accessibility import violations
from tests.browser.conftest import Service
from tests.browser.test_event import event_at

DIFFERENCE = {"place": "items[2]", "recorded": 'it is "19"', "asked": 'it is "21"'}


def _replayed(service: Service, thread_id: str) -> None:
    """A fork whose first answer is copied and whose second is live, with the replay's report."""
    exchange = {"method": "POST", "path": "/v1/chat/completions", "status": 200, "end": "complete"}

    def said(number: int, text: str) -> list[dict[str, Any]]:
        return [
            {"id": f"{number:025}0", "type": "agentlog.exchange", "payload": exchange},
            {"id": f"{number:025}1", "type": "reply", "text": text},
        ]

    service.append(f"{thread_id}-origin", {"type": "input", "text": "Hi"}, *said(1, "It is 19."))
    answer = service.client.post(
        f"/v1/threads/{thread_id}-origin/fork", json={"threadId": thread_id}
    )
    assert answer.status_code == 201, answer.text
    report = {
        "of": {"threadId": f"{thread_id}-origin", "version": 3},
        "outputs": 1,
        "liveCalls": 1,
        "answers": [
            {"request": 1, "by": "outputs", "messages": [f"{1:025}0", f"{1:025}1"], **DIFFERENCE},
            {"request": 2, "by": "live", "messages": [f"{2:025}0", f"{2:025}1"]},
        ],
        "unmatched": [{"request": 3, "path": "/v1/models"}],
        "commandExitCode": 1,
    }
    service.append(thread_id, *said(2, "It is 21."), {"type": "agentlog.replay", "payload": report})


def test_each_answer_says_how_it_was_found_and_what_differed(page: Page, service: Service) -> None:
    _replayed(service, "replayed")
    pane = event_at(page, "replayed", 4)
    history = page.get_by_role("region", name="Events")
    expect(history.get_by_role("listitem").filter(has_text="It is 19.")).to_contain_text(
        "tool output differs"
    )
    expect(history.get_by_role("listitem").filter(has_text="It is 21.")).to_contain_text("live")
    section = pane.get_by_role("region", name="How it was answered")
    for text in ("tool output differs", "items[2]", 'it is "19"', 'it is "21"'):
        expect(section.get_by_text(text, exact=True)).to_be_visible()
    expect(section.get_by_role("deletion")).to_have_text("19")
    expect(section.get_by_role("insertion")).to_have_text("21")
    assert violations(page, "[aria-label=Event]", "[aria-label=History]") == []
    page.keyboard.press("End")
    expect(pane).to_contain_text("1 tool output differs, 1 live, 1 not on the tape")
    expect(pane.get_by_role("link", name="replayed-origin@3")).to_be_visible()
    expect(pane.get_by_role("heading", name="Requests that differed")).to_be_visible()
    expect(pane.get_by_role("heading", name="Not on the tape")).to_be_visible()
    assert violations(page, "[aria-label=Event]") == []


def test_a_report_without_answers_is_counted_and_marks_nothing(
    page: Page, service: Service
) -> None:
    service.append("old-origin", {"type": "reply", "text": "Hi"})
    service.client.post("/v1/threads/old-origin/fork", json={"threadId": "old"})
    report = {"exact": 2, "liveCalls": 0, "unmatched": [], "unused": [7], "answers": "none"}
    service.append("old", {"type": "agentlog.replay", "payload": report})
    pane = event_at(page, "old", 3)
    expect(pane).to_contain_text("2 exact, 0 live, 1 answer not used")
    expect(page.get_by_role("region", name="Events")).to_contain_text("2 exact, 0 live")
    expect(page.get_by_role("region", name="How it was answered")).to_have_count(0)


def test_a_cause_is_two_counts_with_intervals_and_their_forks(page: Page, service: Service) -> None:
    service.append("failed", {"type": "reply", "text": "It broke."})

    def arm(passed: int, low: float, high: float) -> dict[str, Any]:
        forks = [f"fork-{n}" for n in range(5)]
        kept = {"passedForks": forks[:passed], "failedForks": forks[passed:], "uncountedForks": []}
        return {"passed": passed, "runs": 5, "low": low, "high": high, **kept}

    cause = {
        "good": "refund",
        "check": "grep -q well",
        "candidates": [{"kind": "answer", "version": 1, "goodVersion": 7}],
        "cause": [1],
        "runs": 10,
        "budgetSpent": False,
        "experiments": [
            {
                "steps": [1],
                "changed": arm(5, 0.5655, 1.0),
                "control": arm(0, 0.0, 0.4345),
                "verdict": "caused",
            }
        ],
    }
    service.append("failed", {"type": "agentlog.cause", "payload": cause})
    pane = event_at(page, "failed", 2)
    table = pane.get_by_role("table", name="Experiments")
    expect(table.get_by_text("caused", exact=True)).to_be_visible()
    with_steps, without = table.get_by_role("row").filter(has=page.get_by_role("img")).all()
    expect(with_steps).to_contain_text("5 of 5")
    expect(with_steps.get_by_role("img")).to_have_accessible_name(
        "5 of 5 passed, interval of 95 % from 0.57 to 1.00"
    )
    expect(without.get_by_role("img")).to_have_accessible_name(
        "0 of 5 passed, interval of 95 % from 0.00 to 0.43"
    )
    assert "%" not in without.inner_text()
    without.get_by_text("5 forks").click()
    expect(without.get_by_role("link", name="fork-4")).to_be_visible()
    assert violations(page, "[aria-label=Event]") == []
    expect(page.get_by_role("region", name="Events")).to_contain_text("answer at 1")
    table.get_by_role("link", name="answer at 1").click()
    expect(pane).to_contain_text("It broke.")


def test_calls_that_may_be_made_again_are_said_where_a_run_is_forked(
    page: Page, service: Service
) -> None:
    calls = [
        {"id": f"c{n}", "type": "function", "function": {"name": name, "arguments": "{}"}}
        for n, name in enumerate(["deploy", "deploy", "Read"])
    ]
    choice = {"index": 0, "message": {"role": "assistant", "tool_calls": calls}}
    exchange = {
        "run": "r",
        "attempt": 1,
        "method": "POST",
        "path": "/v1/chat/completions",
        "request": {"headers": {}, "pieces": ['{"messages":[]}']},
        "status": 200,
        "response": {"headers": {}, "body": json.dumps({"choices": [choice]}), "chunks": []},
        "end": "complete",
    }
    run = {"run": "r", "values": {}}
    first = derived_message_id("r", 1, 0)
    service.append(
        "effects",
        {"type": "agentlog.run", "payload": run},
        {"id": first, "type": "agentlog.exchange", "payload": exchange},
    )
    page.goto("/threads/effects?at=2&fold=")
    page.get_by_role("button", name="Actions").click()
    page.get_by_role("button", name="Fork from version 2…").click()
    dialog = page.get_by_role("dialog", name="Fork from version 2")
    expect(dialog.get_by_role("note")).to_contain_text("2 recorded calls may have effects")
    expect(dialog.get_by_role("listitem")).to_have_text(["deploy 2"])
    assert violations(page, "dialog") == []
