"""Own types by wire: the core's, and those of extensions."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from agentlog.domain.json.values import JsonValue, object_of, objects_of, text_at
from agentlog.extension import Registry
from agentlog.projections.call_texts import value_text
from agentlog.projections.view import Item

Fields = Mapping[str, JsonValue]
Text = Callable[[Fields], str]
Mark = Callable[[Fields], Item | None]

MOST_PARTS = 4
_PLACES = re.compile(
    r"(?:^|_)(?:u?u?id|hash|digest|timestamp|ordinal|version|working_start|cwd)$|[a-z]Id$"
    r"|^(?:event|type|isSidechain|isMeta|userType|entrypoint|gitBranch|parentUuid)$"
)
_UUID = re.compile(r"[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}", re.IGNORECASE)


def distinguishing(fields: Fields) -> str:
    """Return the fields that say something, plain ones first; those of an envelope's content."""
    inner = object_of(fields.get("payload") or fields.get("attachment"))
    members = [(name, value) for name, value in (inner or fields).items() if _says(name, value)]
    plain = [part for part in members if not isinstance(part[1], dict | list)]
    nested = [part for part in members if isinstance(part[1], dict | list)]
    parts = [*plain, *nested][:MOST_PARTS]
    return ", ".join(f"{name}: {value_text(value)}" for name, value in parts)


def _says(name: str, value: JsonValue) -> bool:
    if value is None or value is False or value in ("", [], {}) or _PLACES.search(name):
        return False
    return not (isinstance(value, str) and _UUID.fullmatch(value))


def content(fields: Fields) -> str:
    """Return the text of `content`, which may be in parts."""
    parts = " ".join(texts(*(part.get("text") for part in objects_of(fields.get("content")))))
    text = text_at(fields, "content") or parts
    return text or distinguishing(fields)


def joined(*parts: JsonValue) -> str:
    """Return the parts that are texts, in one."""
    return " · ".join(texts(*parts))


def texts(*parts: JsonValue) -> Iterator[str]:
    """Yield the parts that are texts and not empty."""
    for part in parts:
        if isinstance(part, str) and part:
            yield part


def mark(kind: str, key: str | None, name: str | None = None) -> Item:
    """Return what begins or ends a group: `kind` is begin or end, `key` the id of the group."""
    return {"mark": kind, "id": key, "name": name}


@dataclass(frozen=True, slots=True)
class OwnTypes:
    """Types of one wire, by kind: what a payload says in a line, and what it begins or ends.

    `record` reads those that have no mark of their own: records of runs.
    """

    texts: Mapping[str, Text] = field(default_factory=dict)
    marks: Mapping[str, Mark] = field(default_factory=dict)
    record: Mark | None = None


OWN_TYPES: Registry[OwnTypes] = Registry(
    "own_types", {"langgraph": "agentlog.projections.own_types.langgraph:OWN_TYPES"}
)
_NONE = OwnTypes()


def own_types_of(wire: str) -> OwnTypes:
    """Return the types of a wire; nothing of one that is not known."""
    return OWN_TYPES.get(wire, _NONE)
