"""Of the histories that calls repeat, each message is new once."""

from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage

from agentlog_client.adapters.langchain.conversation import Conversation

_WORDS = st.sampled_from(["yes", "no"])
_TURNS = st.lists(
    st.builds(HumanMessage, _WORDS, id=st.none())
    | st.builds(AIMessage, _WORDS, id=st.none())
    | st.builds(ToolMessage, _WORDS, tool_call_id=st.uuids().map(str))
)


def _texts(messages: list[BaseMessage]) -> list[str]:
    return [str(message.text) for message in messages]


@given(history=_TURNS, named=st.booleans())
def test_calls_that_repeat_a_growing_history(history: list[BaseMessage], *, named: bool) -> None:
    conversation, said = Conversation(), list[str]()
    for upto in range(len(history) + 1):
        if named and upto:
            history[upto - 1].id = f"message {upto}"
        for draft in conversation.new_in([m.model_copy() for m in history[:upto]]):
            said.append(draft.get("text") or draft["results"][0]["output"])
    assert said == _texts(history)


def test_a_name_given_later_and_a_shortened_history() -> None:
    conversation = Conversation()
    first, second = HumanMessage("yes"), HumanMessage("yes", id="second")
    assert len(list(conversation.new_in([first]))) == 1
    assert list(conversation.new_in([HumanMessage("yes", id="first")])) == []
    assert len(list(conversation.new_in([second]))) == 1
    assert list(conversation.new_in([second])) == []


def test_ids_are_the_same_in_another_process() -> None:
    history = [HumanMessage("yes"), AIMessage("no", id="a"), HumanMessage("yes")]
    ids = [[draft["id"] for draft in Conversation().new_in(history)] for _ in range(2)]
    assert ids[0] == ids[1]
    answered = Conversation()
    assert [d["id"] for d in answered.answer(AIMessage("no", id="a"), latency_ms=1.0)][-1] in ids[0]
