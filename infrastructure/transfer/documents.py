"""Finds out the format of a file, and which of its records are histories by themselves."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice

from agentlog.domain.errors import InvalidInput
from agentlog.domain.facts import Policy
from agentlog.domain.json.values import JsonValue
from agentlog.infrastructure.transfer.files.records import SourceRecord, gathered
from agentlog.infrastructure.transfer.template import check_template, named_fields
from agentlog.lazy import lazy_imports
from agentlog.projections.masking.mask import Mask
from agentlog.projections.readers.history import Format
from agentlog.projections.readers.registry import UnclearFormat, are_one, recognise

with lazy_imports():
    from agentlog.infrastructure.transfer import record_path

_LOOKED_AT = 100
"""Records by which a format is recognised: sessions begin with lines of many kinds."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How to read files.

    Without `format` each file's is found out. `records` is a JSONPath (RFC 9535) to the records in
    a file's document, `messages` one to the messages in a record. `thread_id`, `goal` and the
    values of `metadata` are templates over the record. `strict` refuses what a reader does not
    know. `masks` are the secrets that are masked before anything is written.
    """

    format: Format | None = None
    records: str | None = None
    messages: str | None = None
    thread_id: str | None = None
    goal: str | None = None
    metadata: Mapping[str, str] = field(default_factory=dict)
    policy: Policy | None = None
    strict: bool = False
    masks: Sequence[Mask] = ()

    def __post_init__(self) -> None:
        """Raise `UnfinishedField` if a template has a field without an end."""
        for template in self._templates:
            check_template(template)

    @property
    def named_fields(self) -> set[str]:
        """The fields of records that templates name."""
        return set[str]().union(*map(named_fields, self._templates))

    @property
    def _templates(self) -> list[str]:
        given = [self.thread_id, self.goal, *self.metadata.values()]
        return [template for template in given if template is not None]


class UnreadRecords(UnclearFormat):
    """The format of a file is not found out; `records` are those by which it should have been."""

    def __init__(self, error: UnclearFormat, records: Sequence[SourceRecord]) -> None:
        super().__init__(error.reason, error.remedy)
        self.records = records


class Documents:
    """Finds the documents of files by a plan; raises `InvalidPath`."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._records = _compiled(plan.records)
        self._messages = _compiled(plan.messages)

    def of(self, records: Iterator[SourceRecord]) -> tuple[Format | None, Iterator[SourceRecord]]:
        """Return the format of a file's records, and those which are read one by one.

        The format is None where no record is JSON, or has what the path to messages names.

        Raises:
            UnreadRecords: no format is recognised, or several are.
        """
        if self._records is not None:
            path = self._records
            records = chain.from_iterable(_inner(path, record) for record in records)
        first = list(islice(records, _LOOKED_AT))
        known = [record.value for record in first if not isinstance(record.value, InvalidInput)]
        records = chain(first, records)
        if not known:
            return self._plan.format, records
        if self._messages is not None:
            return self._plan.format or self._of_messages(first), records
        try:
            chosen = self._plan.format or recognise(known)
        except UnclearFormat as error:
            raise UnreadRecords(error, first) from error
        return chosen, _together(chosen, records) if are_one(chosen, known) else records

    def value(self, record: SourceRecord) -> JsonValue:
        """Return the value that a record's histories are read from; raises `InvalidInput`."""
        return self.split(record)[0]

    def split(self, record: SourceRecord) -> tuple[JsonValue, Mapping[str, JsonValue]]:
        """Return the value that a record's histories are read from, and what stands beside it."""
        if isinstance(record.value, InvalidInput):
            raise record.value
        if self._messages is None:
            return record.value, {}
        return self._messages.split(record.value)

    def _of_messages(self, records: Sequence[SourceRecord]) -> Format | None:
        for record in records:
            try:
                return recognise([self.value(record)])
            except InvalidInput:  # the record is refused for it later
                continue
        return None


def _compiled(path: str | None) -> "record_path.RecordPath | None":
    return None if path is None else record_path.compile_path(path)


def _inner(path: "record_path.RecordPath", record: SourceRecord) -> Iterator[SourceRecord]:
    """Yield the records in a record; itself if it has none."""
    if isinstance(record.value, InvalidInput):
        yield record
        return
    try:
        values, beside = path.split(record.value)
    except record_path.InvalidPath as error:
        yield replace(record, value=error)
        return
    for number, value in enumerate(values):
        place, share = f"{record.place}[{number}]", record.size // len(values)
        yield replace(
            record,
            place=place,
            number=number,
            size=share,
            value=value,
            beside={} if number else beside,
        )


def _together(chosen: Format, records: Iterator[SourceRecord]) -> Iterator[SourceRecord]:
    """Yield the records of each thread as one; what is not JSON by itself."""
    threads: dict[str | None, list[SourceRecord]] = {}
    key = None
    for record in records:
        if isinstance(record.value, InvalidInput):
            yield record
            continue
        if chosen.thread_of is not None and isinstance(record.value, dict):
            key = chosen.thread_of(record.value) or key
        threads.setdefault(key, []).append(record)
    if None in threads and len(threads) > 1:  # lines before the first that names its thread
        first = next(thread for thread in threads if thread is not None)
        threads[first] = [*threads.pop(None), *threads[first]]
    yield from (gathered(thread, n) for n, thread in enumerate(threads.values()))
