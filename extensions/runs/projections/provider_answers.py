"""Answers as providers send them."""

from collections.abc import Mapping
from typing import Literal

from agentlog.domain.catalogue import validate_message
from agentlog.domain.errors import InvalidMessage
from agentlog.domain.json.values import JsonValue
from agentlog.projections.exchanges.answers import Answer, answer_of
from agentlog.projections.readers.draft import SAMPLE_ID
from agentlog.projections.readers.history import Format
from agentlog.projections.readers.messages import anthropic
from agentlog.projections.readers.wires import chat_completions

Dialect = Literal["openai", "anthropic"]
"""The API that a model is asked by: chat completions, or Messages."""

_FORMATS: Mapping[Dialect, Format] = {
    "openai": chat_completions.FORMAT,
    "anthropic": anthropic.FORMAT,
}


def read_answer(document: JsonValue, dialect: Dialect, *, model: str, now: int) -> Answer:
    """Return the answer that a provider sent at a time, in ms since the epoch.

    `model` was asked, if the answer names none.

    Raises:
        InvalidMessage: it is no answer of the dialect.
    """
    known = _FORMATS[dialect]
    if not known.is_document(document) and not known.is_item(document):
        raise InvalidMessage.at("", f"none of {known.title}")
    (history,) = known.read(document)
    messages = []
    for draft in history.drafts:
        fields = {key: value for key, value in draft.items() if key != "metadata"}
        messages.append(validate_message({**fields, "id": SAMPLE_ID, "timestamp": now}))
    return answer_of(messages, model)
