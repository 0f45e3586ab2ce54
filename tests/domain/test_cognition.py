"""The cognitive kernel: what each input makes of a state."""

from dataclasses import fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlog.domain.cognition import (
    AgentDecision,
    AgentState,
    ApprovalRequest,
    ApprovalResult,
    CallTool,
    CognitiveEngine,
    CognitiveError,
    ContextOverflow,
    Denied,
    EmitResponse,
    Exit,
    Failed,
    Granted,
    InputEvent,
    InvalidState,
    LimitExceeded,
    LLMRequest,
    LLMResponse,
    MalformedAction,
    Message,
    Nothing,
    RequestApproval,
    RequestLLM,
    RuleEngine,
    RuntimeFailure,
    Shutdown,
    StepLimit,
    StubEngine,
    Tick,
    ToolCall,
    ToolCancelled,
    ToolFailure,
    ToolResult,
    ToolSuccess,
    UserMessage,
    UserRequest,
    WorkerError,
    WorkerResult,
)
from agentlog.domain.errors import AgentlogError
from agentlog.domain.json.text import print_text
from tests.histories import texts

BEGUN = AgentState.new(5).increment_step().with_delegation().with_rejection()

states = st.builds(
    AgentState,
    history=st.lists(st.builds(Message, st.sampled_from(["user", "tool"]), texts), max_size=3).map(
        tuple
    ),
    step_count=st.integers(0, 6),
    max_steps=st.integers(0, 6),
    delegation_count=st.integers(0, 3),
    rejection_count=st.integers(0, 3),
    max_rejections=st.integers(0, 3),
    scratchpad=texts,
    shutdown_requested=st.booleans(),
    pending_llm=st.booleans(),
    pending_approval=st.booleans(),
)
inputs = st.one_of(
    st.none(),
    st.builds(UserMessage, texts),
    st.builds(WorkerResult, st.integers(0, 2**64), texts | st.builds(WorkerError, texts)),
    st.builds(ToolResult, st.builds(ToolSuccess, texts) | st.builds(ToolFailure, texts), texts),
    st.builds(ApprovalResult, st.just(Granted()) | st.builds(Denied, texts)),
    st.builds(LLMResponse, texts),
    st.builds(RuntimeFailure, st.integers(0, 9), texts),
    st.sampled_from([Shutdown(), Tick()]),
)


def test_a_new_state_has_the_defaults_of_the_kernel() -> None:
    assert AgentState.new().to_json() == {
        "history": [],
        "step_count": 0,
        "max_steps": 50,
        "delegation_count": 0,
        "max_delegations": 10,
        "rejection_count": 0,
        "max_rejections": 2,
        "scratchpad": "",
        "shutdown_requested": False,
        "pending_llm": False,
        "pending_approval": False,
    }
    assert AgentState.new(7).max_steps == 7


def test_json_has_every_field_in_the_order_of_the_kernel() -> None:
    state = AgentState.new().with_message(Message("tool", "done"))
    assert list(state.to_json()) == [field.name for field in fields(AgentState)]
    assert print_text(state.to_json()).startswith(
        '{"history":[{"role":"tool","content":"done"}],"step_count":0,'
    )


def test_a_step_counts_and_resets_delegations_and_rejections() -> None:
    after = BEGUN.increment_step()
    assert (after.step_count, after.delegation_count, after.rejection_count) == (2, 0, 0)


@given(state=states, pending=st.none() | st.booleans())
def test_a_step_leaves_every_other_field_alone(state: AgentState, *, pending: bool | None) -> None:
    assert state.increment_step(pending_llm=pending) == replace(
        state,
        step_count=state.step_count + 1,
        delegation_count=0,
        rejection_count=0,
        pending_llm=state.pending_llm if pending is None else pending,
    )


@given(state=states, text=texts)
def test_each_with_changes_its_own_field_and_nothing_else(state: AgentState, text: str) -> None:
    message = Message("user", text)
    assert state.with_message(message) == replace(state, history=(*state.history, message))
    assert state.with_rejection() == replace(state, rejection_count=state.rejection_count + 1)
    assert state.with_delegation() == replace(state, delegation_count=state.delegation_count + 1)
    assert state.with_shutdown_requested() == replace(state, shutdown_requested=True)
    for pending in (False, True):
        assert state.with_pending_llm(pending=pending) == replace(state, pending_llm=pending)
        assert state.with_pending_approval(pending=pending) == replace(
            state, pending_approval=pending
        )


def test_limits_that_are_not_given_stay() -> None:
    after = AgentState.new().with_limits(max_steps=3, max_rejections=0)
    assert (after.max_steps, after.max_delegations, after.max_rejections) == (3, 10, 0)
    assert after.with_limits(max_delegations=1) == replace(after, max_delegations=1)


@given(state=states)
def test_an_agent_goes_on_until_a_limit(state: AgentState) -> None:
    assert state.at_limit == (state.step_count >= state.max_steps)
    assert state.too_many_rejections == (state.rejection_count >= state.max_rejections)


@pytest.mark.parametrize("engine", [StubEngine(), RuleEngine()], ids=["stub", "rules"])
@given(state=states, given_input=inputs)
def test_an_engine_is_deterministic(
    engine: CognitiveEngine, state: AgentState, given_input: InputEvent | None
) -> None:
    before = state.to_json()
    assert engine.step(state, given_input) == engine.step(state, given_input)
    assert state.to_json() == before
    assert engine.build_prompt(state) == engine.build_prompt(state)


def test_the_stub_echoes_even_at_the_limit() -> None:
    transition = StubEngine().step(AgentState.new(0), UserMessage("Hello"))
    assert transition.decision == EmitResponse("Echo: Hello")
    assert transition.next_state == AgentState.new(0).increment_step()


@pytest.mark.parametrize(
    ("max_steps", "decision"), [(0, Exit(StepLimit())), (1, Nothing())], ids=["at limit", "below"]
)
def test_the_stub_exits_at_the_limit_or_waits_and_always_steps(
    max_steps: int, decision: AgentDecision
) -> None:
    state = AgentState.new(max_steps)
    for given_input in (None, Tick(), Shutdown(), LLMResponse("hi")):
        transition = StubEngine().step(state, given_input)
        assert transition.decision == decision
        assert transition.next_state.step_count == 1


def test_the_stub_needs_no_approval() -> None:
    assert not StubEngine().requires_approval("sudo", "rm -rf /")


def _ask(state: AgentState) -> RequestLLM:
    return RequestLLM(LLMRequest(context=RuleEngine().build_prompt(state)))


@given(state=states, given_input=inputs)
def test_the_guards_come_first_and_in_order(
    state: AgentState, given_input: InputEvent | None
) -> None:
    transition = RuleEngine().step(state, given_input)
    if state.at_limit:
        assert (transition.next_state, transition.decision) == (state, Exit(StepLimit()))
    elif state.too_many_rejections:
        failed = Exit(Failed("Too many tool rejections"))
        assert (transition.next_state, transition.decision) == (state, failed)
    else:
        assert transition.decision != Exit(StepLimit())


@pytest.mark.parametrize(
    ("given_input", "message"),
    [
        (UserMessage("hi"), Message("user", "hi")),
        (
            ToolResult(ToolSuccess("42"), "search"),
            Message("tool", "Tool 'search' succeeded: 42"),
        ),
        (
            ToolResult(ToolFailure("gone"), "it's"),
            Message("tool", "Tool 'it's' failed: gone"),
        ),
        (ToolResult(ToolCancelled()), Message("tool", "Tool 'unknown' failed: cancelled")),
    ],
)
def test_what_the_model_must_hear_is_a_step_and_asks_it(
    given_input: InputEvent, message: Message
) -> None:
    transition = RuleEngine().step(BEGUN, given_input)
    assert transition.next_state == BEGUN.increment_step().with_message(message)
    assert transition.decision == _ask(transition.next_state)


@pytest.mark.parametrize("outcome", ["found", WorkerError("lost", "404")])
def test_a_workers_result_is_a_step_and_asks_the_model(outcome: str | WorkerError) -> None:
    transition = RuleEngine().step(BEGUN, WorkerResult(1, outcome))
    assert transition.next_state == BEGUN.increment_step()
    assert transition.decision == _ask(transition.next_state)


def test_a_granted_approval_is_a_step() -> None:
    transition = RuleEngine().step(BEGUN, ApprovalResult(Granted()))
    assert transition.next_state == BEGUN.increment_step()
    assert transition.decision == Nothing()


def test_a_denied_approval_is_a_rejection_and_no_step() -> None:
    transition = RuleEngine().step(BEGUN, ApprovalResult(Denied("no")))
    assert transition.next_state == replace(BEGUN, rejection_count=2)
    assert transition.decision == _ask(transition.next_state)


def test_a_second_denial_in_a_row_ends_the_agent() -> None:
    engine = RuleEngine()
    once = engine.step(AgentState.new(), ApprovalResult(Denied())).next_state
    twice = engine.step(once, ApprovalResult(Denied())).next_state
    assert engine.step(twice, UserMessage("go on")).decision == Exit(
        Failed("Too many tool rejections")
    )


@pytest.mark.parametrize(
    ("given_input", "decision"),
    [
        (None, Nothing()),
        (Tick(), Nothing()),
        (Shutdown(), Exit(UserRequest())),
        (RuntimeFailure(7, "disk full"), Exit(Failed("disk full"))),
    ],
)
def test_the_rest_leaves_the_state_unchanged(
    given_input: InputEvent | None, decision: AgentDecision
) -> None:
    transition = RuleEngine().step(BEGUN, given_input)
    assert (transition.next_state, transition.decision) == (BEGUN, decision)


CALL = '{"tool": "search", "arguments": {"q": "x", "n": 1.10}}'


@pytest.mark.parametrize(
    ("response", "decision"),
    [
        (LLMResponse("Good day."), EmitResponse("Good day.")),
        (LLMResponse(""), EmitResponse("")),
        (LLMResponse('{"answer": 42}'), EmitResponse('{"answer": 42}')),
        (LLMResponse('["tool"]'), EmitResponse('["tool"]')),
        (LLMResponse('"tool"'), EmitResponse('"tool"')),
        (LLMResponse("{not json"), EmitResponse("{not json")),
        (LLMResponse(CALL), CallTool(ToolCall("search", {"q": "x", "n": 1.1}))),
        (
            LLMResponse("Let me see.", structured={"tool": "search", "arguments": {}}),
            CallTool(ToolCall("search", {})),
        ),
        (LLMResponse("plain", structured={"answer": 1}), EmitResponse("plain")),
        (
            LLMResponse('{"tool": "shell", "arguments": {"command": "ls"}}'),
            RequestApproval(
                ApprovalRequest(
                    "shell", '{"command":"ls"}', "tool 'shell' needs a person's approval"
                )
            ),
        ),
        (
            LLMResponse('{"tool": "run", "arguments": {"command": "rm -rf /"}}'),
            RequestApproval(
                ApprovalRequest(
                    "run", '{"command":"rm -rf /"}', "tool 'run' needs a person's approval"
                )
            ),
        ),
    ],
)
def test_a_models_answer_is_a_step_and_is_said_called_or_put_before_a_person(
    response: LLMResponse, decision: AgentDecision
) -> None:
    transition = RuleEngine().step(BEGUN, response)
    said = Message("assistant", response.content)
    assert transition.next_state == BEGUN.increment_step().with_message(said)
    assert transition.decision == decision


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ('{"tool": 5, "arguments": {}}', "'tool' is no name"),
        ('{"tool": "", "arguments": {}}', "'tool' is no name"),
        ('{"tool": "search"}', "'arguments' is missing or no object"),
        ('{"tool": "search", "arguments": "x"}', "'arguments' is missing or no object"),
        ('{"tool": "search", "arguments": {}, "id": 1}', "there is no 'id' in a call"),
        ('{"tool": "search", "arguments": {"q"', "not JSON"),
        (' {"tool" :NaN}', "NaN is not JSON"),
    ],
)
def test_what_is_meant_as_a_call_but_is_none_is_refused(content: str, reason: str) -> None:
    with pytest.raises(MalformedAction) as caught:
        RuleEngine().step(BEGUN, LLMResponse(content))
    assert reason in caught.value.reason
    assert '{"tool": name, "arguments": {…}}' in str(caught.value)


def test_a_malformed_structured_call_is_refused() -> None:
    with pytest.raises(MalformedAction, match="'tool' is no name"):
        RuleEngine().step(BEGUN, LLMResponse("fine words", structured={"tool": None}))


@pytest.mark.parametrize(
    ("tool", "args", "needed"),
    [
        ("shell", "{}", True),
        ("write_file", "{}", True),
        ("rm", "{}", True),
        ("sudo", "{}", True),
        ("run", '"rm -rf x"', True),
        ("run", '"sudo make"', True),
        ("run", '"curl | sh"', True),
        ("run", '"wget | sh"', True),
        ("run", '"rm x"', False),
        ("read_file", '"/etc/hosts"', False),
        ("Shell", "{}", False),
    ],
)
def test_dangerous_calls_need_a_person(tool: str, args: str, *, needed: bool) -> None:
    assert RuleEngine().requires_approval(tool, args) is needed


def test_a_prompt_holds_the_scratchpad_and_the_history_in_order() -> None:
    state = AgentState.new().with_message(Message("system", "Be kind."))
    state = replace(state.with_message(Message("user", "Hi")), scratchpad="note")
    assert RuleEngine().build_prompt(state) == "scratchpad: note\n\nsystem: Be kind.\n\nuser: Hi"


def test_a_conversation_grows_the_history_as_it_went() -> None:
    engine, state = RuleEngine(), AgentState.new()
    for given_input in (
        UserMessage("find x"),
        LLMResponse(CALL),
        ToolResult(ToolSuccess("found"), "search"),
        LLMResponse("Here it is."),
    ):
        state = engine.step(state, given_input).next_state
    assert state.step_count == 4
    assert [(message.role, message.content) for message in state.history] == [
        ("user", "find x"),
        ("assistant", CALL),
        ("tool", "Tool 'search' succeeded: found"),
        ("assistant", "Here it is."),
    ]


def test_engine_errors_carry_their_facts_and_a_way_out() -> None:
    over = LimitExceeded(limit=3, current=4)
    assert (over.limit, over.current) == (3, 4)
    assert "raise the limit" in str(over)
    assert "rebuild" in str(InvalidState("step_count is negative"))
    assert "shorten" in str(ContextOverflow())
    for error in (over, InvalidState("x"), ContextOverflow(), MalformedAction("x")):
        assert isinstance(error, CognitiveError)
        assert isinstance(error, AgentlogError)
