"""Sessions of Goose: the totals that they state, and what the agent sees of them."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from agentlog.domain.json.text import parse
from agentlog.domain.json.values import object_at
from agentlog.extensions.formats.goose.session import FORMAT
from agentlog.projections.context.context import context_at
from tests.extensions.formats.contexts.reading import events_in, said
from tests.histories import examples
from tests.projections.readers.of_format import of_type, read
from tests.test_golden import GOLDEN

EXPORT: Any = parse((GOLDEN / "readers/goose/export.json").read_bytes())
VISIBLE = st.sampled_from([True, False, None])


def test_a_session_states_its_totals_alone() -> None:
    """As ccusage reads `sessions.db`: the accumulated tokens, and the model of the session."""
    history = read("goose", EXPORT)
    assert history.metadata["inputTokens"] == EXPORT["accumulated_input_tokens"]
    assert history.metadata["outputTokens"] == EXPORT["accumulated_output_tokens"]
    assert all("usage" not in draft for draft in of_type(history, "llm_response"))


def test_a_note_of_goose_is_no_answer_of_the_model() -> None:
    answers = (it for it in read("goose", EXPORT).drafts if it["type"] == "llm_response")
    assert [object_at(it, "metadata")["responseId"] for it in answers] == ["msg_2", "msg_6"]


def test_the_agent_is_sent_what_it_sees() -> None:
    standing = said(context_at(events_in(FORMAT, EXPORT)))
    assert standing == ["The list of parcels is missing.", "I cannot tell.", "call call_2"]


@given(st.lists(st.tuples(VISIBLE, st.integers(1, 3)), max_size=8))
@examples(40)
def test_all_parts_of_a_message_are_sent_or_none(messages: list[tuple[bool | None, int]]) -> None:
    conversation: list[Any] = []
    seen: list[str] = []
    for n, (flag, count) in enumerate(messages):
        texts = [f"{n}.{part}" for part in range(count)]
        content = [{"type": "text", "text": text} for text in texts]
        about = {} if flag is None else {"metadata": {"userVisible": True, "agentVisible": flag}}
        conversation.append({"role": "assistant", "created": n, "content": content, **about})
        seen += [] if flag is False else texts
    document = {**EXPORT, "conversation": conversation}
    assert said(context_at(events_in(FORMAT, document))) == seen


def test_a_session_without_messages_is_read() -> None:
    history = read("goose", {**EXPORT, "conversation": None})
    assert [draft["type"] for draft in history.drafts] == ["goose.session"]
    assert FORMAT.is_document({**EXPORT, "conversation": None})
