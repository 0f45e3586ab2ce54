"""Datasets in buckets, read as their manifests say."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import obstore
from obstore.store import S3Store

from agentlog.extensions.dataset.export import TABLES, Exported
from agentlog.extensions.dataset.manifest import NAME, DatasetManifest
from agentlog.infrastructure.postgres.database import Database
from tests.extensions.dataset.datasets import Exporter, check_equal, export
from tests.infrastructure.appends import TENANT


@dataclass(frozen=True, slots=True)
class BucketExporter:
    """Exports a database to a prefix of a bucket."""

    database: Database
    bucket: str
    copies: Path
    prefix: str = "some/where"
    tenant: str = TENANT

    @property
    def where(self) -> str:
        """The place's name."""
        return f"s3://{self.bucket}/{self.prefix}"

    @property
    def store(self) -> S3Store:
        """The place itself."""
        return S3Store(self.bucket, prefix=self.prefix, client_options={"allow_http": True})

    def __call__(self, tables: Sequence[str] = TABLES, *, grace_seconds: float = 0) -> Exported:
        return export(
            self.database,
            self.where,
            tenant=self.tenant,
            tables=tables,
            grace_seconds=grace_seconds,
        )

    @property
    def objects(self) -> dict[str, str | None]:
        """The ETag of each object."""
        return {file["path"]: file["e_tag"] for file in obstore.list(self.store).collect()}

    @property
    def manifest(self) -> DatasetManifest:
        """What the dataset holds."""
        return DatasetManifest.model_validate_json(self.read(NAME))

    def read(self, path: str) -> bytes:
        """Return an object's contents."""
        return bytes(obstore.get(self.store, path).bytes())

    def copy(self, manifest: DatasetManifest | None = None) -> Exporter:
        """Return a folder with the files that the manifest names, as a reader sees the dataset."""
        named = self.manifest if manifest is None else manifest
        folder = self.copies / uuid4().hex
        for path in named.files():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(self.read(path))
        folder.mkdir(parents=True, exist_ok=True)
        (folder / NAME).write_text(named.text())
        return Exporter(self.database, folder, self.tenant)

    def check_equal(self) -> None:
        """Compare every row with the database, and see that nothing but the dataset is there."""
        check_equal(self.copy())
        assert self.objects.keys() == {NAME, *self.manifest.files()}
