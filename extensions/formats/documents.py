"""Documents of a run's state, by name, with the sum of their sizes; changes share what stays."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from agentlog.domain.fields import Json
from agentlog.domain.json.text import print_bytes
from agentlog.domain.json.values import JsonValue
from agentlog.extensions.formats.json_patch import Failure

MOST_BYTES = 2 * 2**20
"""Bytes of all documents as JSON; what would make them larger is not applied."""


class Removed:
    """In place of a value: the key is gone."""


REMOVED: Final = Removed()

Changes = Mapping[str, JsonValue | Removed]


@dataclass(slots=True)  # not frozen: construction would take 4x as long per event
class Documents:
    """Objects by name, none of them empty; immutable by convention."""

    named: dict[str, dict[str, Json]] = field(default_factory=dict)
    size: int = 0

    def members(self, name: str) -> dict[str, JsonValue]:
        """Return the members of a document; none where it is not there."""
        return self.named.get(name, {})

    def changed(self, name: str, changes: Changes) -> tuple["Documents", list[Failure]]:
        """Return the documents with these members of one, and what would be too large."""
        if not changes:
            return self, []
        members, size, failures = dict(self.members(name)), self.size, list[Failure]()
        for key, value in changes.items():
            after = size - _size_of(key, members[key]) if key in members else size
            if isinstance(value, Removed):
                members.pop(key, None)
            elif (grown := after + _size_of(key, value)) <= MOST_BYTES:
                members[key], after = value, grown
            else:
                failures.append(Failure(f"{name}.{key}"[:200], "the state would be too large"))
                continue
            size = after
        named = {**self.named, name: members}
        if not members:
            del named[name]
        return Documents(named, size), failures

    def replaced(
        self, name: str, members: Mapping[str, JsonValue]
    ) -> tuple["Documents", list[Failure]]:
        """Return the documents with only these members of one."""
        gone = {key: REMOVED for key in self.members(name) if key not in members}
        return self.changed(name, {**gone, **members})


def changes_between(
    before: Mapping[str, JsonValue], after: Mapping[str, JsonValue], keys: Iterable[str]
) -> dict[str, JsonValue | Removed]:
    """Return the changes of some keys."""
    return {
        key: after.get(key, REMOVED)
        for key in keys
        if key in before or key in after
        if before.get(key, REMOVED) is not after.get(key, REMOVED)
    }


def _size_of(key: str, value: JsonValue) -> int:
    return len(key) + len(print_bytes(value))
