"""The imports of one tenant that come in pieces: begun, sent, run as often as asked."""

import logging
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import BinaryIO, Literal, NamedTuple

from agentlog.domain.drafts import Origin
from agentlog.domain.errors import AgentlogError
from agentlog.domain.json.values import JsonObject, integer_at, object_at, text_at, texts_of
from agentlog.infrastructure.postgres.write_access import WriteAccess
from agentlog.infrastructure.threads import Threads
from agentlog.infrastructure.transfer.files.sources import COMPRESSED, suffixes
from agentlog.infrastructure.transfer.follower import FileFollower
from agentlog.infrastructure.transfer.importer import Importer
from agentlog.infrastructure.transfer.imports import Imports, RunningImport, UnknownImport
from agentlog.infrastructure.transfer.report import ImportReport
from agentlog.infrastructure.transfer.uploads.errors import (
    ImportBusy,
    RunStopped,
    TooManyFindings,
)
from agentlog.infrastructure.transfer.uploads.order import Order, order_in
from agentlog.infrastructure.transfer.uploads.queue import RunQueue
from agentlog.infrastructure.transfer.uploads.run import Run, shown, sources_of
from agentlog.infrastructure.transfer.uploads.spool import Piece, Spool, digest_of

logger = logging.getLogger("agentlog")

_MOST_FINDINGS = 100_000


class Progress(NamedTuple):
    """How far a run has come, in bytes of its files."""

    bytes: int
    total: int


@dataclass(frozen=True, slots=True)
class Upload:
    """An import that comes in: `report` is that of its latest run that has ended.

    `run` is the number of the run that waits or runs, of the latest one otherwise; 0 before any.
    """

    id: str
    paths: tuple[str, ...]
    state: Literal["open", "waiting", "running"]
    run: int
    progress: Progress | None
    report: JsonObject | None

    @property
    def suffixes(self) -> list[str]:
        """How names in folders end that are read, compressed or not."""
        return sorted(f"{name}{more}" for name in suffixes() for more in ("", *COMPRESSED))


class Uploads:
    """The imports of one tenant that come in pieces.

    `rehearse` returns threads for a dry run.
    """

    def __init__(  # noqa: PLR0913 - what it consists of
        self,
        spool: Spool,
        queue: RunQueue,
        threads: Threads,
        imports: Imports,
        *,
        tenant: str,
        access: WriteAccess,
        rehearse: Callable[[], Threads],
    ) -> None:
        self._spool = spool
        self._queue = queue
        self._threads = threads
        self._imports = imports
        self._tenant = tenant
        self._access = access
        self._rehearse = rehearse
        self._runs: dict[str, Run] = {}
        self._followers: dict[str, FileFollower] = {}

    def begin(self, import_id: str, fields: JsonObject, *, by: str | None) -> Upload:
        """Make room for the import that `fields` order; it is the caller's, whose author is `by`.

        Raises:
            InvalidInput: what is ordered is off, with the place.
            TooManyImports, SpoolUnwritable: there is no room.
            DatabaseReadOnly: nothing can be imported here.
        """
        self._access.check()
        order_in(fields)
        self._spool.make(import_id, {"order": fields, "keyId": by})
        for known in [known for known in self._followers if not self._spool.has(known)]:
            self._followers.pop(known, None)
        return self.one(import_id)

    def check_writable(self) -> None:
        """Raise `DatabaseReadOnly` where nothing can be imported."""
        self._access.check()

    def owner(self, import_id: str) -> str | None:
        """Return who began an import, None without a key; raises `UnknownImport`."""
        return text_at(self._spool.order(import_id), "keyId")

    def one(self, import_id: str) -> Upload:
        """Return an import that is begun; raises `UnknownImport`."""
        order = self._order(import_id)
        run, report = self._runs.get(import_id), self._spool.report(import_id)
        number = report["run"] if report is not None else 0
        return Upload(
            import_id,
            tuple(order.paths),
            "open" if run is None else run.state,
            run.number if run is not None else number if isinstance(number, int) else 0,
            None if run is None else Progress(run.done, run.total),
            report,
        )

    def is_running(self, import_id: str) -> bool:
        """Return whether an import runs or waits to."""
        return import_id in self._runs

    def file(self, import_id: str, path: str) -> tuple[int, str]:
        """Return how many bytes of a file have come, and their SHA-256."""
        kept = self._place(import_id, path)
        return self._spool.size(kept), digest_of(kept)

    def piece(
        self, import_id: str, path: str, *, offset: int | None
    ) -> AbstractContextManager[Piece]:
        """Return what takes a piece of a file at `offset`, or all of it without one.

        Raises:
            UnknownImport, InvalidPathName, OffsetMismatch, ImportBusy.
        """
        kept = self._place(import_id, path)
        if import_id in self._runs:
            raise ImportBusy(f"import {import_id} runs")
        return self._spool.piece(import_id, kept, path, offset=offset)

    def run(
        self, import_id: str, *, is_dry: bool, passed_over: Mapping[str, str], by: str | None
    ) -> Upload:
        """Import what has come, in a thread; `passed_over` are files that were not sent, and why.

        `by` is the caller's author, whom the events name. One that runs or waits already goes on.
        Raises `DatabaseReadOnly` as `begin` does.
        """
        self._access.check()
        upload = self.one(import_id)
        if self._spool.is_receiving(import_id):
            raise ImportBusy(f"a piece of import {import_id} is on its way")
        run = Run(upload.run + 1, is_dry, passed_over, by)
        if self._runs.setdefault(import_id, run) is run:
            try:
                self._queue.submit(self._tenant, partial(self._execute, import_id, run))
            except RunStopped:
                del self._runs[import_id]
                raise
        return self.one(import_id)

    def findings(self, import_id: str) -> BinaryIO:
        """Return the lines of all that the latest run found; raises `UnknownImport`."""
        return self._spool.findings(import_id)

    def discard(self, import_id: str) -> None:
        """Remove the files and the report of an import; what it wrote stays."""
        if import_id in self._runs:
            raise ImportBusy(f"import {import_id} runs")
        self._spool.discard(import_id)
        self._followers.pop(import_id, None)

    def erase(self, thread_id: str) -> None:
        """Remove what was sent of imports of a thread, with their reports: it was erased.

        Of one that runs it goes at the end of the run.
        """
        ids = self._spool.import_ids()
        of_thread = self._imports.of_thread(thread_id, ids) if ids else set()
        for import_id in ids:
            if import_id not in of_thread and not self._reported(import_id, thread_id):
                continue
            run = self._runs.get(import_id)
            if run is not None:
                run.is_erased = True
            else:
                with suppress(UnknownImport, ImportBusy):
                    self.discard(import_id)

    def _reported(self, import_id: str, thread_id: str) -> bool:
        """Return whether the latest run came by a thread, or by more than its report names."""
        report = self._spool.report(import_id) or {}
        ids = texts_of(report.get("threadIds"))
        return thread_id in ids or len(ids) < (integer_at(report, "threads") or 0)

    def _order(self, import_id: str) -> Order:
        return order_in(object_at(self._spool.order(import_id), "order"))

    def _place(self, import_id: str, path: str) -> Path:
        return self._spool.files(import_id) / self._order(import_id).place_of(path)

    def _execute(self, import_id: str, run: Run) -> None:
        """Run an import, and keep its report."""
        run.state = "running"
        try:
            self._import(import_id, run)
        except RunStopped:
            pass
        except Exception:
            logger.exception("the report of import %s cannot be kept", import_id)
        finally:
            del self._runs[import_id]
            if run.is_erased:
                with suppress(UnknownImport):
                    self.discard(import_id)

    def _import(self, import_id: str, run: Run) -> None:
        report, failure, hidden = ImportReport(), None, 0
        try:
            importer, work = self._work(import_id, run)
            report = importer.report
            work()
            if not run.is_dry:
                self._imports.end(import_id)
            hidden = self._imports.hidden(report.thread_ids)
        except RunStopped:
            raise
        except AgentlogError as error:
            failure = str(error)
        except Exception:
            logger.exception("import %s failed", import_id)
            failure = "agentlog has a defect here; its log says more"
        if failure is not None:  # what was read is read again
            self._followers.pop(import_id, None)
        content = shown(report, run, import_id=import_id, hidden=hidden, failure=failure)
        findings = (finding.to_json() for finding in report.findings)
        self._spool.keep_report(import_id, content, findings)

    def _work(self, import_id: str, run: Run) -> tuple[Importer, Callable[[], object]]:
        """Return the importer of a run, and what makes it import all that has come."""
        order = self._order(import_id)
        files, limit = self._spool.files(import_id), self._spool.most_file_bytes
        sources = sources_of(order, files, run, most_bytes=limit)
        if run.is_dry or not order.is_growing:
            running = (
                RunningImport(Origin(import_id=import_id), lambda **_: None)
                if run.is_dry
                else self._imports.begin(import_id, order.paths, key_id=run.by)
            )
            importer = Importer(
                self._rehearse() if run.is_dry else self._threads,
                order.plan,
                progress=run.advance,
                between=lambda: self._see_going_on(importer),
                running=running,
            )
            return importer, lambda: importer.import_sources(sources)
        follower = self._followers.get(import_id)
        if follower is not None and follower.author == run.by:
            self._imports.put(import_id, order.paths)
        else:
            follower = self._followers[import_id] = FileFollower(
                self._threads,
                order.plan,
                running=self._imports.begin(import_id, order.paths, key_id=run.by),
            )
        importer = follower.importer(
            progress=run.advance, between=lambda: self._see_going_on(importer)
        )
        return importer, lambda: follower.update(sources.files, by=importer)

    def _see_going_on(self, importer: Importer) -> None:
        """Raise where a run is to stop."""
        if self._queue.is_closing:
            raise RunStopped
        if len(importer.report.findings) > _MOST_FINDINGS:
            raise TooManyFindings(_MOST_FINDINGS)
