"""Registry of formats by name, and the finding out of a document's format."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from shlex import quote

from typing_extensions import override

from agentlog.domain.errors import InvalidInput, UnknownFormat
from agentlog.domain.json.text import print_text
from agentlog.domain.json.values import JsonValue
from agentlog.extension import Registry
from agentlog.projections.readers.history import Encoding, Format


@dataclass(frozen=True, slots=True)
class Remedy:
    """Options with which `agentlog import` takes what it refused, `alone` without other files."""

    options: Mapping[str, str]
    alone: bool = False

    @override
    def __str__(self) -> str:
        """Return what to do."""
        options = " ".join(f"--{name} {quote(value)}" for name, value in self.options.items())
        return f"import {'this file by itself ' if self.alone else ''}with {options}"


class RefusedSource(InvalidInput):
    """A file or record that is not imported as it is; `remedy` is None where none is known."""

    def __init__(self, reason: str, remedy: Remedy | None) -> None:
        way_out = "`agentlog formats` lists those that are read" if remedy is None else remedy
        super().__init__(f"{reason}: {way_out}")
        self.remedy = remedy


FORMATS: Registry[Format] = Registry(
    "formats",
    {
        "anthropic": "agentlog.projections.readers.messages.anthropic:FORMAT",
        "bedrock": "agentlog.projections.readers.messages.bedrock:FORMAT",
        "openai": "agentlog.projections.readers.messages.chat:FORMAT",
        "chat-completions": "agentlog.projections.readers.wires.chat_completions:FORMAT",
        "gemini": "agentlog.projections.readers.messages.gemini:FORMAT",
        "genai": "agentlog.projections.readers.messages.genai:FORMAT",
        "kernel": "agentlog.projections.readers.wires.kernel:FORMAT",
        "langchain": "agentlog.projections.readers.messages.langchain:FORMAT",
        "letta": "agentlog.projections.readers.wires.letta:FORMAT",
        "maria": "agentlog.projections.readers.wires.maria:FORMAT",
        "openletta": "agentlog.projections.readers.wires.openletta:FORMAT",
        "pydantic-ai": "agentlog.projections.readers.messages.pydantic_ai:FORMAT",
        "responses": "agentlog.projections.readers.messages.responses:FORMAT",
    },
)

_KEYS_SHOWN, _DEEPEST = 12, 3


class UnclearFormat(RefusedSource):
    """No format is recognised, or several are."""


def choose_format(name: str) -> Format:
    """Return the format `name`.

    Raises:
        UnknownFormat: no format has that name.
    """
    if name not in FORMATS:
        raise UnknownFormat(name, known=tuple(FORMATS))
    return FORMATS[name]


def suffixes_of(encoding: Encoding) -> tuple[str, ...]:
    """Return how names of files with this encoding end, beside those of any JSON."""
    return tuple(
        suffix
        for known in FORMATS.values()
        if known.encoding == encoding
        for suffix in known.suffixes
    )


def recognise(values: Sequence[JsonValue]) -> Format:
    """Return the format of a file by its values: its lines, the items of its array, or its object.

    Raises:
        UnclearFormat: naming the candidates, or what stands there instead.
    """
    known = _of_documents(values) or _of_items(values)
    if len(known) == 1:
        return known[0]
    if known:
        names = ", ".join(chosen.name for chosen in known)
        raise UnclearFormat(f"may be any of {names}", Remedy({"format": known[0].name}))
    reason = f"of no format that is known, {_described(values)}"
    raise UnclearFormat(reason, histories_in(values[0]) if values else None)


def histories_in(value: JsonValue) -> Remedy | None:
    """Return how to import what stands deeper in a value; None if nothing is known there."""
    for path, inner in _inside(value, "$", 0):
        items = inner if isinstance(inner, list) else [inner]
        for chosen in _of_documents(items):
            return Remedy({"records": path, "format": chosen.name})
        for chosen in _of_items(items) if inner is items else ():
            return Remedy({"messages": path, "format": chosen.name})
    return None


def _inside(value: JsonValue, path: str, depth: int) -> Iterator[tuple[str, JsonValue]]:
    """Yield the arrays and objects inside an object, with their JSONPaths; the outer ones first."""
    if not isinstance(value, dict):
        return
    inside = [(f"{path}{_step(key)}", inner) for key, inner in value.items()]
    yield from ((place, inner) for place, inner in inside if inner)
    if depth < _DEEPEST:
        for place, inner in inside:
            yield from _inside(inner, place, depth + 1)


def _step(key: str) -> str:
    return f".{key}" if key.isidentifier() and key.isascii() else f"[{print_text(key)}]"


def _of_documents(values: Sequence[JsonValue]) -> list[Format]:
    """Return the formats of which some value is a document by itself."""
    return _knowing(lambda chosen: any(map(chosen.is_document, values)))


def _of_items(values: Sequence[JsonValue]) -> list[Format]:
    """Return the formats of which some value is an item of a document."""
    return _knowing(lambda chosen: any(map(chosen.is_item, values)))


def _knowing(knows: Callable[[Format], bool]) -> list[Format]:
    """Return the formats that know something, the least general ones of them."""
    known = [chosen for chosen in FORMATS.values() if knows(chosen)]
    least = min((chosen.generality for chosen in known), default=0)
    return [chosen for chosen in known if chosen.generality == least]


def _described(values: Sequence[JsonValue]) -> str:
    match values:
        case [dict(item), *_]:
            keys = ", ".join(map(repr, list(item)[:_KEYS_SHOWN]))
            return f"an object with {keys}" if keys else "an empty object"
        case [first, *_]:
            return f"a JSON {type(first).__name__}"
        case _:
            return "nothing"
