"""Registry of formats by name, and the finding out of a document's format."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from shlex import quote

from typing_extensions import override

from agentlog.domain.errors import InvalidInput, UnknownFormat
from agentlog.domain.json.values import JsonValue
from agentlog.extension import Registry
from agentlog.projections.readers.history import Encoding, Format
from agentlog.projections.readers.trial import Trial, tried


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

    def __init__(self, reason: str, remedy: Remedy | None = None) -> None:
        way_out = "`agentlog formats` lists those that are read" if remedy is None else remedy
        super().__init__(f"{reason}: {way_out}")
        self.reason = reason
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
        "responses": "agentlog.projections.readers.messages.responses:FORMAT",
    },
)

_KEYS_SHOWN = 12


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
    known = of_documents(values) or of_items(values)
    if len(known) == 1:
        return known[0]
    if known:
        trials = _trials(known, values)
        whole = [chosen for chosen, trial in trials if not trial.unknown]
        if len(trials) == 1 or len(whole) == 1:
            return trials[0][0]
        names = ", ".join(chosen.name for chosen in known)
        remedy = Remedy({"format": trials[0][0].name}) if trials else None
        raise UnclearFormat(f"may be any of {names}", remedy)
    raise UnclearFormat(f"of no format that is known, {_described(values)}")


def documents_of(chosen: Format, values: Sequence[JsonValue]) -> Sequence[JsonValue]:
    """Return the documents that the values of a file are in a format: each, or all as one."""
    return [[*values]] if are_one(chosen, values) else values


def are_one(chosen: Format, values: Sequence[JsonValue]) -> bool:
    """Return whether the values of a file are the items of one document in a format.

    Of values that it does not recognise, whether its reader tells more of them so.
    """
    if any(map(chosen.is_document, values)):
        return False
    if chosen.thread_of is not None or any(map(chosen.is_item, values)):
        return True
    whole = tried(chosen, [[*values]])
    return whole is not None and whole.characters > (tried(chosen, values) or Trial()).characters


def _trials(known: Sequence[Format], values: Sequence[JsonValue]) -> list[tuple[Format, Trial]]:
    """Return what those of several formats that read a file make of it, the least unknown first."""
    trials = ((chosen, tried(chosen, documents_of(chosen, values))) for chosen in known)
    read = [(chosen, trial) for chosen, trial in trials if trial is not None and trial.characters]
    return sorted(read, key=lambda pair: pair[1].unknown)


def of_documents(values: Sequence[JsonValue]) -> list[Format]:
    """Return the formats of which some value is a document by itself."""
    return _knowing(lambda chosen: any(map(chosen.is_document, values)))


def of_items(values: Sequence[JsonValue]) -> list[Format]:
    """Return the formats of which some value is an item of a document."""
    return _knowing(
        lambda chosen: any(map(chosen.is_item, values)) and not any(map(chosen.excludes, values))
    )


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
