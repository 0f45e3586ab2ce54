"""Checkpoints as signed notes of C2SP (c2sp.org/tlog-checkpoint, c2sp.org/signed-note).

A note is the text, an empty line, and a line for each signature: an em dash, the key's name, and
base64 of the 4-byte key id and the 64-byte Ed25519 signature of the text.
"""

import re
from base64 import b64decode, b64encode
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from typing import Self
from urllib.parse import quote

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from agentlog.domain.errors import InvalidInput

_ED25519 = b"\x01"
"""The algorithm's number in key ids and verifier keys."""
_KEY_BYTES = 32
_ID_BYTES = 4
_ROOT_BYTES = 32
_DASH = "\u2014 "


class InvalidNote(InvalidInput):
    """The text is no checkpoint, or not one that this key has signed."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"this is no checkpoint of that log: {reason}")
        self.reason = reason


class InvalidVerifierKey(InvalidInput):
    """The text is no public key of a log."""

    def __init__(self) -> None:
        super().__init__(
            "this is no public key of a log: give NAME+ID+KEY, as `agentlog checkpoint "
            "--public-key` prints it"
        )


_LINE = re.compile(rf"{_DASH}\S+ \S+")
"""A signature, as `signed_text` writes it."""


def origin_of(tenant: str) -> str:
    """Return the name of a tenant's log and of its key, without spaces and plus signs."""
    return f"agentlog/{quote(tenant, safe='')}"


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The signed data: how many events the log had, and the root of the tree over them."""

    origin: str
    size: int
    root: bytes

    @property
    def text(self) -> str:
        """The signed text."""
        return f"{self.origin}\n{self.size}\n{to_base64(self.root)}\n"

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the checkpoint of a note's text, or of a whole note; raises `InvalidNote`."""
        lines = text.split("\n")
        match lines:
            case [str(origin), str(size), str(root), *_] if origin and _is_number(size):
                with suppress(ValueError):
                    digest = from_base64(root)
                    if len(digest) == _ROOT_BYTES:
                        return cls(origin, int(size), digest)
        raise InvalidNote("its first lines are not origin, size and root")


@dataclass(frozen=True, slots=True)
class VerifierKey:
    """A public key and the name of its log."""

    name: str
    public_key: bytes

    @property
    def id(self) -> bytes:
        """The 4-byte key id in signatures."""
        named = self.name.encode() + b"\n" + _ED25519 + self.public_key
        return sha256(named).digest()[:_ID_BYTES]

    @property
    def text(self) -> str:
        """The key in the text form that auditors keep."""
        return f"{self.name}+{self.id.hex()}+{to_base64(_ED25519 + self.public_key)}"

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the key of a text; raises `InvalidVerifierKey`."""
        name, _, rest = text.strip().partition("+")
        key_id, _, encoded = rest.partition("+")
        try:
            decoded = from_base64(encoded)
        except ValueError as error:
            raise InvalidVerifierKey from error
        key = cls(name, decoded[1:])
        if decoded[:1] != _ED25519 or len(decoded) != _KEY_BYTES + 1 or key.id.hex() != key_id:
            raise InvalidVerifierKey
        return key


def public_key_of(key: Ed25519PrivateKey) -> bytes:
    """Return the 32 bytes of the public key."""
    return key.public_key().public_bytes_raw()


def signed_note(checkpoint: Checkpoint, key: Ed25519PrivateKey) -> str:
    """Return the note of a checkpoint, signed under its origin's name."""
    return signed_text(checkpoint.text, checkpoint.origin, key)


def signed_text(text: str, origin: str, key: Ed25519PrivateKey) -> str:
    """Return the note of a text that ends with a new line, signed under a log's name."""
    verifier = VerifierKey(origin, public_key_of(key))
    signature = to_base64(verifier.id + key.sign(text.encode()))
    return f"{text}\n{_DASH}{origin} {signature}\n"


def open_note(note: str, verifier: VerifierKey) -> Checkpoint:
    """Return the checkpoint of a note that this key has signed.

    Raises:
        InvalidNote: it is no checkpoint, or this key has not signed it; says which.
    """
    checkpoint = Checkpoint.parse(note)
    if checkpoint.origin != verifier.name:
        raise InvalidNote(f"it is of {checkpoint.origin!r}, the key of {verifier.name!r}")
    check_signature(note, verifier)
    return checkpoint


def check_signature(note: str, verifier: VerifierKey) -> None:
    """Raise `InvalidNote` unless this key has signed the note.

    Signatures of other keys, witnesses' for example, are ignored.
    """
    text, separator, lines = note.rpartition("\n\n")
    if not separator:
        raise InvalidNote("it is not signed")
    signatures = _signatures(lines, verifier)
    if not signatures:
        raise InvalidNote("another key has signed it")
    public_key = Ed25519PublicKey.from_public_bytes(verifier.public_key)
    try:
        for signature in signatures:
            public_key.verify(signature, f"{text}\n".encode())
    except InvalidSignature as error:
        reason = "the signature is not of this text: one of the two was changed"
        raise InvalidNote(reason) from error


def has_one_spelling(note: str) -> bool:
    """Return whether no other text is read as this signed note: its lines are all signatures."""
    *lines, end = note.rpartition("\n\n")[2].split("\n")
    try:
        signatures = {from_base64(line.rpartition(" ")[2]) for line in lines}
    except ValueError:
        return False
    return not end and len(signatures) == len(lines) and all(map(_LINE.fullmatch, lines))


def _signatures(lines: str, verifier: VerifierKey) -> list[bytes]:
    """Return the signatures with this key's name and id."""
    signatures = []
    for line in lines.split("\n"):
        if line.startswith(f"{_DASH}{verifier.name} "):
            with suppress(ValueError):  # a line that does not parse is not by this key
                signature = from_base64(line.rpartition(" ")[2])
                if signature[:_ID_BYTES] == verifier.id:
                    signatures.append(signature[_ID_BYTES:])
    return signatures


def to_base64(content: bytes) -> str:
    """Return bytes in the base64 of RFC 4648, section 4."""
    return b64encode(content).decode()


def from_base64(text: str) -> bytes:
    """Return the bytes of base64; raises `ValueError` unless it is what `to_base64` writes.

    Otherwise unused bits could be changed unnoticed.
    """
    data = b64decode(text, validate=True)
    if to_base64(data) != text:
        raise ValueError("base64 with bits that stand for nothing")
    return data


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and text == str(int(text[:20]))
