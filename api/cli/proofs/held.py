"""What a verifier holds: a key and a checkpoint, from options."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from agentlog.api.cli.session import InvalidOption
from agentlog.api.composition import Service
from agentlog.infrastructure.audit.notes import (
    Checkpoint,
    InvalidNote,
    VerifierKey,
    open_note,
    origin_of,
)

_MOST_DIGITS = 18
"""Of a size that PostgreSQL can hold."""


@dataclass(frozen=True, slots=True)
class Held:
    """The verifier's own key and checkpoint; None where not given."""

    public_key: VerifierKey | None = None
    checkpoint: Checkpoint | None = None

    @property
    def checkpoints(self) -> Sequence[Checkpoint]:
        """The checkpoint, if there is one."""
        return [] if self.checkpoint is None else [self.checkpoint]

    @classmethod
    def read(cls, *, public_key: str | None, checkpoint: Path | None) -> Self:
        """Return the options' values; raises as `VerifierKey.parse` and `checkpoint_in`."""
        key = None
        if public_key is not None:
            from_file = Path(public_key)
            text = public_key if "+" in public_key else _text_of(from_file)
            key = VerifierKey.parse(text)
        return cls(key, None if checkpoint is None else checkpoint_in(checkpoint, key))


def checkpoint_in(file: Path, key: VerifierKey | None) -> Checkpoint:
    """Return the checkpoint of a note's file, which the key has signed, if there is one.

    Raises:
        InvalidOption: the file has none, or the key has not signed it.
    """
    text = _text_of(file)
    try:
        return Checkpoint.parse(text) if key is None else open_note(text, key)
    except InvalidNote as error:
        raise InvalidOption(f"{file}: {error}") from error


def checkpoint_named(name: str, service: Service, key: VerifierKey | None) -> Checkpoint:
    """Return the checkpoint of a file, as `checkpoint_in` does, or the stored one of a size.

    Raises:
        UnknownCheckpoint: none of that size is stored.
        InvalidOption: the file has none.
    """
    if name.isascii() and name.isdecimal() and len(name) <= _MOST_DIGITS:
        return Checkpoint.parse(service.own.proofs.checkpoints.of_size(int(name)).note)
    return checkpoint_in(Path(name), key)


def check_origin(checkpoint: Checkpoint, tenant: str) -> None:
    """Raise `InvalidOption` if the checkpoint is of another log than the tenant's."""
    if checkpoint.origin != origin_of(tenant):
        raise InvalidOption(
            f"the checkpoint is of {checkpoint.origin!r}, the log of {origin_of(tenant)!r}: set "
            "AGENTLOG_TENANT to the tenant of the checkpoint"
        )


def bytes_of(file: Path) -> bytes:
    """Return a file's contents; raises `InvalidOption`."""
    try:
        return file.read_bytes()
    except OSError as error:
        raise InvalidOption(f"{file}: {error.strerror}; name a file that can be read") from error


def _text_of(file: Path) -> str:
    return bytes_of(file).decode(errors="replace")
