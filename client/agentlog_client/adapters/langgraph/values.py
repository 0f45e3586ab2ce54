"""Values of channels as JSON: as it is what JSON can say exactly, serialized what it cannot.

Each value is an object of one key that names its form: `json` has the value itself, `array`,
`tuple` and `object` have values inside, `send` a task for a node, `typed` what LangGraph's
serializer makes of it, in base64. Others, as `message`, are the caller's own forms.
"""

from base64 import b64decode, b64encode
from collections.abc import Callable
from copy import deepcopy
from typing import Any

from langgraph.checkpoint.serde.base import SerializerProtocol
from langgraph.types import Send

from agentlog_client.adapters.langchain.plain import is_plain
from agentlog_client.operation import Json

_DEEPEST = 20

Encode = Callable[[Any], Json | None]
"""Returns the form of a value that it has its own for, else None."""
Decode = Callable[[str, Json], Any]
"""Returns the value of a form by its name."""


def encoded(value: Any, serde: SerializerProtocol, own: Encode, *, levels: int = _DEEPEST) -> Json:  # noqa: ANN401 - anything
    """Return a value in its form."""

    def inside(item: Any) -> Json:  # noqa: ANN401 - anything
        return encoded(item, serde, own, levels=levels - 1)

    if (form := own(value)) is not None:
        return form
    kind = type(value)
    if levels > 0:
        if kind is list:
            return _joined("array", [inside(item) for item in value])
        if kind is dict and is_plain(list(value)) and all(type(key) is str for key in value):
            items = {key: inside(item) for key, item in value.items()}
            if all(form.keys() == {"json"} for form in items.values()):
                return {"json": {key: form["json"] for key, form in items.items()}}
            return {"object": items}
        if kind is tuple:
            return {"tuple": [inside(item) for item in value]}
        if kind is Send and value.timeout is None:
            return {"send": [value.node, inside(value.arg)]}
    if is_plain(value, levels=0):
        return {"json": value}
    name, serialized = serde.dumps_typed(value)
    return {"typed": [name, b64encode(serialized).decode()]}


def _joined(form: str, items: list[Json]) -> Json:
    if all(item.keys() == {"json"} for item in items):
        return {"json": [item["json"] for item in items]}
    return {form: items}


def decoded(form: Json, serde: SerializerProtocol, own: Decode) -> Any:  # noqa: ANN401 - anything
    """Return the value of a form, a new one each time."""

    def inside(item: Json) -> Any:  # noqa: ANN401 - anything
        return decoded(item, serde, own)

    match form:
        case {"json": value}:
            return deepcopy(value)
        case {"array": items}:
            return [inside(item) for item in items]
        case {"tuple": items}:
            return tuple(inside(item) for item in items)
        case {"object": items}:
            return {key: inside(item) for key, item in items.items()}
        case {"send": [node, arg]}:
            return Send(node, inside(arg))
        case {"typed": [name, text]}:
            return serde.loads_typed((name, b64decode(text)))
        case _:
            ((name, value),) = form.items()
            return own(name, value)
