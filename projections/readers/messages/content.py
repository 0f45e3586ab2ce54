"""Content of messages: a text, or an array of parts."""

from collections.abc import Callable
from typing import NamedTuple

from agentlog.domain.json.values import JsonValue, array_of
from agentlog.projections.readers.draft import Draft
from agentlog.projections.readers.fields import Fields, text_of
from agentlog.projections.readers.reading import Entry, Reading

ROLES = {"input": "user", "reply": "assistant", "system": "system"}
"""The usual word for who speaks, by the type of messages with text."""

_WORDS = {
    "input": "user human customer client participant visitor person prompter end_user",
    "reply": "assistant ai agent bot chatbot model gpt llm",
    "system": "system developer",
}
_SAYS = {word: says for says, words in _WORDS.items() for word in words.split()}


def says_of(role: JsonValue) -> str | None:
    """Return the type of messages with text of a role, by words of any program; None of others."""
    return _SAYS.get(role.lower()) if isinstance(role, str) else None


class Kinds(NamedTuple):
    """The kinds of parts of a format.

    `draft_of` takes a part and the type of a message, and returns the part's `text` or `files`, or
    None where it has neither; it may return another `type`. `other` adds such a part.
    """

    draft_of: Callable[[Fields, str], Draft | None]
    other: Callable[[Entry, Fields], None]


def read_content(entry: Entry, content: JsonValue, place: str, says: str, kinds: Kinds) -> None:
    """Add a message of the type `says` for each part with text, and what other parts make.

    Files of an input stand in one message with the text beside them. What is no object is kept.
    """
    if isinstance(content, str):
        entry.add({"type": says, "text": content})
        return
    held: Draft = {}
    parts: list[Fields] = []
    for n, value in enumerate(content if isinstance(content, list) else [content]):
        is_object = isinstance(value, dict)
        part = Fields(value if is_object else {"value": value}, f"{place}[{n}]")
        draft = kinds.draft_of(part, says) if is_object else None
        if held and not (draft is not None and _belongs({"type": says, **draft}, held)):
            entry.add(held, *parts)
            held, parts = {}, []
        if draft is not None:
            files = [*array_of(held.get("files")), *array_of(draft.get("files"))]
            held = {**held, "type": says, **draft}
            if files:
                held["files"] = files
            parts.append(part)
        elif is_object:
            kinds.other(entry, part)
        else:
            entry.keep(part, "part")
    if held:
        entry.add(held, *parts)


def _belongs(draft: Draft, held: Draft) -> bool:
    """Return whether files and one text make one input."""
    kinds = (draft["type"], held["type"])
    return kinds == ("input", "input") and not ("text" in held and "text" in draft)


def add_prompt(
    reading: Reading, whole: Fields, key: str, parts: JsonValue, *, is_all: bool = True
) -> None:
    """Add the prompt of a request, and take it where a text is all of it; else it is kept too."""
    text = text_of(parts)
    if text is None:
        return
    if is_all and parts == [{"text": text}]:
        whole.take(key)
    reading.add({"type": "system", "text": text})
