"""Changes of requests: what a fork asks a model otherwise than its agent does."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from itertools import dropwhile

from jsonpatch import JsonPointer, JsonPointerException

from agentlog.domain.errors import InvalidInput
from agentlog.domain.json.text import parse, print_bytes
from agentlog.domain.json.values import (
    JsonObject,
    JsonValue,
    array_of,
    object_at,
    object_of,
)
from agentlog.extensions.runs.projections.tapes.request_keys import (
    call_of_result,
    results_of,
    tool_name,
)
from agentlog.projections.exchanges.exchange import Exchange
from agentlog.projections.exchanges.requests import SHAPES, Api, is_system, request_of


class NoSuchField(InvalidInput):
    """A pointer leads nowhere in a request."""

    def __init__(self, pointer: str) -> None:
        super().__init__(f"the request has no place for {pointer!r}, a JSON pointer: /temperature")
        self.pointer = pointer


@dataclass(frozen=True, slots=True)
class Changes:
    """What is changed in each request: null in `fields`, by JSON pointer, takes a field away.

    `results` are texts in place of what tools gave back, by the id of the call.
    """

    model: str | None = None
    system: str | None = None
    without_tools: tuple[str, ...] = ()
    fields: Mapping[str, JsonValue] = field(default_factory=dict)
    results: Mapping[str, str] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return self != Changes()

    def applied(self, exchange: Exchange) -> Exchange:
        """Return a request to a model with the changes; as it is where they change nothing.

        Raises:
            NoSuchField: a pointer leads nowhere in it.
        """
        body = exchange.body
        if exchange.api is None or not body:
            return exchange
        changed = self.changed(exchange.api, body)
        if changed == body:
            return exchange
        path, changed = SHAPES[exchange.api].closed(exchange.path, changed)
        return replace(exchange, path=path, request=print_bytes(changed))

    def results_in(self, exchange: Exchange) -> set[str]:
        """Return the calls whose results are changed in a request to a model."""
        if exchange.api is None:
            return set()
        return {*results_of([*request_of(exchange.api, exchange.body).items])} & self.results.keys()

    def then(self, later: "Changes") -> "Changes":
        """Return these changes and later ones, which win."""
        return Changes(
            self.model if later.model is None else later.model,
            self.system if later.system is None else later.system,
            tuple(dict.fromkeys((*self.without_tools, *later.without_tools))),
            {**self.fields, **later.fields},
            {**self.results, **later.results},
        )

    @property
    def words(self) -> list[str]:
        """The changes in words, without the texts that they put in."""
        return [
            *([] if self.model is None else [f"model {self.model}"]),
            *([] if self.system is None else ["system prompt"]),
            *(f"without {name}" for name in self.without_tools),
            *self.fields,
            *(f"result of {call}" for call in self.results),
        ]

    @property
    def payload(self) -> JsonObject:
        """The changes as JSON, those that there are."""
        document: JsonObject = {
            "model": self.model,
            "system": self.system,
            "withoutTools": [*self.without_tools],
            "fields": {**self.fields},
            "results": {**self.results},
        }
        return {name: value for name, value in document.items() if value not in (None, [], {})}

    def changed(self, api: Api, body: JsonObject) -> JsonObject:
        """Return a request's body with the changes; raises as `applied` does."""
        changed = dict(body)
        if self.model is not None:
            changed["model"] = self.model
        if self.system is not None:
            changed = _SYSTEMS[api](changed, self.system)
        if self.without_tools:
            changed["tools"] = self._offered(changed.get("tools"))
        if self.results:
            plain: JsonObject = {**changed, SHAPES[api].items: [*request_of(api, changed).items]}
            changed = object_of(self._with_results(changed, plain))
        return _with_fields(changed, self.fields) if self.fields else changed

    def _offered(self, tools: JsonValue) -> list[JsonValue]:
        """Return the tools that are still offered; Gemini declares many functions in one."""
        offered: list[JsonValue] = []
        for tool in array_of(tools):
            declared = object_of(tool).get("functionDeclarations")
            if isinstance(declared, list):
                functions = self._offered(declared)
                if functions or not declared:
                    offered.append({**object_of(tool), "functionDeclarations": functions})
            elif tool_name(tool) not in self.without_tools:
                offered.append(tool)
        return offered

    def _with_results(self, value: JsonValue, plain: JsonValue) -> JsonValue:
        """Return a value with the results; `plain` is the same with ids of calls."""
        match value, plain:
            case list(), list():
                pairs = zip(value, plain, strict=True)
                return [self._with_results(inner, other) for inner, other in pairs]
            case dict(), dict():
                result = self.results.get(call_of_result(plain) or "")
                if result is not None:
                    return _with_output(value, result)
                return {
                    key: self._with_results(inner, plain.get(key)) for key, inner in value.items()
                }
            case _:
                return value


def changes_of(payload: JsonObject) -> Changes:
    """Return the changes that JSON says."""
    return Changes(
        model=_text(payload.get("model")),
        system=_text(payload.get("system")),
        without_tools=tuple(
            name for name in array_of(payload.get("withoutTools")) if isinstance(name, str)
        ),
        fields=object_at(payload, "fields"),
        results={
            call: text
            for call, text in object_at(payload, "results").items()
            if isinstance(text, str)
        },
    )


def _with_output(result: JsonObject, text: str) -> JsonObject:
    if "functionResponse" in result:
        own: JsonObject = {**object_at(result, "functionResponse"), "response": {"output": text}}
        return {**result, "functionResponse": own}
    return {**result, ("output" if "output" in result else "content"): text}


def _text(value: JsonValue) -> str | None:
    return value if isinstance(value, str) else None


def check_pointer(pointer: str) -> str:
    """Return a JSON pointer (RFC 6901) to a field; raises `NoSuchField` if it is none."""
    try:
        parts = JsonPointer(pointer).parts
    except JsonPointerException as error:
        raise NoSuchField(pointer) from error
    if not parts:
        raise NoSuchField(pointer)
    return pointer


def _with_fields(body: JsonObject, fields: Mapping[str, JsonValue]) -> JsonObject:
    document = object_of(parse(print_bytes(body)))  # a copy, since it is changed in place
    for pointer, value in fields.items():
        try:
            place, part = JsonPointer(pointer).to_last(document)
            if value is None:
                del place[part]
            elif isinstance(place, list) and part == "-":
                place.append(value)
            else:
                place[part] = value
        except (JsonPointerException, LookupError, TypeError) as error:
            if value is not None:
                raise NoSuchField(pointer) from error
    return document


def with_system(request: JsonObject, text: str) -> JsonObject:
    """Return a request with another system prompt: the one message before all others."""
    messages = array_of(request.get("messages"))
    others = dropwhile(lambda item: is_system(object_of(item)), messages)
    return {**request, "messages": [{"role": "system", "content": text}, *others]}


_SYSTEMS: Mapping[Api, Callable[[JsonObject, str], JsonObject]] = {
    "chat": with_system,
    "responses": lambda body, text: {**body, "instructions": text},
    "messages": lambda body, text: {**body, "system": text},
    "gemini": lambda body, text: {**body, "systemInstruction": {"parts": [{"text": text}]}},
}
