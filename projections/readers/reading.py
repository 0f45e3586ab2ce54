"""Reading one history: its messages as they come, with all that no message has."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from agentlog.domain.errors import InvalidMessage
from agentlog.domain.identifiers import derived_message_id
from agentlog.domain.json.text import print_text
from agentlog.domain.json.values import JsonValue, object_at, text_at
from agentlog.projections.readers.draft import Draft, Unmapped
from agentlog.projections.readers.fields import Fields
from agentlog.projections.readers.history import History, items_in
from agentlog.projections.residue import METADATA_KEY
from agentlog.projections.view import Item

_UNFIT = re.compile(r"[^A-Za-z0-9_-]")


def custom_type(wire: str, kind: str) -> str:
    """Return the type of messages of a kind that the catalogue does not have: `WIRE.KIND`."""
    return f"{wire}.{_UNFIT.sub('-', kind[:64]) or 'item'}"


class Reading:
    """The messages of one history in their order, and what of it no reader knows."""

    def __init__(self, wire: str, *, known: Iterable[str] = ()) -> None:
        """Begin; `known` are fields that are kept beside their message as a matter of course."""
        self.wire = wire
        self.drafts: list[Draft] = []
        self.unmapped: list[Unmapped] = []
        self._known = frozenset(known)
        self.of_whole: set[str] = set()
        self._unknown = 0

    def add(self, draft: Draft, *kept: Fields, parts: Sequence[Fields] = ()) -> None:
        """Add a message; what is left of the objects it was made of goes into its metadata.

        What is left of `parts` stands in an array of its own, `parts`.
        """
        left: Item = {}
        for fields in kept:
            left |= self._noted(fields)
        lefts: list[JsonValue] = [noted for part in parts if (noted := self._noted(part))]
        if lefts:
            left["parts"] = lefts
        if left:
            residue: Item = {METADATA_KEY: {self.wire: [{"set": left}]}}
            draft = {**draft, "metadata": {**object_at(draft, "metadata"), **residue}}
        self.drafts.append(draft)

    def _noted(self, fields: Fields) -> Item:
        for untaken, keys in fields.untaken():
            self.note(untaken, keys)
        return fields.left()

    def note(self, fields: Fields, keys: Iterable[str]) -> None:
        """Note fields that the reader does not know."""
        for key in keys:
            if key not in self._known:
                self.unmapped.append(Unmapped(fields.within(key), f"field {key!r}"))

    def keep(
        self,
        fields: Fields,
        kind: str,
        *,
        beside: Sequence[Fields] = (),
        is_known: bool = False,
        of_draft: Draft | None = None,
    ) -> None:
        """Add a whole object as a message of its own type, `WIRE.KIND`.

        What is left of the objects `beside` goes into its metadata.
        """
        draft: Draft = {"type": custom_type(self.wire, kind), "payload": fields.item}
        self.add({**(of_draft or {}), **draft}, *beside)
        if not is_known:
            self._unknown += 1
            self.unmapped.append(Unmapped(fields.place, f"kind {kind!r}"))

    def keep_left(self, fields: Fields, kind: str, **of_draft: JsonValue) -> None:
        """Add what is left of an object, if anything, as a message of its own type."""
        if left := self._noted(fields):
            self._unknown += 1
            self.drafts.append({**of_draft, "type": f"{self.wire}.{kind}", "payload": left})

    @contextmanager
    def by_content(self) -> Iterator[None]:
        """Give what is added in the block ids of its content, instead of its place.

        For what tells of the whole: in a later version, with more messages, it is another message.
        """
        first, seen = len(self.drafts), Counter[str]()
        yield
        for number, draft in enumerate(self.drafts[first:], first):
            text = print_text(draft)
            message_id = derived_message_id(self.wire, text, seen[text])
            self.drafts[number] = {"id": message_id, **draft}
            self.of_whole.add(message_id)
            seen[text] += 1

    def taken(self) -> list[Draft]:
        """Return the messages so far, which are another's from here on."""
        drafts, self.drafts = self.drafts, []
        self.unmapped = []
        return drafts

    def history(
        self,
        *,
        id: str | None = None,  # noqa: A002 - the field of a history
        goal: str | None = None,
        parent: str | None = None,
        metadata: Mapping[str, JsonValue] | None = None,
    ) -> History:
        """Return what was read, with facts of its thread."""
        return History(
            self.drafts,
            id=id,
            goal=goal,
            parent=parent,
            metadata=metadata or {},
            unmapped=self.unmapped,
            of_whole=self.of_whole,
            is_blank=0 < len(self.drafts) <= self._unknown,
        )


class Entry:
    """The messages made of one item of a source; the first has what is left of the item itself.

    `of_draft` are fields of all its messages; an `id` is that of the first, from which those of
    the others are derived.
    """

    def __init__(self, reading: Reading, *item: Fields, **of_draft: JsonValue) -> None:
        self.count = 0
        self._reading = reading
        self._item = item
        self._of_draft = of_draft

    def add(self, draft: Draft, *parts: Fields) -> None:
        """Add a message that was made of these parts of the item."""
        self._reading.add({**self._next(), **draft}, *self._beside(), parts=parts)
        self.count += 1

    def keep(self, part: Fields, kind: str, *, is_known: bool = False) -> None:
        """Add a whole part of the item as a message of its own type."""
        beside = [other for other in self._beside() if other is not part]
        self._reading.keep(part, kind, beside=beside, is_known=is_known, of_draft=self._next())
        self.count += 1

    def _next(self) -> Draft:
        first_id = text_at(self._of_draft, "id")
        if self.count == 0 or first_id is None:
            return self._of_draft
        return {**self._of_draft, "id": derived_message_id(first_id, self.count)}

    def _beside(self) -> Sequence[Fields]:
        return () if self.count else self._item


def messages_of(reading: Reading, document: JsonValue) -> Iterator[Fields]:
    """Yield the messages of an array, or of an object with `messages`, whose rest is kept.

    Raises:
        InvalidMessage: the document has none.
    """
    items = items_in(document)
    if items is None:
        raise InvalidMessage.at("", "has no messages")
    rest = (
        {key: value for key, value in document.items() if key != "messages"}
        if isinstance(document, dict)
        else {}
    )
    if rest:
        whole = Fields(rest, "")
        reading.keep(whole, "document", is_known=True)
        reading.note(whole, rest)
    place = "" if isinstance(document, list) else "messages"
    for n, item in enumerate(items):
        yield Fields(item, f"{place}[{n}]")
