"""The rules of suspicion, by example and measured on real results."""

import json
import os
import re
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlog.domain.drafts import prepare
from agentlog.domain.events import Event
from agentlog.domain.json.beginning import BEGINNING_BYTES, beginning_of, readable
from agentlog.domain.json.text import parse_stored, print_bytes
from agentlog.projections.outcomes.suspicion import RESULT_RULES, Past, suspicions
from agentlog.projections.readers.messages import chat
from agentlog.projections.readmodels.tool_calls import ToolCalls
from agentlog.projections.view import Item, render
from agentlog.projections.views.timeline.view import TimelineView
from tests.airline import airline_runs
from tests.histories import history, json_values
from tests.projections.readmodels.folding import rows_of

ROOT = Path(__file__).parents[3]
LABELS = Path(__file__).parent / "airline_labels.json"


@pytest.mark.parametrize(
    ("output", "rules"),
    [
        ("Error: no such user", ["error_text"]),
        ("ValueError: no such user", ["error_text"]),
        ("requests.exceptions.HTTPError: 404", ["error_text"]),
        ("<tool_use_error>no such file", ["error_text"]),
        ("error: pathspec 'x' did not match", ["error_text"]),
        ("Errors are values", []),
        ("errors", []),
        ("Failed to connect", ["failure_text"]),
        ("Failover is configured", []),
        ("Traceback (most recent call last):\n  File", ["traceback"]),
        ("bash: rg: command not found", ["shell_refusal"]),
        ("cat: x: No such file or directory", ["shell_refusal"]),
        ('{"error": "no such user"}', ["error_field"]),
        ('{"error": null, "user": 1}', []),
        ('{"errors": []}', []),
        ({"error": "x"}, ["error_field"]),
        ({"isError": True, "content": [{"type": "text", "text": "no"}]}, ["error_field"]),
        ([{"type": "text", "text": "Error: no"}], ["error_text"]),
        ('{"status": "error"}', ["failure_field"]),
        ('{"status": "Failed"}', ["failure_field"]),
        ('{"status": "available"}', []),
        ('{"success": false}', ["failure_field"]),
        ('{"success": true}', []),
        ({"exit_code": 1, "stdout": ""}, ["exit_code"]),
        ({"exit_code": 0}, []),
        ({"exitCode": True}, []),
        ("Process exited with code 2\nOutput:", ["exit_code"]),
        ("Exit code: 127", ["exit_code"]),
        ("exit code 0", []),
        ("Exit 12 is closed", []),
        ({"status": 404}, ["http_status"]),
        ({"status": 200}, []),
        ("HTTP/1.1 503 Service Unavailable", ["http_status"]),
        ("404 Not Found", ["http_status"]),
        ("404 flights", []),
        ("401", []),
        ("", []),
        (None, []),
        (404, []),
        ([], []),
        ('{"error": "cut off here and n', ["error_field"]),
        ('{"a": 1, "exit_code": 1' + ", " + '"b": "' + "x" * 900, ["exit_code"]),
        ("x" * 900 + "\nTraceback (most recent call last):", ["traceback"]),
        ("x" * 1024 + "\nTraceback (most recent call last):", []),
        ('{"a": "' + "x" * 1900 + '", "error": "too late to be seen"}', []),
    ],
)
def test_a_rule_marks_what_it_is_about(output: Any, rules: list[str]) -> None:
    assert list(suspicions(output)[0]) == rules


def test_every_rule_has_its_reason_and_is_documented() -> None:
    assert all(rule.__doc__ for rule in RESULT_RULES.values())
    text = (ROOT / "docs" / "how-to" / "find-what-went-wrong.md").read_text()
    others = ["repeated_in_a_row", "repeated_often", "loop", "unanswered", "slow", "dear"]
    assert re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE) == [*RESULT_RULES, *others]


@given(json_values)
def test_no_output_is_too_odd(output: Any) -> None:
    suspicions(output)
    suspicions(json.dumps(output, default=str))


@given(st.text(st.sampled_from('a"\\\n\x01\x00\u00e9\U0001f600u0{}:'), max_size=400))
def test_a_beginning_is_the_same_of_a_text_and_of_its_beginning(text: str) -> None:
    written = print_bytes(text)[1:-1]
    begun = parse_stored(b'"%b"' % readable(written[:BEGINNING_BYTES]))
    assert text.startswith(begun)
    assert beginning_of(text) == beginning_of(begun) == begun


def _called(digests: Sequence[str | None]) -> tuple[str, ...]:
    """Return the rules that the last of some calls meets."""
    past = Past()
    rules: tuple[str, ...] = ()
    for digest in digests:
        past, rules = past.called(digest)
    return rules


@pytest.mark.parametrize(
    ("calls", "rules"),
    [
        ("aa", ()),
        ("aaa", ("repeated_in_a_row",)),
        ("aabaca", ()),
        ("abacadaea", ("repeated_often",)),
        ("ababa", ()),
        ("ababab", ("loop",)),
        ("abcabcabc", ("loop",)),
        ("abcdabcdabcd", ("loop",)),
        ("abcdeabcdeabcde", ()),
        ("aaaaa", ("repeated_in_a_row", "repeated_often")),
    ],
)
def test_repetitions_are_marked_from_the_call_that_completes_them(
    calls: str, rules: tuple[str, ...]
) -> None:
    assert _called(list(calls)) == rules


def test_an_erased_call_is_like_no_other() -> None:
    assert _called(["a", "a", None, "a"]) == ()
    assert _called(["a", None] * 3 + ["a"]) == ()
    assert _called([None] * 5) == ()


def test_what_a_thread_remembers_is_bounded() -> None:
    past = Past()
    for n in range(5000):
        past, _ = past.called(f"{n:012}")
        past, _ = past.took("ms", float(n))
    assert len(print_bytes(past)) < 5000
    assert _called([*"aaaa", *(f"{n}" for n in range(200)), "a"]) == ()


@pytest.mark.parametrize(
    ("measure", "usual", "figure", "rules"),
    [
        ("ms", 100.0, 6000.0, ("slow",)),
        ("ms", 100.0, 4000.0, ()),
        ("ms", 1000.0, 6000.0, ()),
        ("usd", 0.001, 0.06, ("dear",)),
        ("usd", 0.001, 0.04, ()),
    ],
)
def test_a_figure_far_above_the_usual_is_marked(
    measure: Any, usual: float, figure: float, rules: tuple[str, ...]
) -> None:
    past = Past()
    for _ in range(7):
        past, _ = past.took(measure, usual)
    assert past.took(measure, figure)[1] == ()
    past, _ = past.took(measure, usual)
    assert past.took(measure, figure)[1] == rules


OUTPUTS = ["Error: no", '{"status": "error"}', "exit code 3", {"ok": False, "error": "x"}, "fine"]


@pytest.mark.parametrize("output", OUTPUTS)
def test_the_read_model_and_the_timeline_agree(output: Any) -> None:
    events = history(
        {"type": "tool_calls", "calls": [{"id": "a", "name": "x"}]},
        {"type": "tool_results", "results": [{"callId": "a", "output": output}]},
    )
    (row,) = rows_of(ToolCalls(), events)
    (placed,) = render(TimelineView(), events).items
    assert (row.suspected or "").split() == placed.item["suspected"]


@pytest.mark.skipif(
    "AGENTLOG_TEST_RUNS" not in os.environ,
    reason="AGENTLOG_TEST_RUNS does not name the runs that were labelled",
)
def test_precision_and_recall_on_200_results_labelled_by_hand() -> None:
    """The sample: all results that a rule marks, the others drawn from the rest.

    Texts that report a failure all begin with "Error:" in these runs.
    """
    labels = json.loads(LABELS.read_bytes())
    assert len(labels) == 200
    marked: dict[str, list[bool]] = {}
    failures = hits = 0
    for number in sorted({label["run"] for label in labels}):
        calls = _calls_of(airline_runs()[number]["traj"])
        for label in (label for label in labels if label["run"] == number):
            text = airline_runs()[number]["traj"][label["message"]]["content"]
            assert sha256(text.encode()).hexdigest().startswith(label["sha256"])
            suspected = calls[label["message"]]["suspected"]
            failures += label["failed"]
            hits += label["failed"] and bool(suspected)
            for rule in suspected:
                marked.setdefault(rule, []).append(label["failed"])
    assert {rule: (sum(right), len(right)) for rule, right in marked.items()} == {
        "error_text": (73, 73),
        "loop": (1, 2),
    }
    assert (hits, failures) == (73, 73)


def _calls_of(wire: list[Any]) -> dict[int, Item]:
    """Return the timeline's item of each result, by its index."""
    events = []
    for version, draft in enumerate(chat.READER.read(wire), 1):
        made = prepare(draft, message_id="01KE6Q4Z8N2V7X3B5C9D1F0G2H", timestamp=0)
        events.append(Event("airline", version, made.message.type, made.body, made.message.id))
    places = [index for index, item in enumerate(wire) if item["role"] == "tool"]
    calls = [item.item for item in render(TimelineView(), events).items]
    answered = [item for item in calls if item["kind"] == "call" and item["endVersion"]]
    return dict(zip(places, answered, strict=True))
