"""What agents' own types and calls are drawn as: one history of them, in windows of any size."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.accessibility import violations
from tests.browser.conftest import SCHEMES, Service, opened
from tests.browser.ugly import BIDI, LINES, UNBROKEN, WORDY
from tests.waiting import until

_SIZES = [(1440, 900), (1280, 720), (720, 450), (390, 844)]
_UUID = "7d1db301-e169-4649-a21b-1ea3ad00cfee"

_FAULTS = """() => {
  const faults = [];
  const told = ({ className, textContent }) => `${className}: ${textContent.slice(0, 40)}`;
  if (document.documentElement.scrollWidth > innerWidth) faults.push("the page is too wide");
  const cards = [...document.querySelectorAll("article")];
  for (const [index, card] of cards.entries()) {
    const box = card.getBoundingClientRect();
    const next = cards[index + 1]?.getBoundingClientRect();
    if (next && next.top < box.bottom - 1) faults.push(`overlaps the next: ${told(card)}`);
    for (const part of card.querySelectorAll("*")) {
      const { right, width } = part.getBoundingClientRect();
      if (width > 0 && right > box.right + 1) faults.push(`sticks out: ${told(part)}`);
      const isCut = getComputedStyle(part).textOverflow === "ellipsis";
      if (isCut && part.scrollWidth > part.clientWidth + 1 && !part.closest("[title]"))
        faults.push(`cut without a title: ${told(part)}`);
    }
    for (const row of card.querySelectorAll("header, [class*=heading]")) {
      const boxes = [...row.children].map((part) => part.getBoundingClientRect());
      const drawn = boxes.filter(({ width }) => width > 0);
      for (const [place, each] of drawn.entries()) {
        if (drawn[place + 1]?.left < each.right - 1) faults.push(`overlap in: ${told(row)}`);
      }
    }
  }
  return faults;
}"""

_EXTENSIONS = Path(__file__).parents[2] / "extensions"
_STORIES: dict[str, Any] = {
    type_name: payload
    for path in sorted(_EXTENSIONS.glob("**/web/stories.json"))
    for type_name, payload in json.loads(path.read_text()).items()
}
_UGLY: dict[str, Any] = {
    "inspect.score": {
        "uuid": _UUID,
        "score": {"value": "I", "answer": UNBROKEN, "explanation": f"{WORDY}\n{LINES}"},
        "target": [BIDI, WORDY],
        "scorer": "includes",
    },
    "inspect.store": {
        "changes": [
            {"op": "add", "path": f"/{UNBROKEN}", "value": {UNBROKEN: WORDY}},
            {"op": "remove", "path": "/old"},
            {"op": "replace", "path": "/n", "value": 7},
        ]
    },
    "inspect.sandbox": {"action": "exec", "cmd": f"cat {UNBROKEN}", "result": 2, "output": LINES},
    "swe-agent.step": {"state": '{"open_file": "/src/a.py", "working_dir": "/src"}'},
    "letta-agent.block": {"id": "block-1", "label": "human", "value": f"Ada\n{WORDY}"},
    "langgraph.checkpoint": {
        "id": _UUID,
        "metadata": {"step": 3, "source": "loop"},
        "values": {"notes": [WORDY], UNBROKEN: 1},
    },
    "vendor.odd": {"uuid": _UUID, UNBROKEN[:60]: WORDY, "empty": None},
}

_PAYLOADS = {
    **_UGLY,
    **{k: v for k, v in _STORIES.items() if k not in _UGLY},
}
_ARGUMENTS: dict[str, Any] = {
    "Edit": {"file_path": f"/src/{UNBROKEN}.py", "old_string": LINES, "new_string": WORDY},
    "Write": {"file_path": "a.txt", "content": f"{UNBROKEN}\n{LINES}"},
    "apply_patch": {
        "input": f"*** Begin Patch\n*** Update File: {BIDI}\n@@ x\n-{WORDY}\n+{UNBROKEN}"
    },
    "TodoWrite": {
        "todos": [
            {"content": WORDY, "status": "completed"},
            {"content": UNBROKEN, "status": "in_progress"},
        ]
    },
    "Task": {"description": WORDY, "prompt": f"# {WORDY}\n\n{LINES}", "subagent_type": "general"},
    "Bash": {"command": f"echo {UNBROKEN}\n{LINES}"},
    UNBROKEN: {UNBROKEN: UNBROKEN, "nested": {"a": [WORDY]}, "text": LINES},
}


@pytest.fixture(scope="module")
def formats(service: Service) -> str:
    """A thread with a message of each type, and a call of each tool."""
    messages = [{"type": name, "payload": payload} for name, payload in _PAYLOADS.items()]
    for number, (name, args) in enumerate(_ARGUMENTS.items()):
        call = {"id": f"c{number}", "name": name, "args": args}
        output = {"ok": True, "text": WORDY, UNBROKEN: BIDI} if number % 2 else LINES
        messages += [
            {"type": "tool_calls", "calls": [call]},
            {"type": "tool_results", "results": [{"callId": call["id"], "output": output}]},
        ]
    service.append("formats", *messages)
    return "formats"


@pytest.mark.parametrize("size", _SIZES, ids=str)
def test_cards_keep_their_frame_whatever_is_in_them(
    browser: Browser, service: Service, formats: str, size: tuple[int, int]
) -> None:
    viewport = {"width": size[0], "height": size[1]}
    with opened(browser, service, viewport=viewport) as page:
        page.goto(f"/threads/{formats}?read=true&fold=&at=1")
        for number in range(len(_PAYLOADS) + len(_ARGUMENTS)):
            current = page.locator("article[aria-current=true]")
            calls = 1 + max(number - len(_PAYLOADS), 0)
            label = f"Version {number + calls}"
            expect(current).to_have_attribute("aria-label", label)
            expect(current.locator("header")).to_be_visible()
            until(lambda: page.evaluate(_FAULTS) == [])  # cards are placed once they are measured
            page.keyboard.press("j")


def test_an_own_type_has_a_name_and_says_what_it_is_about(page: Page, formats: str) -> None:
    page.goto(f"/threads/{formats}?fold=&at=1")
    events = page.get_by_role("region", name="Events")
    expect(events).to_contain_text("score I (incorrect) · includes · answered a_name")
    expect(events).to_contain_text("editor open_file: /src/a.py, working_dir: /src")
    expect(events).to_contain_text("memory human · Ada")
    expect(events).to_contain_text("checkpoint step 3 · loop · notes")
    expect(events).not_to_contain_text(_UUID)
    pane = page.get_by_role("region", name="Event", exact=True)
    expect(pane.get_by_text("incorrect", exact=True)).to_be_visible()
    page.keyboard.press("j")
    expect(pane.get_by_role("img", name="remove")).to_be_visible()
    page.keyboard.press("j")
    expect(pane).to_contain_text("exit 2")


def test_any_type_folds_by_itself_with_its_count(page: Page, formats: str) -> None:
    page.goto(f"/threads/{formats}?fold=&at=1")
    page.get_by_role("button", name="Fold 0").click()
    types = page.get_by_role("group", name="Types")
    types.get_by_role("checkbox", name="vendor.odd 1").check()
    page.keyboard.press("Escape")
    expect(page).to_have_url(re.compile(r"fold=vendor\.odd"))
    expect(page.get_by_role("button", name="1 vendor.odd folded")).to_be_visible()


@pytest.mark.parametrize("scheme", SCHEMES)
def test_formats_have_no_fault_of_access(
    browser: Browser, service: Service, formats: str, scheme: str
) -> None:
    with opened(browser, service, color_scheme=scheme, reduced_motion="reduce") as page:
        page.goto(f"/threads/{formats}?read=true&fold=&at=1")
        expect(page.get_by_text("incorrect", exact=True)).to_be_visible()
        assert violations(page) == []
        page.keyboard.press("r")
        expect(page.get_by_role("region", name="Event", exact=True)).to_contain_text("incorrect")
        assert violations(page) == []
