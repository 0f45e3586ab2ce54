"""One run of an import over the files that have come, and its report as JSON."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from agentlog.domain.json.values import JsonObject, JsonValue
from agentlog.infrastructure.transfer.files.sources import (
    NamedPath,
    Sources,
    find_named_sources,
)
from agentlog.infrastructure.transfer.report import ImportReport, closing_lines
from agentlog.infrastructure.transfer.uploads.bounds import bounded
from agentlog.infrastructure.transfer.uploads.order import Order

_SHOWN = 1000
_INTERRUPTED = "interrupted: what is counted is written; run it again to go on"


@dataclass(slots=True)
class Run:
    """A run that waits or runs: `done` of `total` bytes are imported.

    `passed_over` are files that were not sent, and why.
    """

    number: int
    is_dry: bool
    passed_over: Mapping[str, str]
    state: Literal["waiting", "running"] = "waiting"
    done: int = 0
    total: int = 0

    def advance(self, size: int) -> None:
        """Count bytes that are imported."""
        self.done += size


def sources_of(order: Order, files: Path, run: Run, *, most_bytes: int) -> Sources:
    """Return what has come of an import's paths, each file bounded.

    Raises:
        UnreadableSource: nothing has come of a path that does not grow, or no file to import.
    """
    kept = [files / str(number) for number in range(len(order.paths))]
    named = [
        NamedPath(path if name.endswith("/") else _only_file(path), name.rstrip("/") or "/")
        for path, name in zip(kept, order.paths, strict=True)
        if path.exists() or not order.is_growing
    ]
    sources = find_named_sources(named, most_bytes=most_bytes)
    run.total = sum(file.size for file in sources.files)
    return Sources(
        [bounded(file, most_bytes=most_bytes) for file in sources.files],
        {**run.passed_over, **sources.passed_over},
    )


def shown(
    report: ImportReport, run: Run, *, import_id: str, hidden: int, failure: str | None
) -> JsonObject:
    """Return the report of a run, with the first of its findings; `failure` is what ended it."""
    findings: list[JsonValue] = [finding.to_json() for finding in report.findings[:_SHOWN]]
    lines = [*report.lines()]
    if failure is None:
        made = None if run.is_dry else import_id
        lines += closing_lines(report, made, hidden=hidden)
    else:
        lines.append(_INTERRUPTED)
    return {
        "run": run.number,
        "dryRun": run.is_dry,
        "failure": failure,
        "threads": report.threads,
        "threadIds": [*sorted(report.thread_ids)[:_SHOWN]],
        "appended": report.appended,
        "replayed": report.replayed,
        "hidden": hidden,
        "formats": [
            {"name": chosen.name, "title": chosen.title, "unit": chosen.unit, "files": files}
            for chosen, files in report.formats.items()
        ],
        "kept": {**report.kept},
        "counts": {**Counter(finding.kind for finding in report.findings)},
        "findings": findings,
        "text": "\n".join(lines),
    }


def _only_file(folder: Path) -> Path:
    """Return the file in the folder of a path that is no folder."""
    return next(iter(folder.iterdir()), folder) if folder.is_dir() else folder
