"""Own types by wire: the core's, and those of extensions."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from agentlog.extension import Registry
from agentlog.projections.own_types.fields import Mark, Text


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
