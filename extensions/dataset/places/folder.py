"""A dataset in a folder: one export at a time, files that appear complete, and a manifest.

    _agentlog.json    the manifest: renamed into place last, after all files that it names
    _agentlog.lock    locked during an export; the kernel releases it when the process ends
    _partial/         files being written
    TABLE/day=…/…     the dataset itself

A file is renamed into its place once it is complete and on disk, over the one that it replaces.
Files left by a killed export are not in the manifest: the next export removes them, and writes
again those that differ from it.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from typing_extensions import override

from agentlog.extensions.dataset.errors import DatasetBusy, ForeignDataset, UnwritableDataset
from agentlog.extensions.dataset.manifest import NAME, DatasetManifest
from agentlog.extensions.dataset.places.place import Place, read_manifest
from agentlog.infrastructure.runtime.file_lock import FileLock

_LOCK = "_agentlog.lock"
_PARTIAL = "_partial"


class Folder(Place):
    """A dataset's folder, locked."""

    def __init__(self, path: Path, manifest: DatasetManifest) -> None:
        super().__init__(str(path), manifest)
        self._path = path
        self._partials = 0
        self._added: list[tuple[Path, str]] = []

    @override
    def partial(self) -> BinaryIO:
        self._partials += 1
        return (self._path / _PARTIAL / f"{self._partials}.part").open("wb")

    @override
    def name(self, stem: str) -> str:
        return f"{stem}.parquet"

    @override
    def add(self, file: BinaryIO, path: str) -> None:
        os.fsync(file.fileno())
        self._added.append((Path(file.name), path))

    @override
    def publish(self, manifest: DatasetManifest) -> None:
        added, self._added = self._added, []
        named, folders = manifest.files(), {self._path}
        for partial, path in added:
            if path not in named:  # of a try that was begun again
                continue
            target = self._path / path
            target.parent.mkdir(parents=True, exist_ok=True)
            partial.rename(target)
            folders |= {target.parent, target.parent.parent}
        for path in self.manifest.files().keys() - named.keys():
            target = self._path / path
            if target.exists():
                target.unlink()
                folders.add(target.parent)
        for folder in folders:
            _sync(folder)
        temporary = self._path / _PARTIAL / NAME
        temporary.write_text(manifest.text(), "utf-8")
        _sync(temporary)
        temporary.rename(self._path / NAME)
        _sync(self._path)
        self.manifest = manifest

    @override
    def sizes(self) -> dict[str, int]:
        files = self._path.glob("*/day=*/*.parquet")
        return {file.relative_to(self._path).as_posix(): file.stat().st_size for file in files}

    @override
    def remove_unnamed(self) -> None:
        for path in self.sizes().keys() - self.manifest.files().keys():
            (self._path / path).unlink()
        for partial in self._path.glob(f"{_PARTIAL}/*"):
            partial.unlink()


@contextmanager
def open_folder(path: Path, *, tenant: str) -> Iterator[Folder]:
    """Yield the folder, made if it is missing, and locked.

    Raises:
        DatasetBusy: another export works there.
        ForeignDataset: it holds something else, or another tenant's dataset.
        UnwritableDataset: it cannot be written; also for the caller's writes.
    """
    try:
        if path.is_dir() and not (path / NAME).exists() and not _is_fresh(path):
            raise ForeignDataset(str(path), "holds files, and is no dataset of agentlog's")
        path.mkdir(parents=True, exist_ok=True)
        lock = FileLock(path / _LOCK)
        try:
            if not lock.try_exclusive():
                raise DatasetBusy(path)
            (path / _PARTIAL).mkdir(exist_ok=True)
            try:
                content = (path / NAME).read_bytes()
                manifest = read_manifest(content, where=str(path), tenant=tenant)
                folder = Folder(path, manifest)
            except FileNotFoundError:
                folder = Folder(path, DatasetManifest(tenant=tenant))
                folder.publish(folder.manifest)
            yield folder
        finally:
            lock.close()
    except OSError as error:
        raise UnwritableDataset(str(path), error.strerror or str(error)) from error


def _sync(path: Path) -> None:
    """Flush a file or folder to disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _is_fresh(path: Path) -> bool:
    """Return whether a folder without a manifest holds at most the files made first."""
    return {inner.name for inner in path.iterdir()} <= {_LOCK, _PARTIAL}
