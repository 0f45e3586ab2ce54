"""Long texts that an inspect_ai sample keeps apart, put back where they belong."""

from collections.abc import Mapping

from agentlog.domain.json.values import JsonValue, object_at, object_of
from agentlog.projections.readers.fields import Fields

_PREFIXES = ("attachment://", "tc://")


def with_attachments(sample: Fields) -> Fields:
    """Return the sample with the texts that it keeps apart in their places."""
    rest, transcript = dict(sample.item), dict(object_at(sample.item, "transcript"))
    texts = object_of(rest.pop("attachments", None))
    if not texts and not sample.item.get("attachments"):  # old logs have them in the transcript
        texts = object_of(transcript.pop("content", None))
        rest["transcript"] = transcript
    if not texts:
        return sample
    used: set[str] = set()
    whole = Fields(_replaced(rest, texts, used), sample.place)
    if unused := {key: text for key, text in texts.items() if key not in used}:
        whole.put("attachments", unused)
    return whole


def _replaced(value: JsonValue, texts: Mapping[str, JsonValue], used: set[str]) -> JsonValue:
    match value:
        case str() if value.startswith(_PREFIXES):
            key = value.partition("://")[2]
            if isinstance(texts.get(key), str):
                used.add(key)
                return texts[key]
            return value
        case list():
            return [_replaced(item, texts, used) for item in value]
        case dict():
            return {key: _replaced(inner, texts, used) for key, inner in value.items()}
        case _:
            return value
