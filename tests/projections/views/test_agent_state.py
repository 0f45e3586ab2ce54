"""The agent's state, held against the plainest fold there is."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlog.domain.cognition import AgentState, Message
from agentlog.domain.events import Event
from agentlog.domain.json.text import print_bytes, print_text
from agentlog.projections.readers.messages.chat import READER
from agentlog.projections.view import render
from agentlog.projections.views.agent_state import AgentStateOptions, AgentStateView
from tests.airline import airline_runs
from tests.histories import drafts, event, histories, history, metadata

VIEW = AgentStateView()

Draft = dict[str, Any]

limits = st.dictionaries(
    st.sampled_from(["maxSteps", "maxDelegations", "maxRejections"]),
    st.integers(0, 2**70) | st.none(),
)
starts = st.fixed_dictionaries({"type": st.just("thread.started")}, optional={"limits": limits})


@st.composite
def started_histories(draw: st.DrawFn) -> list[Event]:
    """Draw histories with the thread's own facts among the messages."""
    chosen = draw(st.lists(drafts | starts, max_size=12))
    return history(*({**draft, "metadata": draw(metadata)} for draft in chosen))


def plain_states(events: Sequence[Event]) -> Iterator[AgentState]:
    """Yield the state before the first event and after each, straight from the stored JSON."""
    fold = _PlainFold()
    yield fold.state
    for recorded in events:
        if recorded.message is not None:
            fold.take(recorded.raw, recorded.metadata.get("responseId"))
        yield fold.state


class _PlainFold:
    """The table of the design, a method a row."""

    def __init__(self) -> None:
        self.state = AgentState.new()
        self.open: dict[str, str] = {}
        self.response: str | None = None

    def take(self, raw: Draft, response: object) -> None:
        row = getattr(self, raw["type"].replace(".", "_"), None)
        if raw["type"] in {"reply", "tool_calls"}:
            row(raw, response)  # type: ignore[misc]  # both rows are there
        elif row is not None:
            row(raw)

    def system(self, raw: Draft) -> None:
        self.say("system", raw["text"])

    def input(self, raw: Draft) -> None:
        lines = [raw["text"]] if raw.get("text") else []
        for file in raw.get("files") or []:
            name = file.get("filename") or "file"
            lines.append(f"[file: {name} ({file.get('mimeType') or 'application/octet-stream'})]")
        self.state = self.state.increment_step().with_pending_llm(pending=True)
        self.say("user", "\n".join(lines))

    def reply(self, raw: Draft, response: object) -> None:
        self.respond(raw["text"], response)

    def tool_calls(self, raw: Draft, response: object) -> None:
        lines = []
        for call in raw["calls"]:
            arguments = call.get("argumentsText")
            if arguments is None:
                arguments = print_text(call["args"]) if "args" in call else "{}"
            lines.append(f"{call['name']}({arguments})")
            self.open[call["id"]] = call["name"]
        self.respond("\n".join(lines), response)

    def respond(self, text: str, response: object) -> None:
        if not isinstance(response, str):
            self.state = self.state.increment_step()
        elif response != self.response:
            self.state = self.state.increment_step()
            self.response = response
        self.state = self.state.with_pending_llm(pending=False)
        self.say("assistant", text)

    def tool_results(self, raw: Draft) -> None:
        for result in raw["results"]:
            name, call_id = result.get("name"), result.get("callId")
            if call_id is None and name is not None:
                call_id = next((i for i, asked in self.open.items() if asked == name), None)
            asked = self.open.pop(call_id or "", None)
            told = name if name is not None else asked if asked is not None else "unknown"
            error, output = result.get("error"), result.get("output")
            if error is not None:
                reason = error if isinstance(error, str) else error["message"]
                words = f"Tool '{told}' failed: {reason}"
            else:
                text = output if isinstance(output, str) else print_text(output)
                words = f"Tool '{told}' succeeded: {text}"
            self.state = self.state.increment_step()
            self.say("tool", words)
        if not self.open:
            self.state = self.state.with_pending_llm(pending=True)

    def note(self, text: str) -> None:
        before = self.state.scratchpad
        self.state = replace(self.state, scratchpad=f"{before}\n{text}" if before else text)

    def reasoning(self, raw: Draft) -> None:
        self.note(raw["summary"])

    def scratchpad(self, raw: Draft) -> None:
        if raw["mode"] == "append":
            self.note(raw["text"])
        else:
            self.state = replace(self.state, scratchpad=raw["text"])

    def approval_request(self, raw: Draft) -> None:
        del raw
        self.state = self.state.with_pending_approval(pending=True)

    def approval_response(self, raw: Draft) -> None:
        self.state = self.state.with_pending_approval(pending=False)
        if raw["approved"]:
            self.state = self.state.increment_step()
        else:
            self.state = self.state.with_rejection().with_pending_llm(pending=True)

    def worker_spawned(self, raw: Draft) -> None:
        del raw
        self.state = self.state.with_delegation()

    def worker_result(self, raw: Draft) -> None:
        del raw
        self.state = self.state.increment_step().with_pending_llm(pending=True)

    def llm_request(self, raw: Draft) -> None:
        del raw
        self.state = self.state.with_pending_llm(pending=True)

    def llm_response(self, raw: Draft) -> None:
        del raw
        self.state = self.state.with_pending_llm(pending=False)

    def shutdown(self, raw: Draft) -> None:
        del raw
        self.state = self.state.with_shutdown_requested()

    def exit(self, raw: Draft) -> None:
        del raw
        self.state = self.state.with_pending_llm(pending=False)
        self.state = self.state.with_pending_approval(pending=False)

    def thread_started(self, raw: Draft) -> None:
        given_limits = raw.get("limits") or {}
        self.state = self.state.with_limits(
            max_steps=given_limits.get("maxSteps"),
            max_delegations=given_limits.get("maxDelegations"),
            max_rejections=given_limits.get("maxRejections"),
        )

    def say(self, role: Any, content: str) -> None:
        self.state = self.state.with_message(Message(role, content))


def check_every_version(events: Sequence[Event]) -> None:
    """Compare with the plain fold before the first event and after each."""
    carry = VIEW.start()
    states = plain_states(events)
    assert VIEW.agent_state(carry) == next(states)
    for recorded in events:
        carry, items = VIEW.fold(carry, recorded)
        assert not items
        assert VIEW.agent_state(carry) == next(states)


@given(events=histories() | started_histories())
def test_the_state_is_that_of_the_plain_fold_at_every_version(events: list[Event]) -> None:
    check_every_version(events)


def test_the_state_of_real_histories_is_that_of_the_plain_fold_at_every_version() -> None:
    shared = told = 0
    for run in airline_runs():
        events = [event(index + 1, draft) for index, draft in enumerate(READER.read(run["traj"]))]
        check_every_version(events)
        shared += len(events) - len(run["traj"])
        told += sum(bool(item["content"] and item.get("tool_calls")) for item in run["traj"])
    assert shared == told  # turns with text and calls, which step once


@given(events=started_histories(), data=st.data())
def test_an_older_carry_stays_what_it_was_after_folding_on(
    events: list[Event], data: st.DataObject
) -> None:
    cut = data.draw(st.integers(0, len(events)))
    middle = render(VIEW, events[:cut]).carry
    before = VIEW.dump(middle)
    render(VIEW, events[cut:], middle)
    other = render(VIEW, history(*[{"type": "reply", "text": "other"}] * 40), middle).carry
    assert VIEW.dump(middle) == before
    assert VIEW.agent_state(other).history[:-40] == VIEW.agent_state(middle).history
    assert VIEW.dump(VIEW.load(before)) == before


@given(events=started_histories())
def test_without_history_the_state_is_the_same_but_for_that_list(events: list[Event]) -> None:
    short = AgentStateView(AgentStateOptions(history=False))
    whole_state = VIEW.state(render(VIEW, events).carry)
    assert short.state(render(short, events).carry) == {**whole_state, "history": []}


def test_without_history_the_carry_does_not_grow() -> None:
    short = AgentStateView(AgentStateOptions(history=False))
    turn: list[Draft] = [
        {"type": "input", "text": "hi"},
        {"type": "tool_calls", "calls": [{"id": "a", "name": "search"}]},
        {"type": "tool_results", "results": [{"callId": "a", "output": "x"}]},
        {"type": "reply", "text": "found"},
    ]
    once, often = (short.dump(render(short, history(*turn * n)).carry) for n in (1, 200))
    assert len(often) < len(once) + 10


def state_after(*past: Draft) -> dict[str, Any]:
    return VIEW.state(render(VIEW, history(*past)).carry)


CALLS: Draft = {
    "type": "tool_calls",
    "calls": [
        {"id": "a", "name": "search", "args": {"q": "x"}},
        {"id": "b", "name": "book", "argumentsText": "{oops"},
        {"id": "c", "name": "noop"},
    ],
}


def result(**fields: Any) -> Draft:
    return {"type": "tool_results", "results": [{"output": 1, **fields}]}


def test_a_whole_turn_gives_the_state_that_the_kernel_would_hold() -> None:
    image = {"data": "QQ==", "filename": "a.png", "mimeType": "image/png"}
    state = state_after(
        {"type": "thread.started", "limits": {"maxSteps": 9}},
        {"type": "system", "text": "Be kind."},
        {"type": "input", "text": "Look", "files": [image, {"data": ""}]},
        {"type": "reasoning", "title": "t", "summary": "First"},
        {"type": "reply", "text": "I look.", "metadata": {"responseId": "r1"}},
        {**CALLS, "metadata": {"responseId": "r1"}},
        result(callId="a", output={"n": 1}),
        result(callId="b", error={"message": "gone"}),
        {"type": "scratchpad", "text": "then", "mode": "append"},
    )
    assert print_bytes(state) == print_bytes(
        {
            "history": [
                {"role": "system", "content": "Be kind."},
                {
                    "role": "user",
                    "content": "Look\n[file: a.png (image/png)]\n"
                    "[file: file (application/octet-stream)]",
                },
                {"role": "assistant", "content": "I look."},
                {"role": "assistant", "content": 'search({"q":"x"})\nbook({oops)\nnoop({})'},
                {"role": "tool", "content": "Tool 'search' succeeded: {\"n\":1}"},
                {"role": "tool", "content": "Tool 'book' failed: gone"},
            ],
            "step_count": 4,
            "max_steps": 9,
            "delegation_count": 0,
            "max_delegations": 10,
            "rejection_count": 0,
            "max_rejections": 2,
            "scratchpad": "First\nthen",
            "shutdown_requested": False,
            "pending_llm": False,
            "pending_approval": False,
        }
    )


def test_the_model_is_awaited_once_no_call_is_open() -> None:
    some = [CALLS, result(callId="a"), result(callId="c")]
    assert state_after(*some)["pending_llm"] is False
    assert state_after(*some, result(callId="b"))["pending_llm"] is True
    assert state_after(*some, result(name="book"))["pending_llm"] is True
    assert state_after(*some, result(name="other"))["pending_llm"] is False


@pytest.mark.parametrize(
    ("fields", "name"),
    [
        ({"callId": "a"}, "search"),
        ({"callId": "a", "name": "own"}, "own"),
        ({"callId": "x"}, "unknown"),
        ({"name": "book"}, "book"),
        ({}, "unknown"),
    ],
)
def test_a_result_is_named_by_itself_then_by_its_call(fields: Draft, name: str) -> None:
    last = state_after(CALLS, result(**fields))["history"][-1]
    assert last == {"role": "tool", "content": f"Tool '{name}' succeeded: 1"}


def test_each_model_response_steps_once_and_each_result_too() -> None:
    reply = {"type": "reply", "text": "x"}
    first, second = (
        {**reply, "metadata": {"responseId": response_id}} for response_id in ("r1", "r2")
    )
    assert state_after(first, first, {"type": "log", "text": ""}, first)["step_count"] == 1
    assert state_after(first, second)["step_count"] == 2
    assert state_after(reply, reply)["step_count"] == 2
    assert state_after(first, reply, first)["step_count"] == 2
    two = {"type": "tool_results", "results": [{"output": 1}, {"output": 2}]}
    assert state_after(two)["step_count"] == 2


def test_a_denial_counts_until_the_next_step() -> None:
    asks = {"type": "approval_request", "callId": "a", "tool": "t"}
    denied = {"type": "approval_response", "callId": "a", "approved": False}
    state = state_after(asks)
    assert (state["pending_approval"], state["pending_llm"]) == (True, False)
    state = state_after(asks, denied, denied)
    assert (state["pending_approval"], state["pending_llm"]) == (False, True)
    assert (state["rejection_count"], state["step_count"]) == (2, 0)
    state = state_after(asks, denied, {**denied, "approved": True})
    assert (state["rejection_count"], state["step_count"]) == (0, 1)


def test_workers_count_until_the_next_step() -> None:
    spawned = {"type": "worker_spawned", "workerId": "w", "objective": "o"}
    returned = {"type": "worker_result", "workerId": "w", "output": None}
    assert state_after(spawned, spawned)["delegation_count"] == 2
    state = state_after(spawned, spawned, returned)
    assert (state["delegation_count"], state["step_count"], state["pending_llm"]) == (0, 1, True)
    assert state["history"] == []


def test_an_exit_waits_for_nobody_and_a_shutdown_is_remembered() -> None:
    asks = {"type": "approval_request", "callId": "a", "tool": "t"}
    past = [{"type": "llm_request"}, asks, {"type": "shutdown"}]
    state = state_after(*past)
    assert (state["pending_llm"], state["pending_approval"]) == (True, True)
    state = state_after(*past, {"type": "exit", "reason": "user_request"})
    assert (state["pending_llm"], state["pending_approval"]) == (False, False)
    assert state["shutdown_requested"] is True


def test_an_empty_note_on_an_empty_scratchpad_leaves_no_line() -> None:
    nothing, something = (
        {"type": "reasoning", "title": "", "summary": summary} for summary in ("", "a")
    )
    assert state_after(nothing, something)["scratchpad"] == "a"
    assert state_after(something, nothing)["scratchpad"] == "a\n"
    cleared = {"type": "scratchpad", "text": "", "mode": "replace"}
    assert state_after(something, cleared, something)["scratchpad"] == "a"
    assert state_after(something, {**cleared, "text": "b"}, something)["scratchpad"] == "b\na"


@pytest.mark.parametrize(
    "quiet",
    [
        {"type": "log", "text": "x"},
        {"type": "tick"},
        {"type": "runtime_error", "error": "x"},
        {"type": "vendor.thing", "payload": 1},
        {"type": "thread.annotated", "metadata": {"a": 1}},
        {"type": "thread.closed"},
    ],
)
def test_what_is_none_of_the_kernels_business_changes_nothing(quiet: Draft) -> None:
    past = [{"type": "input", "text": "hi"}, CALLS]
    assert state_after(*past, quiet) == state_after(*past)
    assert VIEW.dump(render(VIEW, history(*past, quiet)).carry) == VIEW.dump(
        render(VIEW, history(*past)).carry
    )
