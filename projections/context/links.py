"""What messages say of the context of a model: which message they follow, what they leave out.

A reader keeps what its source says of its tree, its compactions and rewinds beside its messages,
under the name of its wire, or as a message of its own type. A `LinkReader` of that wire says what
this comes to, in the words of this module; `context.py` alone computes with it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from agentlog.domain.events import Event
from agentlog.domain.json.values import JsonValue, object_of
from agentlog.domain.messages import CustomMessage, InputMessage
from agentlog.extension import Registry
from agentlog.projections.residue import METADATA_KEY
from agentlog.projections.view import Item

Cause = Literal["compaction", "truncation", "rewind", "branch", "deletion"]
"""Why a message left a context.

It was summed up; cut off for its length; taken back with all after it; it is of a branch that does
not go on; or it was deleted by itself.
"""

WRITTEN = "written"
"""The metadata key of texts that a program wrote in the user's name: no turn begins with them."""


@dataclass(frozen=True, slots=True)
class Standing:
    """A message as it stands in a context, and the names of what it is part of."""

    event: Event
    keys: frozenset[str] = frozenset()

    @property
    def version(self) -> int:
        """The version of the message that it is, or that brought it."""
        return self.event.version

    @property
    def begins_turn(self) -> bool:
        """Whether a person said it."""
        is_input = type(self.event.message) is InputMessage
        return is_input and not self.event.metadata.get(WRITTEN)


class Again(NamedTuple):
    """A message that a source tells again: what was said by its key before, or these drafts."""

    key: str | None
    drafts: Sequence[Item] = ()


Sends = Sequence[Item | Again]

Keeps = Callable[[Sequence[Standing]], Sequence[Standing]]
"""Returns those of the messages of a context that stay in it."""


@dataclass(frozen=True, slots=True)
class Change:
    """What a message does to the context before it.

    `is_summed_up` if a summary takes the place of what goes. `is_exact` if what it brings is the
    whole context as the provider was sent it: then nothing before it matters.
    """

    cause: Cause
    keeps: Keeps
    is_summed_up: bool = False
    is_exact: bool = False


@dataclass(frozen=True, slots=True)
class Link:
    """What a message says of the context.

    `key` is the name by which others name it, `parent` the key of the message that it follows; None
    is the one before it in the log, unless it is a `root`. If it `stays_with` its parent, it stands
    in each context of which that is part.

    `sent` are the messages that stand for it, or return them; None for itself. They stand at the
    index `at` of what is kept, None for the end. A prompt (`is_prompt`) stands before all, and no
    change takes it away. `missing` names what of the context is not on record.
    """

    key: str | None = None
    parent: str | None = None
    root: bool = False
    stays_with: bool = False
    sent: Sends | Callable[[], Sends] | None = None
    at: int | None = None
    change: Change | None = None
    is_summary: bool = False
    is_prompt: bool = False
    missing: str | None = None

    @property
    def pieces(self) -> Sends:
        """What stands for the message; nothing where it stands for itself."""
        return self.sent() if callable(self.sent) else self.sent or ()


LinkReader = Callable[[Event, Item], Link | None]
"""Returns the link of an event, by the fields that its wire keeps; None where it says nothing.

It is called with all events of its wire in a thread, in their order, and may remember them.
"""
Links = Callable[[], LinkReader]

LINKS: Registry[Links] = Registry(
    "links", {"agentlog": "agentlog.projections.exchanges.links:recorded_links"}
)


def fields_of(event: Event) -> tuple[str, Item] | None:
    """Return the wire whose links an event may have, and what that keeps of it.

    For a message of an own type that is its payload, and for all what stands beside them.
    """
    wires: Mapping[str, JsonValue] = object_of(event.metadata.get(METADATA_KEY))
    own = event.type.partition(".")[0] if "." in event.type else None
    for wire in (*wires, own):
        if wire is not None and wire in LINKS:
            match wires.get(wire):
                case [{"set": dict(beside)}, *_]:
                    pass
                case _:
                    beside = {}
            if wire == own and isinstance(event.message, CustomMessage):
                beside = {**object_of(event.message.payload), **beside}
            return wire, beside
    return None


def nothing(_: Sequence[Standing]) -> Sequence[Standing]:
    """Keep nothing."""
    return ()
