"""Manifest of a backup: its files, and what a restore has to bring back."""

from datetime import datetime
from hashlib import file_digest
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from agentlog.infrastructure.backup.errors import InvalidBackup, NewerSchema
from agentlog.infrastructure.postgres.migration import is_of_0_25, migrations

FORMAT = "agentlog-backup-1"
NAME = "manifest.json"
DUMP = "log.dump"
KEY = "signing-key.pem"

_LARGEST = 64 * 2**20


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class TenantLog(_Frozen):
    """A tenant's log in the backup; `root` is of the tree over all its events, in base64.

    `checkpoint` is the signed note over exactly that, and `public_key` the key that verifies it;
    None if there was no key.
    """

    tenant: str
    threads: int
    events: int
    root: str
    checkpoint: str | None = None
    public_key: str | None = None


class File(_Frozen):
    """A file of the backup: how many bytes it has, and their SHA-256 in hexadecimal."""

    bytes: int
    sha256: str


class BackupManifest(_Frozen):
    """A backup's manifest; `position` is the log's, `schema_` its migrations with digests."""

    format: str = FORMAT
    agentlog: str
    made_at: datetime
    server: int
    """PostgreSQL's version number, such as 180004."""
    pg_dump: int
    """The major version of pg_dump that wrote the archive; pg_restore has to be as new."""
    schema_: dict[int, str] = Field(alias="schema")
    position: int
    tenants: list[TenantLog]
    moves: list[str] = []
    """The notes of its record of moved tenants, by tenant and step."""
    files: dict[str, File]

    def text(self) -> str:
        """Return its JSON."""
        return self.model_dump_json(indent=1, by_alias=True) + "\n"


def read_manifest(folder: Path) -> BackupManifest:
    """Return the manifest of the backup in `folder`, after checking its files.

    Raises:
        InvalidBackup: it is no backup, or a file is missing or different.
        NewerSchema: it was made by a newer agentlog.
    """
    manifest = manifest_of(folder)
    _check_files(folder, manifest)
    check_schema(manifest.schema_)
    return manifest


def manifest_of(folder: Path) -> BackupManifest:
    """Return the manifest of the backup in `folder`; its files are not read.

    Raises:
        InvalidBackup: it is no backup.
    """
    path = folder / NAME
    try:
        with path.open("rb") as file:
            text = file.read(_LARGEST)
        manifest = BackupManifest.model_validate_json(text)
    except OSError as error:
        reason = f"{NAME}: {error.strerror}; is it a folder that `agentlog backup` wrote?"
        raise InvalidBackup(folder, reason) from error
    except ValidationError as error:
        reason = f"{NAME} is not one that this agentlog writes"
        raise InvalidBackup(folder, reason) from error
    if manifest.format != FORMAT:
        raise InvalidBackup(folder, f"it is of format {manifest.format!r}, not {FORMAT!r}")
    return manifest


def check_schema(schema: dict[int, str]) -> None:
    """Raise `NewerSchema` unless this program has these migrations, or they are those of 0.25."""
    if is_of_0_25(schema):
        return
    known = {migration.number: migration.digest for migration in migrations()}
    for number, digest in sorted(schema.items()):
        if known.get(number) != digest:
            raise NewerSchema(number)


def file_of(path: Path) -> File:
    """Return the manifest's entry for a file."""
    with path.open("rb") as file:
        return File(sha256=file_digest(file, "sha256").hexdigest(), bytes=path.stat().st_size)


def _check_files(folder: Path, manifest: BackupManifest) -> None:
    if DUMP not in manifest.files or not set(manifest.files) <= {DUMP, KEY}:
        raise InvalidBackup(folder, f"{NAME} names other files than a backup has")
    for name, expected in manifest.files.items():
        try:
            file = file_of(folder / name)
        except OSError as error:
            raise InvalidBackup(folder, f"{name}: {error.strerror}") from error
        if file != expected:
            reason = f"{name} is not the file that was written: bytes were lost or changed"
            raise InvalidBackup(folder, reason)
