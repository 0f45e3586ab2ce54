"""Messages cut out of values: kernel messages, and a residue by which an equal message comes back.

The residue stands in the metadata of the main kernel message, under `langchain`. Texts that the
kernel messages have are named in it, not repeated.
"""

from collections.abc import Sequence
from hashlib import blake2b
from typing import Any, NamedTuple

from langchain_core.messages import BaseMessage
from langgraph.checkpoint.serde.base import SerializerProtocol

from agentlog_client.adapters.langchain.messages import Draft, class_of, drafts_of, fields_of
from agentlog_client.adapters.langgraph.values import decoded, encoded
from agentlog_client.identifiers import derived_id
from agentlog_client.operation import Json

RESIDUE = "langchain"
_SHORTEST = 32
"""Characters of a text that is named and not repeated."""


class Cut(NamedTuple):
    """A message as kernel messages; the last is the main one."""

    drafts: tuple[Draft, ...]
    residue: dict[str, Json]


def digest_of(message: BaseMessage, serde: SerializerProtocol) -> str:
    """Return a digest of all that a message says but its id."""
    content = [type(message).__name__, {**vars(message), "id": None}, message.model_extra]
    return blake2b(serde.dumps_typed(content)[1], digest_size=12).hexdigest()


def cut(message: BaseMessage, serde: SerializerProtocol) -> Cut:
    """Cut a message of one of the `KINDS`."""
    drafts = tuple(drafts_of(message))
    if type(message) is class_of(drafts[-1]):
        plain = _built(drafts, {})
        fields = {
            key: value
            for key, value in _fields(message).items()
            if key != "id" and not _same(vars(plain).get(key, plain), value, serde)
        }
        residue: dict[str, Json] = {"id": message.id}
        if fields:
            residue["fields"] = encoded(fields, serde, _Named(drafts).form)
        if restored(Cut(drafts, residue), serde) == message:
            return Cut(drafts, residue)
    whole = encoded(message, serde, lambda _: None)
    return Cut(drafts, {"id": message.id, "whole": whole})


def restored(of: Cut, serde: SerializerProtocol) -> BaseMessage:
    """Return the message that was cut; without its residue, what the kernel messages say."""
    match of.residue:
        case {"whole": form}:
            message: BaseMessage = decoded(form, serde, _unknown)
            return message
        case {"fields": form}:
            fields = decoded(form, serde, _Named(of.drafts).value)
        case _:
            fields = {}
    return _built(of.drafts, {**fields, "id": of.residue.get("id")})


def with_ids(of: Cut, message_id: str, **noted: Json) -> list[Draft]:
    """Return the kernel messages to append, with their ids and the residue."""
    *others, main = of.drafts
    together = {"responseId": of.residue["id"] or message_id} if others else {}
    return [
        *(
            {"id": derived_id(message_id, n), **draft, "metadata": together}
            for n, draft in enumerate(others)
        ),
        {
            "id": message_id,
            **main,
            "metadata": {
                **together,
                RESIDUE: {**of.residue, **({"parts": len(others)} if others else {}), **noted},
            },
        },
    ]


def _built(drafts: Sequence[Draft], more: dict[str, Any]) -> BaseMessage:
    kind = class_of(drafts[-1]) or BaseMessage
    return kind(**{**fields_of(drafts), **more})


def _fields(message: BaseMessage) -> dict[str, Any]:
    return {**vars(message), **(message.model_extra or {})}


def _same(one: Any, other: Any, serde: SerializerProtocol) -> bool:  # noqa: ANN401 - anything
    return one == other and serde.dumps_typed(one) == serde.dumps_typed(other)


def _unknown(name: str, _: Json) -> Any:  # noqa: ANN401 - anything
    raise ValueError(f"no value has the form {name!r}")


class _Named:
    """Names texts of kernel messages: `text` has the place of one, and what stands before it."""

    def __init__(self, drafts: Sequence[Draft]) -> None:
        self._texts = list(dict.fromkeys(_texts(drafts)))

    def form(self, value: object) -> Json | None:
        if type(value) is str and len(value) >= _SHORTEST:
            for place, text in enumerate(self._texts):
                if value.endswith(text):
                    before = value[: len(value) - len(text)]
                    return {"text": [place, before] if before else [place]}
        return None

    def value(self, name: str, form: Json) -> str:
        if name != "text":
            _unknown(name, form)
        place, *before = form
        return "".join([*before, self._texts[place]])


def _texts(value: Json) -> list[str]:
    if isinstance(value, str):
        return [value] if len(value) >= _SHORTEST else []
    items = value.values() if isinstance(value, dict) else value
    return [
        text
        for item in items
        if isinstance(item, str | dict | list | tuple)
        for text in _texts(item)
    ]
