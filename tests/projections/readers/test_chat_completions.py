"""Answers of the chat API."""

import pytest

from agentlog.domain.json.text import parse
from agentlog.projections.readers.registry import FORMATS
from tests.projections.readers.of_format import of_type
from tests.projections.readers.test_golden_readers import histories_of
from tests.test_golden import GOLDEN

SOURCES = GOLDEN / "readers" / "chat-completions"


@pytest.mark.parametrize("file", ["stored.json", "logged.jsonl", "answers.json"])
def test_an_answer_of_the_chat_api_has_its_figures_and_what_it_was_asked(file: str) -> None:
    history = histories_of(SOURCES / file)[0]
    response = of_type(history, "llm_response")[0]
    model, tokens = response.get("model"), response.get("usage", {}).get("inputTokens")
    asked = [draft["text"] for draft in of_type(history, "input")]
    assert (model, tokens, asked) == {
        "stored.json": ("gpt-4o", 150, ["How many?"]),
        "logged.jsonl": ("claude-sonnet-4-5", 120, ["Count the parcels."]),
        "answers.json": ("claude-sonnet-4-5", 120, []),
    }[file]


def test_a_request_that_is_no_chat_is_refused_with_its_place() -> None:
    answer = parse((SOURCES / "answers.json").read_bytes())[0]
    document = {"request": {"messages": [{"role": "odd"}]}, "response": answer}
    with pytest.raises(Exception, match=r"request\.messages"):
        list(FORMATS["chat-completions"].read(document))
