"""The report of an import: what came in, and where anything was kept aside, mended or refused."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from agentlog.domain.errors import AgentlogError
from agentlog.domain.json.values import JsonValue
from agentlog.infrastructure.appending.append_request import Appended
from agentlog.infrastructure.transfer.files.records import SourceRecord
from agentlog.projections.readers.draft import Unmapped
from agentlog.projections.readers.history import Format
from agentlog.projections.readers.registry import RefusedSource, Remedy

_SHOWN_FAILURES, _SHOWN_KINDS = 100, 10
_NAMES = re.compile(r"'[^']*'|\"[^\"]*\"|\d+")


@dataclass(frozen=True, slots=True)
class ImportFinding:
    """What there is to say of a place.

    `kind` is aside, anomaly, masked, mended, refused, passed over or rewritten. `remedy` is how
    what was refused is imported, where that is known.
    """

    kind: str
    place: str
    reason: str
    remedy: Remedy | None = None

    @property
    def cause(self) -> str:
        """What findings that are alike share: the remedy, else the reason without names."""
        return _NAMES.sub("", self.reason) if self.remedy is None else str(self.remedy)

    def to_json(self) -> dict[str, JsonValue]:
        """Return the line of a report."""
        return {"kind": self.kind, "place": self.place, "reason": self.reason}


@dataclass(slots=True)
class ImportReport:
    """The result of an import; `appended` and `replayed` count events.

    `formats` counts files. `thread_ids` are those of the threads that were read and not refused.
    `kept` counts the items for which there is no type of message, by the type they were given.
    """

    formats: Counter[Format] = field(default_factory=Counter)
    thread_ids: set[str] = field(default_factory=set)
    appended: int = 0
    replayed: int = 0
    kept: Counter[str] = field(default_factory=Counter)
    findings: list[ImportFinding] = field(default_factory=list)

    def of_kind(self, kind: str) -> list[ImportFinding]:
        """Return the findings of a kind."""
        return [finding for finding in self.findings if finding.kind == kind]

    @property
    def threads(self) -> int:
        """Return the number of threads."""
        return len(self.thread_ids)

    @property
    def failures(self) -> list[ImportFinding]:
        """Return the records and files that were refused."""
        return self.of_kind("refused")

    @property
    def anomalies(self) -> int:
        """Return the number of breaches of a thread's rules."""
        return len(self.of_kind("anomaly"))

    def count(self, place: str, appended: Appended) -> None:
        """Count a thread that was written."""
        self.thread_ids.add(appended.thread_id)
        replayed = sum(receipt.replayed for receipt in appended.messages)
        self.replayed += replayed
        self.appended += len(appended.messages) - replayed
        for message_id, breach in appended.breaches:
            where = f"{place}: thread {appended.thread_id}, message {message_id}"
            self.findings.append(
                ImportFinding("anomaly", where, f"{breach.rule}: {breach.flaw.reason}")
            )

    def keep_aside(self, record: SourceRecord, unmapped: Sequence[Unmapped]) -> None:
        """Note what a reader kept without knowing it."""
        for part in unmapped:
            place = "".join(_where(record, part.place))
            self.findings.append(ImportFinding("aside", place, part.reason))

    def mask(self, place: str, hits: Counter[str]) -> None:
        """Note secrets that were masked."""
        for name, number in hits.items():
            self.findings += [ImportFinding("masked", place, name)] * number

    def mend(self, place: str, mended: Counter[str]) -> None:
        """Note what was no JSON and is read nevertheless."""
        for what, number in mended.items():
            self.findings += [ImportFinding("mended", place, what)] * number

    def refuse(self, place: str, error: AgentlogError) -> None:
        """Note a record or file that was not imported."""
        remedy = error.remedy if isinstance(error, RefusedSource) else None
        self.findings.append(ImportFinding("refused", place, str(error), remedy))

    def pass_over(self, place: str, reason: str) -> None:
        """Note a file that is not read, or has nothing to read."""
        self.findings.append(ImportFinding("passed over", place, reason))

    def lines(self) -> Iterator[str]:
        """Yield the lines that commands print: what was refused, the formats, and a table."""
        failures = self.failures
        alike: dict[str, list[ImportFinding]] = {}
        for failure in failures:
            alike.setdefault(failure.cause, []).append(failure)
        for first, *others in islice(alike.values(), _SHOWN_FAILURES):
            yield on_one_line(f"{first.place}: {first.reason}")
            if others:
                yield on_one_line(
                    f"… and {len(others):,} more for the same reason, to {others[-1].place}"
                )
        if len(alike) > _SHOWN_FAILURES:
            more = sum(map(len, list(alike.values())[_SHOWN_FAILURES:]))
            yield f"… and {more:,} more that were refused"
        for chosen, files in self.formats.items():
            counted = f"{files} file{'' if files == 1 else 's'}"
            yield f"{chosen.title}, {counted}, a thread per {chosen.unit}"
        rows = {
            "threads": (self.threads, ""),
            "events": (self.appended, f"{self.replayed} there already"),
            "kept whole": _most_frequent(self.kept),
            "kept aside": _count(self.of_kind("aside")),
            "anomalies": (self.anomalies, ""),
            "masked": _count(self.of_kind("masked")),
            "mended": _count(self.of_kind("mended")),
            "refused": (len(failures), ""),
            "passed over": _count(self.of_kind("passed over"), by_place=True),
        }
        for name, (number, note) in rows.items():
            shown = on_one_line(note) if number or name == "events" else ""
            yield f"{name:<12}{number:>9,}  {shown}".rstrip()


def closing_lines(report: ImportReport, import_id: str | None, *, hidden: int) -> Iterator[str]:
    """Yield the lines below a report; `import_id` is None for a dry run."""
    if report.appended and import_id is not None:
        yield f"`agentlog imports undo {import_id}` hides its threads"
    if hidden:
        yield f"hidden {hidden:>14,}  of these threads, by `agentlog imports undo`"


def on_one_line(text: str) -> str:
    """Return a text that may have names of files, safe for a terminal, and on one line."""
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def _count(findings: Sequence[ImportFinding], *, by_place: bool = False) -> tuple[int, str]:
    """Return how many findings there are, and the most frequent by name."""
    return _most_frequent(
        Counter(finding.place if by_place else finding.reason for finding in findings)
    )


def _most_frequent(names: Counter[str]) -> tuple[int, str]:
    """Return how many there are, and the most frequent by name."""
    listed = [f"{name} ({n})" if n > 1 else name for name, n in names.most_common(_SHOWN_KINDS)]
    more = [f"and {len(names) - _SHOWN_KINDS} more"] if len(names) > _SHOWN_KINDS else []
    return names.total(), ", ".join([*listed, *more])


def _where(record: SourceRecord, place: str) -> Iterator[str]:
    """Yield a place in a record, that of the line where it was gathered from lines."""
    index, bracket, rest = place.removeprefix("[").partition("]")
    if bracket and place.startswith("[") and index.isdecimal() and record.places:
        yield record.places[int(index)]
        place = rest.removeprefix(".")
    else:
        yield record.place
    if place:
        yield f": {place}"
