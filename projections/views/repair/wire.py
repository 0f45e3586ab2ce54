"""How the repair reads and writes the messages of an API."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import ClassVar, Literal, NamedTuple

from agentlog.domain.json.values import JsonValue
from agentlog.projections.api_rules.rule import Limits
from agentlog.projections.view import Item
from agentlog.projections.views.repair.pairing import Call

MARK = "agentlog"
"""The key under which marks say what the repair did to a message, a result or a block."""
RECORDED = "agentlog_recorded"
"""The key under which marks say what is on record in the place of what was changed."""
RESULT = "agentlog_result"
"""The key of what a result has on record: the id of its call and the name of its tool, perhaps
null. Never shown; a result without the key has them by its API's own keys."""


class Result(NamedTuple):
    """A result, with the id of its call; None where it has none, and then perhaps a name."""

    call_id: str | None
    name: str | None
    unit: Item


class Wire(ABC):
    """The messages of an API: which are calls and results, and how they stand.

    A result's *unit* is what one result is: a message, a block, a part or an item.
    """

    limits: ClassVar[Limits]
    begins: ClassVar[Item | None] = None
    """What is put before a first message that is not the user's."""
    moves: ClassVar[bool] = True
    """Whether results stand right after their calls, or anywhere later."""
    renames: bool = True
    """Whether ids and names that the API refuses are replaced."""
    has_own_ids: ClassVar[bool] = False
    """Whether messages may have `own_ids`."""
    joins_made: ClassVar[bool] = False
    """Whether a call that was made for a result is joined with the message before it."""
    answers_whole: ClassVar[bool] = True
    """Whether all calls of a turn are answered once one is."""

    joins: ClassVar[Literal["none", "response", "all"]] = "none"
    """Which messages of the model in a row are one: none, those of one response, or all."""
    sorts_results: ClassVar[bool] = False
    """Whether the results of a turn stand in the order of its calls."""

    @abstractmethod
    def clean(self, item: Item) -> Item | None:
        """Return what the API takes of a message by itself, None where nothing is left.

        Returns the very message where all is taken.
        """

    def is_whole(self, item: Item) -> bool:
        """Return whether `finish` changes nothing."""
        del item
        return True

    def finish(self, item: Item) -> Item:
        """Return a message of the model as it is on record, once nothing is joined with it."""
        return item

    @abstractmethod
    def is_answer(self, item: Item) -> bool:
        """Return whether a message is the model's."""

    @abstractmethod
    def calls(self, item: Item) -> Sequence[Call]:
        """Return the calls in a model's message."""

    @abstractmethod
    def with_calls(self, item: Item, calls: Sequence[Call]) -> Item:
        """Return a message whose calls have these ids and names, in order."""

    def own_ids(self, item: Item) -> Sequence[str]:
        """Return ids in a message that are no calls' of the client, and unique too."""
        del item
        return ()

    def with_own_ids(self, item: Item, ids: Callable[[str], str]) -> Item:
        """Return a message with other such ids."""
        del ids
        return item

    @abstractmethod
    def results(self, item: Item) -> Sequence[Result]:
        """Return the results in a message."""

    @abstractmethod
    def with_call(self, unit: Item, call: Call) -> Item:
        """Return a result as that of a call."""

    def as_orphan(self, unit: Item) -> Item:
        """Return a result as that of a call that `call_for` makes."""
        return unit

    def own_id(self, unit: Item) -> str:
        """Return the id under which a result without an id in the record is shown."""
        results = self.results(plain(unit))
        return next((result.call_id for result in results if result.call_id), "call")

    @abstractmethod
    def call_for(self, call: Call) -> Item:
        """Return a model's message that makes a call, of which nothing more is known."""

    @abstractmethod
    def filler(self, call: Call) -> Item:
        """Return a result that says that there is none."""

    def joined(self, item: Item, more: Item) -> Item | None:
        """Return two messages of the model as one; None where they stay two."""
        del item, more
        return None

    def grouped(self, units: Sequence[Item]) -> Item | None:
        """Return results as one message; None where each is a message of its own."""
        del units
        return None

    def words(self, item: Item) -> Item | None:
        """Return a message without its results; None where nothing is left."""
        del item
        return None

    def keeps_whole(self, item: Item, calls: Sequence[Call]) -> bool:
        """Return whether a message of results and words may stand right after these calls."""
        del item, calls
        return False

    def with_answered(self, item: Item, calls: Sequence[Call]) -> Item:
        """Return a message of results as those of these calls, in order."""
        del calls
        return item

    def lifted(self, unit: Item) -> tuple[Item, Item | None]:
        """Return a result, and a message after all results that has what it cannot have."""
        return unit, None

    def as_last(self, item: Item) -> Item:
        """Return a message of the model as it may stand at the very end."""
        return item

    def is_apart(self, item: Item) -> bool:
        """Return whether a request has a message apart from the others: its prompt."""
        del item
        return False

    def is_lead(self, item: Item) -> bool:
        """Return whether a message is left out where nothing of the model follows, once cleaned."""
        del item
        return False

    def leads(self, item: Item) -> bool:
        """Return whether such a message may stand before this one."""
        del item
        return True

    def marks(self, item: Item) -> int:
        """Return how many marks of caches a message has."""
        del item
        return 0

    def without_marks(self, item: Item, most: int) -> Item:
        """Return a message with the last marks of caches only."""
        del most
        return item


def with_mark(item: Item, mark: str | None, recorded: JsonValue = None) -> Item:
    """Return a message that says what was done to it."""
    if mark is None and recorded is None:
        return item
    marked = item if mark is None else {**item, MARK: mark}
    return marked if recorded is None else {**marked, RECORDED: recorded}


def without_recorded(item: Item) -> Item:
    """Return a message without what its marks, and those of its blocks, say is on record."""
    return {
        key: [without_recorded(part) if isinstance(part, dict) else part for part in value]
        if isinstance(value, list)
        else value
        for key, value in item.items()
        if key != RECORDED
    }


def plain(item: Item) -> Item:
    """Return a message or result without what is never shown."""
    if RESULT not in item:
        return item
    without = item.copy()
    del without[RESULT]
    return without


def without_records(item: Item) -> Item:
    """Return a message as it is on record, without what is never shown in it and its parts."""
    return {
        key: [plain(part) if isinstance(part, dict) else part for part in value]
        if isinstance(value, list)
        else value
        for key, value in plain(item).items()
    }


def with_record(unit: Item, call_id: str | None, name: str | None) -> Item:
    """Return a result, which is the caller's own, with what it has on record.

    Where its API's keys say the same it is left as it is.
    """
    if call_id is None or name is not None:
        unit[RESULT] = [call_id, name]
    return unit


def recorded_of(unit: Item) -> tuple[str | None, str | None] | None:
    """Return the id and the name that a result has on record; None where its own keys say them."""
    match unit.get(RESULT):
        case None:
            return None
        case [call_id, name]:
            return _text(call_id), _text(name)
        case _:
            return None, None


def _text(value: JsonValue) -> str | None:
    return value if isinstance(value, str) and value else None
