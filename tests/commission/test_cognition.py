"""002: mylm's state, inputs and decisions, by the document's own declarations."""

import re
from dataclasses import FrozenInstanceError, fields
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlog.domain import cognition
from agentlog.domain.cognition import AgentDecision, AgentState, InputEvent, Message
from tests.histories import texts

STATE = """
history: Vec<Message>, step_count: usize, max_steps: usize, delegation_count: usize,
max_delegations: usize, rejection_count: usize, max_rejections: usize, scratchpad: String,
shutdown_requested: bool, pending_llm: bool, pending_approval: bool
"""
INPUTS = "UserMessage WorkerResult ToolResult ApprovalResult LLMResponse Shutdown Tick"
DECISIONS = "CallTool SpawnWorker RequestApproval RequestLLM EmitResponse Exit None"
OURS = {"None": "Nothing"}
"""Names that Python has taken."""
TYPES = {"usize": int, "bool": bool, "String": str, "Vec<Message>": tuple}
UPDATES: dict[str, tuple[str, dict[str, object]]] = {
    "history": ("with_message", {"message": Message("user", "x")}),
    "rejection_count": ("with_rejection", {}),
    "delegation_count": ("with_delegation", {}),
    "scratchpad": ("with_scratchpad", {"text": "x"}),
    "pending_llm": ("with_pending_llm", {"pending": True}),
    "pending_approval": ("with_pending_approval", {"pending": True}),
    "shutdown_requested": ("with_shutdown_requested", {}),
    "max_steps": ("with_limits", {"max_steps": 3}),
    "max_delegations": ("with_limits", {"max_delegations": 3}),
    "max_rejections": ("with_limits", {"max_rejections": 3}),
    "step_count": ("increment_step", {}),
}
"""How each field of a state is updated: "Immutable updates via `with_*` methods"."""


def test_a_state_has_the_fields_of_the_document_in_its_order() -> None:
    declared = re.findall(r"(\w+): ([\w<>]+)", STATE)
    state = AgentState.new(50)
    assert [field.name for field in fields(AgentState)] == [name for name, _ in declared]
    for name, kind in declared:
        assert type(getattr(state, name)) is TYPES[kind], name
    assert list(state.to_json()) == [name for name, _ in declared]


def test_every_input_and_decision_of_the_document_is_there() -> None:
    for names, union in ((INPUTS, InputEvent), (DECISIONS, AgentDecision)):
        for name in names.split():
            assert getattr(cognition, OURS.get(name, name)) in get_args(union), name


@pytest.mark.parametrize("field", [field.name for field in fields(AgentState)])
def test_each_field_is_updated_in_a_copy(field: str) -> None:
    before = AgentState.new(50)
    name, values = UPDATES[field]
    after = (
        getattr(before, name)(*values.values())
        if name
        in {
            "with_message",
            "with_scratchpad",
        }
        else getattr(before, name)(**values)
    )
    assert before == AgentState.new(50)
    assert {
        other.name
        for other in fields(AgentState)
        if getattr(after, other.name) != getattr(before, other.name)
    } == {field}
    with pytest.raises(FrozenInstanceError):
        setattr(before, field, None)


@given(st.lists(texts, max_size=4))
def test_notes_stand_on_lines_of_their_own(notes: list[str]) -> None:
    state = AgentState.new(50)
    for note in notes:
        state = state.with_scratchpad(note)
    kept = state.scratchpad
    assert kept == "\n".join(notes).lstrip("\n") if not notes or not notes[0] else "\n".join(notes)


@given(
    steps=st.integers(0, 3),
    rejections=st.integers(0, 3),
    most=st.integers(0, 3),
    shutdown=st.booleans(),
)
def test_a_state_can_go_on_until_a_limit_or_a_shutdown(
    *, steps: int, rejections: int, most: int, shutdown: bool
) -> None:
    state = AgentState.new(most)
    for _ in range(steps):
        state = state.increment_step()
    for _ in range(rejections):
        state = state.with_rejection()
    if shutdown:
        state = state.with_shutdown_requested()
    # mylm: !shutdown_requested and step_count < max_steps and rejection_count < max_rejections
    assert state.can_continue is (not shutdown and steps < most and rejections < 2)
