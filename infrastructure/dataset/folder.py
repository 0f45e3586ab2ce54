"""The folder of a dataset: one export at a time, files that appear complete, and a manifest.

    _agentlog.json    the manifest: renamed into place last, after all files that it names
    _agentlog.lock    locked during an export; the kernel releases it when the process ends
    _partial/         files being written
    TABLE/day=…/…     the dataset itself

A file is renamed into its place once it is complete and on disk. Files left by a killed export are
not in the manifest: the next export removes them, and writes again those that differ from it.
"""

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import takewhile
from pathlib import Path

from pydantic import ValidationError

from agentlog.infrastructure.dataset.errors import DatasetBusy, ForeignDataset, UnwritableDataset
from agentlog.infrastructure.dataset.manifest import FORMAT, NAME, DatasetManifest, rows_path
from agentlog.infrastructure.runtime.file_lock import FileLock

_LOCK = "_agentlog.lock"
_PARTIAL = "_partial"
_STALE = -1
"""The position of a table that lost a file, so that it is compared with the database."""


class Folder:
    """A dataset's folder, locked; `manifest` is its content."""

    def __init__(self, path: Path, manifest: DatasetManifest) -> None:
        self.path = path
        self.manifest = manifest
        self._number = 0

    def clean(self) -> None:
        """Remove files that are not in the manifest, and entries without their files."""
        named = self.manifest.files()
        whole = {path for path, size in named.items() if _size(self.path / path) == size}
        if len(whole) < len(named):
            self.write(_only(self.manifest, whole))
            named = self.manifest.files()
        for path in [*self.path.glob(f"{_PARTIAL}/*"), *self.path.glob("*/day=*/*.parquet")]:
            if path.relative_to(self.path).as_posix() not in named:
                path.unlink()

    def partial(self) -> Path:
        """Return a path for a new file, which readers ignore."""
        self._number += 1
        return self.path / _PARTIAL / f"{self._number}.part"

    def publish(self, files: Iterable[tuple[Path, str]], *, gone: Iterable[str] = ()) -> None:
        """Rename finished files to their paths in the dataset, in this order; remove `gone`."""
        folders = {self.path}
        for partial, path in files:
            target = self.path / path
            target.parent.mkdir(parents=True, exist_ok=True)
            partial.rename(target)
            folders |= {target.parent, target.parent.parent}
        for path in gone:
            (self.path / path).unlink(missing_ok=True)
            folders.add((self.path / path).parent)
        for folder in folders:
            sync(folder)

    def write(self, manifest: DatasetManifest) -> None:
        """Write the manifest; the files it names have to be in place."""
        temporary = self.path / _PARTIAL / NAME
        temporary.write_text(manifest.model_dump_json(indent=1), "utf-8")
        sync(temporary)
        temporary.rename(self.path / NAME)
        sync(self.path)
        self.manifest = manifest


@contextmanager
def open_folder(path: Path, *, tenant: str) -> Iterator[Folder]:
    """Yield the folder, made if it is missing, and locked; the caller calls `clean`.

    Raises:
        DatasetBusy: another export works there.
        ForeignDataset: it holds something else, or another tenant's dataset.
        UnwritableDataset: it cannot be written; also for the caller's writes.
    """
    try:
        if path.is_dir() and not (path / NAME).exists() and not _is_fresh(path):
            raise ForeignDataset(path, "holds files, and is no dataset of agentlog's")
        path.mkdir(parents=True, exist_ok=True)
        lock = FileLock(path / _LOCK)
        try:
            if not lock.try_exclusive():
                raise DatasetBusy(path)
            (path / _PARTIAL).mkdir(exist_ok=True)
            folder = Folder(path, _read(path, tenant))
            if not (path / NAME).exists():
                folder.write(folder.manifest)
            yield folder
        finally:
            lock.close()
    except OSError as error:
        raise UnwritableDataset(path, error) from error


def sync(path: Path) -> None:
    """Flush a file or folder to disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _is_fresh(path: Path) -> bool:
    """Return whether a folder without a manifest holds at most the files made first."""
    return {inner.name for inner in path.iterdir()} <= {_LOCK, _PARTIAL}


def _read(path: Path, tenant: str) -> DatasetManifest:
    try:
        manifest = DatasetManifest.model_validate_json((path / NAME).read_bytes())
    except FileNotFoundError:
        return DatasetManifest(tenant=tenant)
    except ValidationError as error:
        raise ForeignDataset(path, f"{NAME} is not one that this agentlog writes") from error
    if manifest.format != FORMAT:
        raise ForeignDataset(path, f"{NAME} is of format {manifest.format}, not {FORMAT}")
    if manifest.tenant != tenant:
        reason = f"holds a dataset of tenant {manifest.tenant!r}, not of {tenant!r}"
        raise ForeignDataset(path, reason)
    return manifest


def _only(manifest: DatasetManifest, whole: set[str]) -> DatasetManifest:
    """Return the manifest without incomplete files: events end before the first of them."""
    events = list(takewhile(lambda file: file.path in whole, manifest.events))
    lost = len(events) < len(manifest.events)
    tables = {}
    for name, table in manifest.tables.items():
        days = {day: file for day, file in table.days.items() if rows_path(name, day) in whole}
        stale = len(days) < len(table.days)
        update = {"days": days, "position": _STALE} if stale else {}
        tables[name] = table.model_copy(update=update)
    position = manifest.position
    if lost:
        position = events[-1].last if events else 0
    return manifest.model_copy(update={"events": events, "position": position, "tables": tables})


def _size(path: Path) -> int | None:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return None
