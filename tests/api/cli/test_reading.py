"""The commands that read: threads, show, outline, why, model-call, view, diff."""

import json
import unicodedata
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from agentlog.domain.json.text import parse
from agentlog.projections.registry import VIEWS
from agentlog.projections.view import StateView
from tests.command_line import Outcome, agentlog, as_words
from tests.databases import new_database

EXAMPLES = Path(__file__).parents[3] / "examples"

RAW = "".join(map(chr, [*range(32), *range(127, 160)])) + "\u202e\u2066\u2028\u200f"
"""Characters that drive a terminal, or turn its text around."""


@pytest.fixture(scope="module")
def url(server_url: str, template_database: str) -> Iterator[str]:
    """A database with the examples."""
    with new_database(server_url, template=template_database) as made:
        assert agentlog("import", EXAMPLES, url=made).code == 0
        yield made


def refused(outcome: Outcome, *reasons: str) -> None:
    """The command said why on standard error, nothing on standard output, and ended with 2."""
    assert (outcome.code, outcome.out) == (2, "")
    for reason in reasons:
        assert reason in outcome.err
    assert "Traceback" not in outcome.err


# --- threads ------------------------------------------------------------------------------------


def test_threads_lists_those_that_moved_last_first(url: str) -> None:
    lines = agentlog("threads", "--json", url=url).lines
    assert [thread["threadId"] for thread in lines] == [
        "unruly",
        "research",
        "research-worker-1",
        "refund",
        "invoice",
        "deploy",
    ]
    assert lines[3]["goal"] == "Refund order 1042, with a person's leave"
    assert (lines[3]["status"], lines[3]["version"]) == ("closed", 16)


def test_a_list_that_ends_before_the_last_thread_says_where_to_go_on(url: str) -> None:
    listed: list[str] = []
    words: list[str] = []
    while True:
        outcome = agentlog("threads", "--json", "--limit", "4", *words, url=url)
        listed += [thread["threadId"] for thread in outcome.lines]
        if not outcome.err:
            break
        assert outcome.err.startswith("there are more: go on with --after ")
        words = outcome.err.split()[-2:]
    everything = agentlog("threads", "--json", url=url)
    assert everything.err == ""
    assert listed == [thread["threadId"] for thread in everything.lines]
    assert len(listed) == 6


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--filter", "status:open"], ["research", "invoice"]),
        (["--filter", "status:closed"], ["refund"]),
        (["--filter", "DATABASE"], ["research"]),
        (["--filter", "worker"], ["research-worker-1"]),
        (["--filter", "%"], []),
        (["--filter", "parent:research"], ["research-worker-1"]),
        (["--limit", "2"], ["unruly", "research"]),
        (["--filter", "deploy and status:exited"], ["deploy"]),
    ],
    ids=as_words,
)
def test_threads_are_filtered(url: str, options: list[str], expected: list[str]) -> None:
    outcome = agentlog("threads", "--json", *options, url=url)
    assert outcome.code == 0
    assert [line["threadId"] for line in outcome.lines] == expected


def test_threads_for_people_are_a_table(url: str) -> None:
    outcome = agentlog("threads", url=url)
    assert outcome.code == 0
    (row,) = [line for line in outcome.out.splitlines() if "unruly" in line]
    assert [cell.strip() for cell in row.split("│")[1:5]] == ["unruly", "exited", "9", "2"]


def test_a_status_that_there_is_not_is_refused(url: str) -> None:
    refused(
        agentlog("threads", "--filter", "status:ajar", url=url), "is one of open, exited, closed"
    )
    refused(agentlog("threads", "--limit", "0", url=url), "--limit")


# --- show ---------------------------------------------------------------------------------------


def test_show_tells_a_thread_and_its_messages(url: str) -> None:
    outcome = agentlog("show", "refund", url=url)
    assert outcome.code == 0
    first, second, *rest = outcome.out.splitlines()
    assert first == "refund closed, version 16, policy strict, 0 anomalies"
    assert second == "Refund order 1042, with a person's leave"
    events = [line.split() for line in rest if not line.startswith("        ")]
    assert [event[0] for event in events] == [str(version) for version in range(1, 17)]
    assert events[0][3] == "thread.started"
    assert "        Order 1042 came broken. I want my money back." in rest


def test_show_as_json_is_the_thread_and_then_its_events(url: str) -> None:
    head, *events = agentlog("show", "deploy", "--json", url=url).lines
    assert (head["threadId"], head["version"]) == ("deploy", len(events))
    assert [event["version"] for event in events] == list(range(1, len(events) + 1))
    assert [event["kind"] for event in events[:2]] == ["fact", "message"]
    assert events[1]["message"]["text"] == "Ship 2.4 to production."


def test_show_cuts_what_is_long_unless_all_of_it_is_asked_for(
    database_url: str, tmp_path: Path
) -> None:
    lines = [f"line {number}" for number in range(9)]
    history = [{"type": "reply", "text": "\n".join(lines)}, {"type": "log", "text": "x" * 999}]
    (tmp_path / "long.json").write_text(json.dumps(history))
    agentlog("import", tmp_path, url=database_url)
    short = agentlog("show", "long", url=database_url).out
    assert "line 3 …" in short
    assert "line 4" not in short
    assert "x" * 200 + " …" in short
    assert "x" * 201 not in short
    full = agentlog("show", "long", "--full", url=database_url).out
    assert all(f"        {line}\n" in full for line in lines)
    assert "x" * 999 in full
    assert "…" not in full


# --- outline ------------------------------------------------------------------------------------


def test_an_outline_is_a_line_a_step_with_what_failed(url: str) -> None:
    outcome = agentlog("outline", "deploy", url=url)
    assert outcome.code == 0
    lines = [line.split() for line in outcome.out.splitlines()]
    assert [line[1] for line in lines] == ["v2", "v3", "v6", "v8", "v8", "v12", "v13", "v14"]
    assert "[failed]" in lines[1]
    early = agentlog("outline", "deploy", "--at", "2", url=url).out
    assert early == "1         v2   0.0s  input\n"


def test_an_outline_as_json_is_what_http_answers(url: str) -> None:
    (outline,) = agentlog("outline", "refund", "--json", url=url).lines
    assert (outline["threadId"], outline["version"], outline["prices"]) == ("refund", 16, None)
    assert outline["steps"][1]["startedAt"] == "2026-01-05T08:00:03.600Z"
    assert [step["costUsd"] for step in outline["steps"][:2]] == [None, 0.00141]


def test_an_outline_in_a_pipe_is_cut_nowhere(database_url: str, tmp_path: Path) -> None:
    name = "a" * 300
    history = [{"type": "tool_calls", "calls": [{"id": "c", "name": name}]}]
    (tmp_path / "wide.json").write_text(json.dumps(history))
    agentlog("import", tmp_path, url=database_url)
    (line,) = agentlog("outline", "wide", url=database_url).out.splitlines()
    assert f"agent: {name} [open]" in line


def test_an_outline_of_no_thread_or_moment_is_refused(url: str) -> None:
    refused(agentlog("outline", "nope", url=url), "nope")
    refused(agentlog("outline", "deploy", "--at", "99", url=url), "99")


# --- why ----------------------------------------------------------------------------------------


def test_why_is_five_lines_with_the_versions_to_look_at(url: str) -> None:
    outcome = agentlog("why", "deploy", url=url)
    assert outcome.code == 0
    lines = [line.split() for line in outcome.out.splitlines()]
    assert [line[0] for line in lines] == ["outcome", "failure", "before", "in", "last"]
    assert lines[1][1:3] == ["v4", "run_tests"]
    assert "v4" not in agentlog("why", "deploy", "--at", "2", url=url).out


def test_why_as_json_is_what_http_answers(url: str) -> None:
    (why,) = agentlog("why", "deploy", "--json", url=url).lines
    assert (why["threadId"], why["version"]) == ("deploy", 14)
    assert why["failure"]["text"] == "smoke tests gave no answer within 4 s"
    assert why["failure"]["call"]["attempts"] == 2


def test_why_of_no_thread_or_moment_is_refused(url: str) -> None:
    refused(agentlog("why", "nope", url=url), "nope")
    refused(agentlog("why", "deploy", "--at", "99", url=url), "99")


# --- model-call -----------------------------------------------------------------------------------


def test_a_model_call_is_what_was_sent_by_parts_and_what_came_back(url: str) -> None:
    outcome = agentlog("model-call", "refund", "5", url=url)
    assert outcome.code == 0
    assert [line.split()[0] for line in outcome.out.splitlines()] == [
        *("request", "system", "user", "context", "doubt", "before", "answer"),
    ]
    assert "412 of 128,000 tokens (0.3%), 256 cached" in outcome.out
    last = agentlog("model-call", "refund", url=url).out
    assert "goes on from the request answered there: 4 of 4 messages come again, 2 follow" in last


def test_a_model_call_as_json_is_what_http_answers(url: str) -> None:
    (call,) = agentlog("model-call", "refund", "5", "--json", url=url).lines
    assert (call["threadId"], call["source"]) == ("refund", "reconstructed")


def test_a_model_call_of_nothing_is_refused(url: str) -> None:
    refused(agentlog("model-call", "nope", url=url), "nope")
    refused(agentlog("model-call", "deploy", "99", url=url), "99")
    refused(agentlog("model-call", "deploy", "0", url=url), "greater than or equal to 1")
    refused(agentlog("model-call", "t", url=url), "there is no thread")


# --- view and diff ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", list(VIEWS))
def test_every_view_prints_json_lines(url: str, name: str) -> None:
    outcome = agentlog("view", "unruly", name, url=url)
    assert outcome.code == 0
    assert all(isinstance(item, dict) for item in outcome.lines)
    assert (len(outcome.lines) == 1) is issubclass(VIEWS[name], StateView)


def test_a_view_takes_options_and_a_moment(url: str) -> None:
    assert (
        agentlog("view", "refund", url=url).out == agentlog("view", "refund", "openai", url=url).out
    )
    named = agentlog("view", "unruly", "openai", "-o", "tool_names=true", url=url).lines
    assert any(item.get("name") == "weather" for item in named)
    marked = agentlog(
        "view", "unruly", "openai", "-o", "mark=true", "--option", "tool_names=true", url=url
    ).lines
    assert len(marked) == len(named)
    early = agentlog("view", "unruly", "openai", "--at", "2", url=url).lines
    assert early == named[:1]
    assert agentlog("view", "unruly", "openai", "--at", "0", url=url).out == ""


def test_a_moment_is_a_version_a_position_a_message_or_a_time(url: str) -> None:
    _, *events = agentlog("show", "deploy", "--json", url=url).lines
    third = events[2]
    for moment in ("3", f"@{third['position']}", third["message"]["id"]):
        shown = agentlog("show", "deploy", "--at", moment, "--json", url=url).lines
        assert [event["version"] for event in shown[1:]] == [1, 2, 3]
    past = agentlog("show", "deploy", "--at", "2001-01-01T00:00:00Z", "--json", url=url).lines
    assert past[1:] == []
    now = datetime.now(UTC).isoformat()
    assert len(agentlog("view", "deploy", "kernel", "--at", now, url=url).lines) == 13


def test_a_diff_of_states_is_a_patch_and_one_of_items_lists_them(url: str) -> None:
    (state,) = agentlog("diff", "deploy", "--from", "8", "--to", "10", url=url).lines
    assert (state["from"], state["to"]) == (8, 10)
    assert {"op": "replace", "path": "/rejection_count", "value": 1} in state["patch"]
    (items,) = agentlog("diff", "unruly", "openai", "--from", "3", "--to", "5", url=url).lines
    assert [added["item"]["role"] for added in items["added"]] == ["tool", "tool", "user"]
    assert items["removed"] == []
    (whole,) = agentlog("diff", "unruly", "openai", url=url).lines
    assert (whole["from"], whole["to"]) == (0, 9)
    shown = agentlog("view", "unruly", "openai", url=url).lines
    assert [added["item"] for added in whole["added"]] == shown
    (back,) = agentlog("diff", "unruly", "openai", "--from", "5", "--to", "2", url=url).lines
    assert (len(back["removed"]), back["added"]) == (4, [])


NEXT_CENTURY = "2126-01-01T00:00:00Z"


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["show", "nope"], "there is no thread 'nope'"),
        (["view", "nope"], "there is no thread 'nope'"),
        (["diff", "nope"], "there is no thread 'nope'"),
        (["export", "threads", "nope"], "there is no thread 'nope'"),
        (["show", "refunds"], "there is no thread 'refunds': similar are refund"),
        (["outline", "reserch"], "similar are research"),
        (["show", "a b"], "'a b' is no thread id"),
        (["view", "refund", "opanai"], "there is no view 'opanai': choose one of kernel, openai"),
        (["view", "refund", "openai", "-o", "names=true"], "does not take the option 'names'"),
        (
            ["view", "refund", "openai", "-o", "mark=maybe"],
            "it takes messages=said|sent, repair=true|false",
        ),
        (["view", "refund", "openai", "-o", "mark"], "give NAME=VALUE"),
        (["view", "refund", "openletta", "-o", "a=b"], "does not take the option 'a'"),
        (["view", "refund", "--at", "99"], "version 99 is not there yet: thread 'refund' is at"),
        (["show", "refund", "--at", "@999"], "position 999 is not there yet: the log is at"),
        (["show", "refund", "--at", "soon"], "'soon' is no point of a history"),
        (["show", "refund", "--at", NEXT_CENTURY], "is not there yet: the store's clock says"),
        (["show", "refund", "--at", "0" * 26], "has no message"),
        (["diff", "refund", "--from", "99"], "version 99 is not there yet"),
        (["diff", "refund", "--to", "-1"], "'-1' is no point of a history"),
        (["show", "'; DROP TABLE agentlog.events; --"], "is no thread id"),
    ],
    ids=as_words,
)
def test_what_is_not_there_is_refused_with_the_way_out(
    url: str, arguments: list[str], reason: str
) -> None:
    refused(agentlog(*arguments, url=url), reason)


# --- what a message cannot do -------------------------------------------------------------------


def test_no_control_character_of_a_message_reaches_the_terminal(
    database_url: str, tmp_path: Path
) -> None:
    text = f"\x1b]0;owned\x07{RAW} end"
    own = {
        "threadId": "evil",
        "goal": text,
        "metadata": {text: text},
        "messages": [
            {"type": "reply", "text": text},
            {"type": "tool_calls", "calls": [{"id": text, "name": text, "args": {text: text}}]},
            {"type": "tool_calls", "calls": [{"id": text, "name": text}]},
            {"type": "vendor.x", "payload": text},
        ],
    }
    (tmp_path / "evil.json").write_text(json.dumps(own))
    assert agentlog("import", tmp_path, url=database_url).code == 0
    outcomes = [
        agentlog("threads", url=database_url),
        agentlog("threads", "--json", url=database_url),
        agentlog("show", "evil", url=database_url),
        agentlog("show", "evil", "--full", url=database_url),
        agentlog("show", "evil", "--json", url=database_url),
        agentlog("export", "threads", url=database_url),
        agentlog("outline", "evil", url=database_url),
        agentlog("outline", "evil", "--json", url=database_url),
        agentlog("why", "evil", url=database_url),
        agentlog("why", "evil", "--json", url=database_url),
        agentlog("model-call", "evil", url=database_url),
        agentlog("model-call", "evil", "--json", url=database_url),
        agentlog("diff", "evil", url=database_url),
        agentlog("diff", "evil", "openai", url=database_url),
        agentlog("compare", "evil@0", "evil", url=database_url),
        agentlog("compare", "evil@0", "evil", "--json", url=database_url),
        *(agentlog("view", "evil", view, url=database_url) for view in VIEWS if view != "source"),
        agentlog("view", "evil", "openai", "-o", f"{text}=x", url=database_url),
        agentlog("show", text, url=database_url),
    ]
    for outcome in outcomes:
        printed = outcome.out + outcome.err
        assert printed
        assert [c for c in printed if c != "\n" and unicodedata.category(c)[0] == "C"] == []
        assert "\u2028" not in printed
    assert parse(outcomes[5].out)["messages"][0]["text"] == text
    assert "owned" in outcomes[2].out


def test_a_bad_record_cannot_drive_the_terminal_either(database_url: str, tmp_path: Path) -> None:
    odd = tmp_path / "odd \x1b[31m.json"
    odd.write_text(json.dumps([{"type": "\x1b[31mred\x9b31m", "text": "x"}]))
    for wire in ("kernel", "auto"):
        outcome = agentlog("import", odd, "--format", wire, url=database_url)
        assert outcome.code == 1
        assert wire == "auto" or r"\x1b[31mred\x9b31m" in outcome.err
        assert r"odd \x1b[31m.json" in outcome.err
        assert "\x1b" not in outcome.err
        assert "\x9b" not in outcome.err
