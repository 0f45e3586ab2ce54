"""Templates: items of a wire without the contents of the messages that they were read as.

An item may become several messages, or have a shape that its messages do not tell. Its template
restores it exactly, and leaves each content to its message: erased there, the item has it no more.

A template is `item`, and `holes`: JSON Pointers (RFC 6901) into the item, each with the place of
what stands there: the number of a message and a pointer into its body, as `0/text`. A number alone
is the template of that message, which has what the item says of that message only.
"""

from collections.abc import Iterator, Mapping, Sequence

from agentlog.domain.json.text import print_bytes, print_text
from agentlog.domain.json.values import JsonObject, JsonValue, array_of, object_of

Part = tuple[JsonObject, JsonObject]
"""The body of a message, and its template."""

_BESIDE = frozenset({"id", "type", "timestamp", "metadata"})
_STRUCTURE = frozenset({"id", "type", "role", "status", "call_id"})
"""Keys of an item whose values are no contents, though they may equal one."""
_WRITTEN = "="
"""The field that has the text of a call's arguments, or the data URI of a file."""
_DEEPEST = 3
"""Levels at which arrays and objects are compared as a whole; below them only what they hold."""


def templates_of(item: JsonObject, bodies: Sequence[JsonObject]) -> list[JsonObject]:
    """Return the template of an item, then that of each of its messages after the first."""
    places: dict[bytes, list[str]] = {}
    for number, body in enumerate(bodies):
        for key, value in body.items():
            if key not in _BESIDE:
                for place, content in _contents(value, f"{number}/{_token(key)}", 0):
                    places.setdefault(print_bytes(content), []).append(place)
    holes: dict[str, str] = {}
    whole = object_of(_empty(item, "", places, holes))
    templates: list[JsonObject] = [{} for _ in bodies]
    for key, parts in whole.items() if len(bodies) > 1 else ():
        for index in range(len(parts) if isinstance(parts, list) else 0):
            prefix = f"/{_token(key)}/{index}"
            inside = {at: holes[at] for at in holes if f"{at}/".startswith(f"{prefix}/")}
            numbers = {int(place.partition("/")[0]) for place in inside.values()}
            number = numbers.pop() if len(numbers) == 1 else 0
            if number and not templates[number] and isinstance(parts, list):
                own: JsonObject = {at.removeprefix(prefix): place for at, place in inside.items()}
                templates[number] = {"item": parts[index], "holes": own}
                parts[index] = None
                holes = {at: place for at, place in holes.items() if at not in inside}
                holes[prefix] = str(number)
    return [{"item": whole, "holes": {**holes}}, *templates[1:]]


def filled(parts: Sequence[Part]) -> JsonValue:
    """Return the item that messages are, by the template of the first; never fails.

    What a message does not have is null.
    """
    return _fill(parts[0][1], parts, is_whole=True)


def _contents(value: JsonValue, place: str, depth: int) -> Iterator[tuple[str, JsonValue]]:
    """Yield a value and what it holds, each with its place."""
    if isinstance(value, dict):
        written = _own_text(value)
        if written is not None:
            yield f"{place}/{_WRITTEN}", written
    if depth <= _DEEPEST or not isinstance(value, dict | list):
        yield place, value
    for token, inner in _inside(value):
        yield from _contents(inner, f"{place}/{token}", depth + 1)


def _own_text(value: JsonObject) -> str | None:
    """Return the arguments of a call as the model wrote them, or a file as a data URI."""
    match value:
        case {"name": str(), "argumentsText": str(text)}:
            return text
        case {"id": str(), "name": str(), **rest}:
            return print_text(rest["args"]) if "args" in rest else "{}"
        case {"data": str(data), "mimeType": str(mime)}:
            return f"data:{mime};base64,{data}"
        case _:
            return None


def _empty(
    value: JsonValue, pointer: str, places: Mapping[bytes, list[str]], holes: dict[str, str]
) -> JsonValue:
    """Return a value without what messages have; `holes` gets the places of that."""
    depth = pointer.count("/")
    if pointer and value and (depth <= _DEEPEST or not isinstance(value, dict | list)):
        known = places.get(print_bytes(value))
        if known:
            # equal contents are those of the messages in their order
            holes[pointer] = known.pop(0) if len(known) > 1 else known[0]
            return None
    if isinstance(value, dict):
        return {
            key: inner
            if key in _STRUCTURE and (depth == 0 or key == "type")
            else _empty(inner, f"{pointer}/{_token(key)}", places, holes)
            for key, inner in value.items()
        }
    if isinstance(value, list):
        return [
            _empty(inner, f"{pointer}/{index}", places, holes) for index, inner in enumerate(value)
        ]
    return value


def _fill(template: JsonObject, parts: Sequence[Part], *, is_whole: bool) -> JsonValue:
    holes = object_of(template.get("holes"))

    def fill(value: JsonValue, pointer: str) -> JsonValue:
        place = holes.get(pointer)
        if isinstance(place, str):
            return _at(place, parts, is_whole=is_whole)
        if isinstance(value, dict):
            return {key: fill(inner, f"{pointer}/{_token(key)}") for key, inner in value.items()}
        if isinstance(value, list):
            return [fill(inner, f"{pointer}/{index}") for index, inner in enumerate(value)]
        return value

    return fill(template.get("item"), "")


def _at(place: str, parts: Sequence[Part], *, is_whole: bool) -> JsonValue:
    """Return what stands at a place; null where nothing does."""
    number, _, rest = place.partition("/")
    if not (number.isascii() and number.isdecimal() and len(number) < _LONGEST_NUMBER):
        return None
    if int(number) >= len(parts):
        return None
    body, template = parts[int(number)]
    if not rest:  # a template within one of these would have no end
        return _fill(template, parts, is_whole=False) if is_whole else None
    value: JsonValue = body
    for token in rest.split("/"):
        if token == _WRITTEN and isinstance(value, dict):
            value = _own_text(value)
        elif isinstance(value, dict):
            value = value.get(token.replace("~1", "/").replace("~0", "~"))
        else:
            is_index = token.isascii() and token.isdecimal() and len(token) < _LONGEST_NUMBER
            index = int(token) if is_index else -1
            listed = array_of(value)
            value = listed[index] if 0 <= index < len(listed) else None
    return value


_LONGEST_NUMBER = 8


def _inside(value: JsonValue) -> Iterator[tuple[str, JsonValue]]:
    """Yield what an array or object holds, by the tokens of JSON Pointers."""
    if isinstance(value, dict):
        yield from ((_token(key), inner) for key, inner in value.items())
    elif isinstance(value, list):
        yield from ((str(index), inner) for index, inner in enumerate(value))


def _token(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")
