"""The twelve questions of a debugging session: each answered by the keyboard alone.

They begin at the list of threads. A press is a key, or a text typed in one go; opening a thread by
its name takes three. The runs are public ones, where they are at hand, and stories of the formats.
"""

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Service, catch_up

OPENING = 3


class Session:
    """A person at the keyboard of a page; `presses` counts."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.presses = 0
        self.palette = page.get_by_role("dialog", name="Commands")
        self.why = page.get_by_role("region", name="Why", exact=True)
        self.event = page.get_by_role("region", name="Event", exact=True)
        self.events = page.get_by_role("region", name="Events")
        self.attempts = page.get_by_role("complementary", name="Attempts")

    def press(self, key: str) -> None:
        self.page.keyboard.press(key)
        self.presses += 1

    def command(self, text: str, option: str) -> None:
        """Run what the palette offers first for a text."""
        self.press("Control+k")
        field = self.palette.get_by_role("combobox", name="Command")
        expect(field).to_be_focused()
        self.page.keyboard.type(text)
        self.presses += 1
        expect(self.palette.get_by_role("option", selected=True)).to_have_text(re.compile(option))
        self.press("Enter")
        expect(self.palette).to_have_count(0)

    def open(self, thread_id: str) -> None:
        self.command(thread_id, re.escape(thread_id))
        self.page.wait_for_url(re.compile(rf"/threads/{re.escape(thread_id)}\b"))
        expect(self.events.locator("[aria-current=true]")).to_be_visible()

    def panel(self, name: str) -> Locator:
        return self.page.get_by_role("tabpanel", name=name)


@pytest.fixture
def asked(page: Page) -> Session:
    page.goto("/")
    page.get_by_role("grid").or_(page.get_by_role("table")).first.wait_for()
    return Session(page)


def call(number: int, tool: str, **args: Any) -> dict[str, Any]:
    return {"type": "tool_calls", "calls": [{"id": f"c{number}", "name": tool, "args": args}]}


def result(number: int, output: str) -> dict[str, Any]:
    return {"type": "tool_results", "results": [{"callId": f"c{number}", "output": output}]}


EDIT_REFUSED = (
    "Your proposed edit has introduced new syntax error(s). Please read this error message"
)
OPEN_FILE = {
    "swe-agent": [
        {"set": {"parts": [{"state": '{"open_file": "/src/fields.py", "working_dir": "/src"}'}]}}
    ]
}
"""As the reader of SWE-agent's trajectories keeps it."""
STORIES: dict[str, list[dict[str, Any]]] = {
    "swe-fix": [
        {"type": "input", "text": "Fix the rounding of TimeDelta"},
        call(0, "bash", command="open fields.py"),
        {**result(0, "[File: fields.py (9 lines)]"), "metadata": {"wire": OPEN_FILE}},
        call(1, "bash", command="edit 3:4"),
        result(1, EDIT_REFUSED),
        call(2, "bash", command="edit 3:5"),
        result(2, "File updated."),
        {"type": "reply", "text": "Fixed."},
    ],
    "inspect-guess": [
        {"type": "input", "text": "Guess the number"},
        *(part for n in range(4) for part in (call(n, "bash", command="ls"), result(n, "a.txt"))),
        {
            "type": "inspect.store",
            "payload": {"changes": [{"op": "add", "path": "/guesses", "value": 4}]},
        },
        {
            "type": "llm_response",
            "model": "gpt-4o-mini",
            "usage": {"inputTokens": 9000, "outputTokens": 500, "totalTokens": 9500},
        },
        {"type": "inspect.score", "payload": {"score": {"value": 0}, "scorer": "closeness_log"}},
    ],
    "book-twice": [
        {"type": "input", "text": "Book HAT271"},
        call(0, "book", user="mia", flight="HAT271", cabin="economy", paid=957),
        result(0, "Error: total price is 1002, but paid 957"),
        call(1, "book", user="mia", flight="HAT271", cabin="economy", paid=1047),
        result(1, "Error: total price is 1002, but paid 1047"),
        {"type": "reply", "text": "It did not work."},
    ],
    "book-once": [
        {"type": "input", "text": "Book HAT271"},
        call(0, "book", user="mia", flight="HAT271", cabin="economy", paid=1002),
        result(0, "booked"),
        {"type": "reply", "text": "Booked."},
    ],
}


@pytest.fixture(scope="module", autouse=True)
def stories(service: Service) -> None:
    scored = {"threadId": "inspect-guess", "metadata": {"score.closeness_log": 0.0}}
    assert service.client.post("/v1/threads", json=scored).status_code == 201
    for thread_id, messages in STORIES.items():
        service.append(thread_id, *messages)
    catch_up(service)


@pytest.mark.parametrize(
    ("thread_id", "failure"),
    [
        ("book-twice", "book, 1st of 2 Error: total price is 1002, but paid 957"),
        ("swe-fix", EDIT_REFUSED),
        ("inspect-guess", "closeness_log 0"),
        ("deploy", "smoke tests gave no answer within 4 s"),
        ("airline-46-3", "total price is 1002, but paid 957"),
    ],
)
def test_why_did_this_run_fail(asked: Session, thread_id: str, failure: str) -> None:
    asked.open(thread_id)
    expect(asked.why).to_contain_text(failure)
    assert asked.presses == OPENING


@pytest.mark.parametrize("thread_id", ["book-twice", "airline-46-3"])
def test_what_was_the_model_sent_before_the_wrong_call(asked: Session, thread_id: str) -> None:
    asked.open(thread_id)
    expect(asked.event.get_by_role("button", name="What produced this")).to_be_visible()
    asked.press("p")
    expect(asked.panel("Sent to model")).to_contain_text("reconstructed")
    expect(asked.event).to_contain_text("1st of")  # the call, not its result
    assert asked.presses == OPENING + 1


@pytest.mark.parametrize(
    ("thread_id", "change"),
    [("book-twice", "957 → 1047"), ("airline-46-3", "957 → 1047")],
)
def test_which_argument_changed_between_attempts(
    asked: Session, thread_id: str, change: str
) -> None:
    asked.open(thread_id)
    expect(asked.attempts).to_contain_text("1st of")
    asked.press(".")
    expect(asked.attempts).to_contain_text(change)
    assert asked.presses == OPENING + 1


def test_how_long_did_the_tool_wait(asked: Session) -> None:
    asked.open("deploy")
    expect(asked.events).to_contain_text("4.2 s · failed")
    assert asked.presses == OPENING


def test_which_runs_loop(asked: Session) -> None:
    asked.command("loops", "^Only threads: Loops$")
    table = asked.page.get_by_role("main")
    expect(table.get_by_role("link", name=re.compile("inspect-guess"))).to_be_visible()
    expect(table.get_by_role("link", name=re.compile("book-once"))).to_have_count(0)
    assert asked.presses == OPENING


def test_where_do_two_runs_part(asked: Session) -> None:
    asked.open("book-twice")
    asked.command("compare with", "^Compare with …$")
    expect(asked.page.get_by_label("Thread id")).to_be_focused()
    asked.page.keyboard.type("book-once")
    asked.presses += 1
    asked.press("Enter")
    expect(asked.page.get_by_role("main")).to_contain_text("First difference after 1 equal step")
    assert asked.presses == 2 * OPENING + 2


@pytest.mark.parametrize("thread_id", ["inspect-guess", "refund"])
def test_what_did_it_cost_up_to_here(asked: Session, thread_id: str) -> None:
    asked.open(thread_id)
    asked.press("End")
    figures = asked.page.locator("dl[aria-label='Up to the cursor']")
    expect(figures).to_contain_text(re.compile(r"Cost\s*~?\$0\.0"))
    assert asked.presses == OPENING + 1


@pytest.mark.parametrize(
    ("thread_id", "version", "kept"),
    [("swe-fix", 4, "/src/fields.py"), ("inspect-guess", 11, "guesses")],
)
def test_what_did_the_run_keep_at_a_step(
    asked: Session, thread_id: str, version: int, kept: str
) -> None:
    asked.open(thread_id)
    asked.command(str(version), f"^Go to version {version} of")
    expect(asked.panel("State")).to_contain_text(kept)
    assert asked.presses == 2 * OPENING


def test_was_approval_given_and_when(asked: Session) -> None:
    asked.open("deploy")
    asked.press("a")
    expect(asked.event).to_contain_text("denied")
    expect(asked.event).to_contain_text("1 m 35 s")
    expect(asked.event).to_contain_text("05 Jan 2026, 08:05:30")
    assert asked.presses == OPENING + 1


@pytest.mark.parametrize("thread_id", ["refund", "airline-46-3"])
def test_is_it_untampered(asked: Session, thread_id: str) -> None:
    asked.open(thread_id)
    expect(asked.page.get_by_role("button", name="Chain whole")).to_be_visible()
    assert asked.presses == OPENING


def test_show_me_the_live_run(asked: Session) -> None:
    asked.command("live", "^Live$")
    expect(asked.page.get_by_role("main")).to_contain_text("book-once")
    assert asked.presses == OPENING


def test_share_this_exact_view(asked: Session) -> None:
    asked.open("book-twice")
    expect(asked.event.get_by_role("button", name="What produced this")).to_be_visible()
    asked.press("p")
    expect(asked.panel("Sent to model")).to_contain_text("reconstructed")
    seen = asked.panel("Sent to model").inner_text()
    asked.page.goto(asked.page.url)
    expect(asked.panel("Sent to model")).to_contain_text("reconstructed")
    assert asked.panel("Sent to model").inner_text().splitlines()[:3] == seen.splitlines()[:3]
    assert asked.presses == OPENING + 1
