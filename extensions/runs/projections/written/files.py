"""Files that say what a model is to answer: a text, calls, or a whole answer of an API."""

from hashlib import sha256

from agentlog.domain.errors import InvalidInput
from agentlog.domain.json.text import parse_or
from agentlog.domain.json.values import JsonObject, JsonValue, object_of
from agentlog.domain.messages import ToolCall
from agentlog.extensions.runs.projections.written.answers import api_of_answer
from agentlog.projections.call_texts import call_fields
from agentlog.projections.exchanges.answers import Answer


class InvalidAnswer(InvalidInput):
    """A file has no answer of a model."""

    def __init__(self, reason: str) -> None:
        super().__init__(
            f"no answer of a model: {reason}; it is a text, "
            '{"text": …, "calls": [{"name": …, "arguments": {…}}]}, or a whole answer of an API'
        )


def answer_in(content: bytes) -> Answer | JsonObject:
    """Return the answer of a file: a whole one of an API as it is, else its text and calls.

    Raises:
        InvalidAnswer: it is neither.
    """
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        raise InvalidAnswer("it is not UTF-8") from error
    if not text.strip():
        raise InvalidAnswer("it is empty")
    document = parse_or(text)
    if not isinstance(document, dict):
        return Answer(text=text.removesuffix("\n"))
    if api_of_answer(document) is not None:
        return document
    return _answer_of(document, sha256(content).hexdigest())


def _answer_of(document: JsonObject, digest: str) -> Answer:
    """Return the answer of an object; ids of calls are made from the digest."""
    if unknown := sorted(document.keys() - {"text", "calls"}):
        raise InvalidAnswer(f"it is a JSON object with {', '.join(map(repr, unknown))}")
    text, calls = document.get("text"), document.get("calls", [])
    if not (text is None or isinstance(text, str)):
        raise InvalidAnswer("text is no string")
    if not isinstance(calls, list):
        raise InvalidAnswer("calls is no array")
    if text is None and not calls:
        raise InvalidAnswer("it has neither text nor calls")
    return Answer(text=text, calls=[_call(call, n, digest) for n, call in enumerate(calls)])


def _call(value: JsonValue, number: int, digest: str) -> ToolCall:
    call = object_of(value)
    name, call_id = call.get("name"), call.get("id", f"call_{digest[:20]}{number:04}")
    if not (isinstance(name, str) and name and isinstance(call_id, str) and call_id):
        raise InvalidAnswer(f"calls[{number}] has no name, or an id that is no text")
    if unknown := sorted(call.keys() - {"name", "arguments", "id"}):
        raise InvalidAnswer(f"calls[{number}] has {', '.join(map(repr, unknown))}")
    return ToolCall.model_validate({**call_fields(name, call.get("arguments")), "id": call_id})
