"""Items of OpenAI's Responses and Conversations, drawn from the types of the openai package."""

import types
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from hypothesis import strategies as st
from openai.types.conversations import ConversationItem
from pydantic import BaseModel
from typing_extensions import TypeAliasType

from tests.histories import json_values, texts

_TEXTS = texts | st.sampled_from(
    ["data:image/png;base64,QUJD", '{"a": 1}', "{}", '{"a":1}', "not JSON", "message", "user"]
)
_LEAST = 20


def drawn(annotation: Any) -> st.SearchStrategy[Any]:
    """Return the JSON values of a type."""
    if isinstance(annotation, TypeAliasType):
        return drawn(annotation.__value__)
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return drawn(arguments[0])
    if origin is Literal:
        return st.sampled_from(arguments)
    if origin in (Union, types.UnionType):
        return st.one_of(*(st.none() if a is type(None) else drawn(a) for a in arguments))
    if origin is list:
        return st.lists(drawn(arguments[0]), max_size=3)
    if origin is dict:
        return st.dictionaries(texts, drawn(arguments[1]), max_size=2)
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return _objects(annotation)
    known: dict[Any, st.SearchStrategy[Any]] = {
        str: _TEXTS,
        bool: st.booleans(),
        int: st.integers(0, 9),
        float: st.floats(0, 9),
    }
    return known.get(annotation, json_values)


def _objects(model: type[BaseModel]) -> st.SearchStrategy[Any]:
    fields = {
        (field.alias or name): (field.is_required(), field.annotation)
        for name, field in model.model_fields.items()
    }
    return st.deferred(
        lambda: st.fixed_dictionaries(
            {key: drawn(kind) for key, (required, kind) in fields.items() if required},
            optional={key: drawn(kind) for key, (required, kind) in fields.items() if not required},
        )
    )


KINDS: dict[str, type[BaseModel]] = {
    kind.__name__: kind for kind in get_args(get_args(ConversationItem)[0])
}
"""Every kind of item that the API returns, by the name of its class."""

assert len(KINDS) > _LEAST

items = st.sampled_from(sorted(KINDS)).flatmap(lambda name: _objects(KINDS[name]))
"""Items of any kind."""
