"""What a verifier holds: a key and a checkpoint, from options."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from agentlog.api.cli.session import InvalidOption
from agentlog.api.composition import Service
from agentlog.infrastructure.audit.notes import Checkpoint, VerifierKey

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
        """Return the options' values; raises as `VerifierKey.parse` and `Checkpoint.parse`."""
        key = None
        if public_key is not None:
            from_file = Path(public_key)
            text = public_key if "+" in public_key else _text_of(from_file)
            key = VerifierKey.parse(text)
        note = None if checkpoint is None else Checkpoint.parse(_text_of(checkpoint))
        return cls(key, note)


def checkpoint_named(name: str, service: Service) -> Checkpoint:
    """Return the checkpoint of a file, or the stored one of a size.

    Raises:
        UnknownCheckpoint: none of that size is stored.
        InvalidNote: the file has none.
    """
    if name.isascii() and name.isdecimal() and len(name) <= _MOST_DIGITS:
        return Checkpoint.parse(service.own.proofs.checkpoints.of_size(int(name)).note)
    return Checkpoint.parse(_text_of(Path(name)))


def bytes_of(file: Path) -> bytes:
    """Return a file's contents; raises `InvalidOption`."""
    try:
        return file.read_bytes()
    except OSError as error:
        raise InvalidOption(f"{file}: {error.strerror}") from error


def _text_of(file: Path) -> str:
    return bytes_of(file).decode(errors="replace")
