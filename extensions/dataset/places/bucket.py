"""A dataset in a bucket: files under names of their own, and a manifest replaced by condition.

No lock is needed: each file's name is new, and the manifest is put only over the one that was read
(`If-Match`), so of two exports at once one is refused. A file that the manifest does not name may
be removed once the manifest is newer than it: an export that would still name it has read an older
manifest, and will be refused.

An upload appears whole or not at all. What a killed one has sent stays in the bucket, unseen, until
a lifecycle rule of the bucket aborts it.
"""

import os
import re
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from secrets import token_hex
from time import monotonic, sleep
from typing import BinaryIO

import obstore
from obstore.exceptions import AlreadyExistsError, BaseError, PreconditionError
from obstore.store import S3Store
from typing_extensions import override

from agentlog.extensions.dataset.errors import (
    DatasetOvertaken,
    ForeignDataset,
    InvalidPlace,
    UnwritableDataset,
)
from agentlog.extensions.dataset.manifest import NAME, DatasetManifest
from agentlog.extensions.dataset.places.place import Place, read_manifest

_DATA = re.compile(r"[^/]+/day=[^/]+/[^/]+\.parquet")
_RETRIES = timedelta(seconds=30)
"""How long a request is tried again: an endpoint that is not there is reported after that."""
_REQUEST = timedelta(minutes=3)
"""The longest that a request may take: 5 MiB of an upload, four at once."""
_NO_ETAG = '"none"'
_URL = re.compile(r"s3://(?P<bucket>[a-z0-9][a-z0-9.-]+[a-z0-9])(/(?P<prefix>[^?#]*))?")
_ANSWER = re.compile(r"<Message>(.*?)</Message>")


class Bucket(Place):
    """A dataset under a prefix of a bucket."""

    def __init__(  # noqa: PLR0913 - what was read, and how to go on
        self,
        store: S3Store,
        where: str,
        manifest: DatasetManifest,
        *,
        etag: str | None,
        written: datetime,
        grace: timedelta,
    ) -> None:
        super().__init__(where, manifest)
        self._store = store
        self._etag = etag
        self._written = written
        self._grace = grace
        self._replaced: set[str] = set()
        self._unnamed: set[str] = set()
        self._replaced_at = 0.0

    @override
    def partial(self) -> BinaryIO:
        return tempfile.TemporaryFile()

    @override
    def name(self, stem: str) -> str:
        return f"{stem}-{token_hex(8)}.parquet"

    @override
    def add(self, file: BinaryIO, path: str) -> None:
        file.seek(0)
        obstore.put(self._store, path, file, max_concurrency=4)

    @override
    def publish(self, manifest: DatasetManifest) -> None:
        if manifest == self.manifest:
            return
        self._put(manifest.text().encode())
        self._replaced |= self.manifest.files().keys() - manifest.files().keys() | self._unnamed
        self._unnamed = set()
        self._replaced_at = monotonic()
        self.manifest = manifest

    def _put(self, content: bytes) -> None:
        """Put a manifest over the one that was read or put last."""
        try:
            put = obstore.put(self._store, NAME, content, mode={"e_tag": self._etag})
            self._etag = put["e_tag"]
        except PreconditionError as error:
            # a request that was tried again may have met itself
            current = obstore.get(self._store, NAME)
            if bytes(current.bytes()) != content:
                raise DatasetOvertaken(self.where) from error
            self._etag = current.meta["e_tag"]

    @override
    def sizes(self) -> dict[str, int]:
        return {path: size for path, (size, _) in self._files().items()}

    @override
    def remove_unnamed(self) -> None:
        named = self.manifest.files()
        unnamed = {path: put for path, (_, put) in self._files().items() if path not in named}
        self._unnamed = set(unnamed)  # removed once this export's manifest is there
        if datetime.now(UTC) - self._written >= self._grace:
            # by the grace too: clocks of a store's machines differ
            safe = self._written - self._grace
            old = {path for path, put in unnamed.items() if put < safe}
            self._delete(old)
            self._unnamed -= old

    def remove_replaced(self) -> None:
        """Remove what this export replaced, once the grace has passed."""
        if self._replaced:
            due = self._replaced_at + self._grace.total_seconds()
            sleep(max(0.0, due - monotonic()))
            self._delete(self._replaced)

    def _files(self) -> dict[str, tuple[int, datetime]]:
        """Return the size of each data file, and when it was put."""
        listed = (file for page in obstore.list(self._store) for file in page)
        return {
            file["path"]: (file["size"], file["last_modified"])
            for file in listed
            if _DATA.fullmatch(file["path"])
        }

    def _delete(self, paths: Iterable[str]) -> None:
        obstore.delete(self._store, sorted(paths))


@contextmanager
def open_bucket(where: str, *, tenant: str, grace_seconds: float) -> Iterator[Bucket]:
    """Yield the bucket and prefix that `s3://BUCKET/PREFIX` names, with a manifest.

    At the end what was replaced is removed, after the grace.

    Raises:
        InvalidPlace: it names no bucket.
        DatasetOvertaken: another export wrote there meanwhile.
        ForeignDataset: it holds something else, or another tenant's dataset.
        UnwritableDataset: it cannot be read or written; also for the caller's writes.
    """
    url = _URL.fullmatch(where)
    if url is None:
        raise InvalidPlace
    try:
        store = S3Store(
            url["bucket"],
            prefix=url["prefix"],
            client_options={"allow_http": True, "timeout": _REQUEST},  # if the endpoint is http:
            retry_config={"retry_timeout": _RETRIES},
        )
        try:
            read = obstore.get(store, NAME)
        except FileNotFoundError:
            _create(store, where, tenant)
            read = obstore.get(store, NAME)
        bucket = Bucket(
            store,
            where,
            read_manifest(bytes(read.bytes()), where=where, tenant=tenant),
            etag=read.meta["e_tag"],
            written=read.meta["last_modified"],
            grace=timedelta(seconds=grace_seconds),
        )
        yield bucket
        bucket.remove_replaced()
    except BaseError as error:
        raise UnwritableDataset(where, _reason(error)) from error
    except OSError as error:  # obstore's too, for what is not there
        raise UnwritableDataset(where, error.strerror or _reason(error)) from error


def _create(store: S3Store, where: str, tenant: str) -> None:
    """Put an empty manifest, unless another export does; the store has to keep conditions."""
    paths = {file["path"] for file in obstore.list(store).collect()}  # fails without a bucket
    if paths and NAME not in paths:
        raise ForeignDataset(where, "holds files, and is no dataset of agentlog's")
    content = DatasetManifest(tenant=tenant).text().encode()
    with suppress(AlreadyExistsError):
        obstore.put(store, NAME, content, mode="create")
        try:
            obstore.put(store, NAME, content, mode={"e_tag": _NO_ETAG})
        except PreconditionError:
            return
        obstore.delete(store, NAME)
        reason = "the store disregards If-Match, so two exports would overwrite each other's files"
        raise UnwritableDataset(where, reason)


def _reason(error: Exception) -> str:
    """Return what a store answered, or how the request failed."""
    answer = _ANSWER.search(str(error))
    line, _, _ = str(error).partition("\n")
    unset = "" if "AWS_ACCESS_KEY_ID" in os.environ else " (AWS_ACCESS_KEY_ID is not set)"
    return f"{answer[1] if answer else line}{unset}"
