"""The way out of a refusal: options that read the very records, tried before they are named."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice

from agentlog.domain.errors import AgentlogError, InvalidInput, InvalidMessage
from agentlog.domain.json.values import JsonValue, array_of
from agentlog.infrastructure.transfer.documents import Plan, UnreadRecords
from agentlog.infrastructure.transfer.files.records import SourceRecord
from agentlog.infrastructure.transfer.record_path import InvalidPath, compile_path
from agentlog.infrastructure.transfer.threads import NothingKnown
from agentlog.projections.readers.registry import (
    RefusedSource,
    Remedy,
    UnclearFormat,
    are_one,
    choose_format,
)
from agentlog.projections.readers.trial import tried
from agentlog.projections.readers.ways import recognised_in, telling_most

_MOST_WAYS = 24


class NotRead(RefusedSource):
    """A reader cannot read a record, which is read otherwise."""


def with_way_out(
    plan: Plan,
    error: AgentlogError,
    record: SourceRecord | None = None,
    beside: Sequence[SourceRecord] = (),
) -> AgentlogError:
    """Return a refusal with the way out that reads most of what was refused, if there is one.

    `record` is what was refused, `beside` the first records of its file with it; None where no
    format was found for the records of a file.
    """
    match error:
        case RefusedSource(remedy=Remedy()):
            return error
        case UnreadRecords(records=records):
            return UnclearFormat(error.reason, _way_out(plan, records))
        case UnclearFormat() | NothingKnown() | InvalidMessage() if record is not None:
            in_file = record in beside and not record.places
            remedy = _way_out(plan, beside if in_file else [record], record if in_file else None)
            if remedy is None or (plan.records is not None and "records" in remedy.options):
                return error
            reason = error.reason if isinstance(error, RefusedSource) else f"{error}; otherwise"
            return NotRead(reason, remedy)
        case _:
            return error


def _way_out(
    plan: Plan, records: Sequence[SourceRecord], own: SourceRecord | None = None
) -> Remedy | None:
    """Return the way that reads most of records, or of one's own; None where none reads anything.

    What formats recognise comes first: of the rest only what a reader tells most of is tried.
    """
    values = list(chain.from_iterable(map(_values, records)))
    alone = values if own is None else _values(own)
    inside = alone if plan.messages is None else list(_found(plan.messages, alone))
    for ways in (recognised_in(alone), telling_most(inside)):
        trials = [(_told(plan, way, values, alone), way) for way in islice(ways, _MOST_WAYS)]
        most, remedy = max(trials, key=lambda pair: pair[0], default=(0, None))
        if most:
            return remedy
    return None


def _values(record: SourceRecord) -> Sequence[JsonValue]:
    """Return the value of a record, or those of the lines that it was gathered from."""
    match record.value:
        case InvalidInput():
            return []
        case list(values) if record.places:
            return values
        case value:
            return [value]


def _told(plan: Plan, way: Remedy, values: Sequence[JsonValue], alone: Sequence[JsonValue]) -> int:
    """Return how much a reader tells of values by a way, of some `alone` where each is a record."""
    chosen = choose_format(way.options["format"])
    records, messages = way.options.get("records"), way.options.get("messages", plan.messages)
    if records is not None:
        values = list(chain.from_iterable(array_of(value) for value in _found(records, values)))
        alone = list(chain.from_iterable(array_of(value) for value in _found(records, alone)))
    if messages is not None:
        documents: Iterable[JsonValue] = _found(messages, alone)
    else:
        documents = [[*values]] if are_one(chosen, values) else alone
    trials = (tried(chosen, [document]) for document in documents)
    return sum(trial.characters for trial in trials if trial is not None)


def _found(path: str, values: Sequence[JsonValue]) -> Iterator[JsonValue]:
    """Yield what a path leads to in those values in which it leads to something."""
    compiled = compile_path(path)
    for value in values:
        try:
            yield compiled.find(value)
        except InvalidPath:
            continue
