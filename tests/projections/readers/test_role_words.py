"""Who speaks is named by other words in other programs: each is read, and none of it is lost.

Words of ShareGPT and LangChain (human, gpt, ai), Cohere (USER, CHATBOT), OASST (prompter), Rasa
(bot), Llama's templates (user, model), Dialogflow (end_user, agent), tau-bench (customer), and
the titles that people write by hand.
"""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlog.domain.json.values import JsonValue
from agentlog.projections.readers.registry import FORMATS
from agentlog.projections.readers.trial import tried
from agentlog.projections.readers.ways import telling_most
from agentlog.projections.view import render
from agentlog.projections.views.openai import OpenAIOptions, OpenAIView
from tests.histories import examples, history

USERS = ["user", "human", "USER", "Human", "customer", "prompter", "end_user", "participant"]
AGENTS = ["assistant", "ai", "gpt", "model", "bot", "agent", "CHATBOT", "Assistant", "AI"]
TURNS = st.lists(
    st.tuples(st.booleans(), st.text("abc d", min_size=1, max_size=9)), min_size=1, max_size=5
)


def kinds(name: str, items: Sequence[JsonValue]) -> list[tuple[str, object]]:
    """Return the types and texts of what was said, as a format reads it."""
    (read,) = FORMATS[name].read([*items])
    events = history(*read.drafts)
    return [
        (event.type, getattr(event.message, "text", None))
        for event in events
        if event.type in {"input", "reply"}
    ]


@given(turns=TURNS, user=st.sampled_from(USERS), agent=st.sampled_from(AGENTS), parts=st.booleans())
@examples(40, long=400)
def test_words_of_any_program_are_read_and_come_back(
    turns: list[tuple[bool, str]],
    user: str,
    agent: str,
    parts: bool,  # noqa: FBT001 - drawn
) -> None:
    items: list[JsonValue] = [
        {
            "role": user if is_user else agent,
            "content": [{"type": "text", "text": text}] if parts else text,
        }
        for is_user, text in turns
    ]
    said = [("input" if is_user else "reply", text) for is_user, text in turns]
    assert kinds("openai", items) == said
    assert kinds("anthropic", items) == said
    (read,) = FORMATS["openai"].read([*items])
    view = OpenAIView(OpenAIOptions(foreign=True, repair=False))
    assert [placed.item for placed in render(view, history(*read.drafts)).items] == items


TEXT = {"type": "text", "text": "hello"}
USE = {"type": "tool_use", "name": "bash", "input": {"cmd": "ls"}}


@pytest.mark.parametrize(
    ("user", "agent", "content", "named"),
    [
        ("human", "agent", [TEXT, USE], "anthropic"),
        ("customer", "bot", [TEXT], "openai"),
        ("USER", "CHATBOT", "hi", "openai"),
        ("prompter", "assistant", "hi", "openai"),
    ],
)
def test_a_way_out_is_named_for_a_record_with_other_words(
    user: str, agent: str, content: Any, named: str
) -> None:
    messages = [{"role": user, "content": [TEXT]}, {"role": agent, "content": content}]
    record: JsonValue = {"id": "T-1", "messages": messages}
    way = next(telling_most([record]))
    assert way.options == {"format": named}
    trial = tried(FORMATS[named], [record])
    assert trial is not None
    assert trial.characters > 5
