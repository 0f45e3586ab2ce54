"""Registry of formats by name, and the finding out of a document's format."""

from collections.abc import Callable, Mapping, Sequence

from domain.errors import InvalidInput, UnknownFormat
from domain.json.text import JsonValue
from projections.readers.agents import (
    atif,
    claude_code,
    codex,
    inspect_log,
    letta_agent,
    openhands,
    openhands_old,
    tau2,
)
from projections.readers.agents.swe_agents import mini_swe_agent, swe_agent
from projections.readers.datasets import alpaca, sharegpt
from projections.readers.exports import chatgpt, claude_ai
from projections.readers.history import Format
from projections.readers.models import (
    anthropic,
    bedrock,
    gemini,
    genai,
    langchain,
    pydantic_ai,
    responses,
)
from projections.readers.traces import langfuse, langsmith
from projections.readers.wires import kernel, letta, maria, openai, openletta

FORMATS: Mapping[str, Format] = {
    each.name: each
    for each in (
        responses.FORMAT,  # of general formats the first counts: before chat and the kernel's
        openai.FORMAT,
        letta.FORMAT,
        openletta.FORMAT,
        maria.FORMAT,
        kernel.FORMAT,
        alpaca.FORMAT,
        anthropic.FORMAT,
        atif.FORMAT,
        bedrock.FORMAT,
        chatgpt.FORMAT,
        claude_ai.FORMAT,
        claude_code.FORMAT,
        codex.FORMAT,
        gemini.FORMAT,
        genai.FORMAT,
        inspect_log.FORMAT,
        langchain.FORMAT,
        langfuse.FORMAT,
        langsmith.FORMAT,
        letta_agent.FORMAT,
        mini_swe_agent.FORMAT,
        openhands.FORMAT,
        openhands_old.FORMAT,
        pydantic_ai.FORMAT,
        sharegpt.FORMAT,
        swe_agent.FORMAT,
        tau2.FORMAT,
    )
}

_KEYS_SHOWN = 12


class UnclearFormat(InvalidInput):
    """No format is recognised, or several are."""


def choose_format(name: str) -> Format:
    """Return the format `name`.

    Raises:
        UnknownFormat: no format has that name.
    """
    if name not in FORMATS:
        raise UnknownFormat(name, known=tuple(FORMATS))
    return FORMATS[name]


def recognise(values: Sequence[JsonValue]) -> Format:
    """Return the format of a file by its values: its lines, the items of its array, or its object.

    Raises:
        UnclearFormat: naming the candidates, or what stands there instead.
    """
    found = _knowing(lambda each: any(map(each.is_document, values)))
    found = found or _knowing(lambda each: any(map(each.is_item, values)))
    if len(found) == 1:
        return found[0]
    if found:
        names = ", ".join(each.name for each in found)
        raise UnclearFormat(f"may be any of {names}: name one by --format")
    raise UnclearFormat(
        f"of no format that is known: {_described(values)}. Name one by --format, or the place of "
        "the messages by a JSONPath, as in --messages '$.traj'"
    )


def _knowing(knows: Callable[[Format], bool]) -> list[Format]:
    """Return the formats that know something, general ones only where no other does."""
    found = [each for each in FORMATS.values() if knows(each)]
    return [each for each in found if not each.is_general] or found[:1]


def _described(values: Sequence[JsonValue]) -> str:
    match values:
        case [dict(item), *_]:
            keys = ", ".join(map(repr, list(item)[:_KEYS_SHOWN]))
            return f"an object with {keys}" if keys else "an empty object"
        case [first, *_]:
            return f"a JSON {type(first).__name__}"
        case _:
            return "nothing"
