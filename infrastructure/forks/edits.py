"""Edits of a fork, as a caller gives them."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Literal

from agentlog.domain.errors import Flaw, InvalidMessage
from agentlog.domain.facts import ForkEdit
from agentlog.domain.json.canonical import canonical_bytes
from agentlog.domain.json.values import JsonValue

MOST_EDITS = 1000
"""Most edits of one fork."""


@dataclass(frozen=True, slots=True)
class Edit:
    """A change of a fork at a version of its origin, and the message that it puts in, if any."""

    kind: Literal["drop", "replace", "insert"]
    version: int
    message: JsonValue = None

    @property
    def recorded(self) -> ForkEdit:
        """The edit as the fork's first fact has it."""
        digest = None
        if self.kind != "drop":
            digest = sha256(canonical_bytes(self.message)).hexdigest()
        return ForkEdit(kind=self.kind, version=self.version, sha256=digest)


def edits_in(value: JsonValue) -> list[Edit]:
    """Return edits from JSON: `{"drop": V}`, `{"replace": V, "message": M}`, `{"insert": V, …}`.

    Raises:
        InvalidMessage: with every flaw, each at its place.
    """
    if not isinstance(value, list) or len(value) > MOST_EDITS:
        raise InvalidMessage.at("edits", f"send an array of at most {MOST_EDITS} edits")
    edits, flaws = [], []
    for index, item in enumerate(value):
        edit = _edit_in(item)
        if edit is None:
            reason = (
                'send {"drop": VERSION}, {"replace": VERSION, "message": {…}} or '
                '{"insert": VERSION, "message": {…}}'
            )
            flaws.append(Flaw(f"edits[{index}]", reason))
        else:
            edits.append(edit)
    if flaws:
        raise InvalidMessage(flaws)
    return edits


def _edit_in(item: JsonValue) -> Edit | None:
    match item:
        case {"drop": int(version), **others} if not others and version is not True:
            return Edit("drop", version)
        case {"replace": int(version), "message": message, **others} if not others:
            return Edit("replace", version, message)
        case {"insert": int(version), "message": message, **others} if not others:
            return Edit("insert", version, message)
        case _:
            return None


def check_edits(edits: Sequence[Edit], versions: Collection[int], *, origin: str) -> None:
    """Check that each edit is at a message of the origin, and that no two change the same.

    Raises:
        InvalidMessage: with every flaw, each at its place.
    """
    flaws = []
    changed: set[int] = set()
    for index, edit in enumerate(edits):
        place = f"edits[{index}]"
        if edit.version not in versions and not (edit.kind == "insert" and edit.version == 0):
            reason = f"version {edit.version} of thread {origin!r} is no message of the fork"
            flaws.append(Flaw(place, reason))
        elif edit.kind != "insert" and edit.version in changed:
            flaws.append(Flaw(place, f"version {edit.version} is changed by an edit before it"))
        elif edit.kind != "insert":
            changed.add(edit.version)
    if flaws:
        raise InvalidMessage(flaws)
