"""Reader of Letta's agent files (`.af`): the first version, of one agent, and the second."""

from collections.abc import Iterator, Sequence

from agentlog.domain.errors import InvalidJson, InvalidMessage
from agentlog.domain.json.text import parse
from agentlog.domain.json.values import JsonValue, array_of
from agentlog.extensions.formats.letta.messages import KNOWN, Messages, without_nulls
from agentlog.projections.readers.fields import Fields, milliseconds
from agentlog.projections.readers.history import Format, History
from agentlog.projections.readers.reading import Reading
from agentlog.projections.view import Item

_FACTS = {
    "name": "agent",
    "agent_type": "agentType",
    "description": "description",
    "version": "agentVersion",
}
_SPEAKS_IN_TEXT = "letta_v1_agent"
"""The type of agents whose text is said to the user; that of others beside calls is thought."""


def _opened(document: JsonValue) -> JsonValue:
    """Return the document in a text: clients save the export, itself a text, as JSON."""
    if not isinstance(document, str):
        return document
    try:
        return parse(document)
    except InvalidJson:
        return document


def _is_file(value: JsonValue) -> bool:
    match _opened(value):
        case {"agents": [{"messages": list(), "agent_type": _}, *_], "blocks": list()}:
            return True
        case {"agent_type": str(), "messages": list(), "core_memory": list()}:
            return True
        case _:
            return False


def _read(document: JsonValue) -> Iterator[History]:
    file = Fields(_opened(document), "")
    if "agents" not in file.item:
        memory = list(file.items("core_memory"))
        created = milliseconds(file.item.get("updated_at"))
        yield _history(file, memory, created, {})
        return
    agents = file.take("agents")
    if not isinstance(agents, list):
        raise InvalidMessage.at("agents", "not an array of agents")
    created = milliseconds(file.item.get("created_at"))
    own = [_named(agent, "block_ids") for agent in agents]
    blocks = list(file.items("blocks"))
    unused = [b.item for b in blocks if not any(b.item.get("id") in shared for shared in own)]
    if unused:
        file.put("blocks", [*unused])
    of_file: Item = {"file": left} if (left := file.left()) else {}
    for n, given in enumerate(agents):
        agent = Fields(given, f".agents[{n}]")
        memory = [Fields(b.item, b.place) for b in blocks if b.item.get("id") in own[n]]
        yield _history(agent, memory, created, of_file if n == 0 else {})


def _named(agent: JsonValue, key: str) -> list[JsonValue]:
    named = agent.get(key) if isinstance(agent, dict) else None
    return array_of(named)


def _history(
    agent: Fields, memory: Sequence[Fields], exported: int | None, of_file: Item
) -> History:
    """Return the history of an agent, which ends in its memory and settings when it was exported.

    The settings of the first agent have what is of the whole file.
    """
    messages = agent.take("messages")
    if not isinstance(messages, list):
        raise InvalidMessage.at(f"{agent.place}.messages".lstrip("."), "not an array")
    reading = Reading("letta-agent", known=KNOWN)
    history = Messages(reading, thinks_in_text=agent.item.get("agent_type") != _SPEAKS_IN_TEXT)
    for n, message in enumerate(messages):
        history.read(Fields(message, f"{agent.place}.messages[{n}]"), n)
    at: Item = {} if exported is None else {"timestamp": exported}
    with reading.by_content():
        _add_memory(reading, memory, at)
        settings = Fields({**agent.left(), **of_file}, agent.place)
        reading.keep(settings, "agent", is_known=True, of_draft=at)
    return reading.history(metadata=_facts(agent.item))


def _add_memory(reading: Reading, memory: Sequence[Fields], at: Item) -> None:
    mode = "replace"
    for block in memory:
        without_nulls(block)
        if (text := block.text("value")) is None:
            reading.keep(block, "block", is_known=True, of_draft=at)
            continue
        reading.add({**at, "type": "scratchpad", "text": text, "mode": mode}, block)
        mode = "append"


def _facts(agent: Item) -> Item:
    config = agent.get("llm_config")
    model = config.get("model") if isinstance(config, dict) else None
    facts = {ours: agent.get(theirs) for theirs, ours in _FACTS.items()} | {"model": model}
    return {key: value for key, value in facts.items() if isinstance(value, str)}


FORMAT = Format(
    "letta-agent",
    "Letta agent files",
    _read,
    is_document=_is_file,
    unit="Letta agent",
    suffixes=(".af",),
)
