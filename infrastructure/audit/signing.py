"""The private key that signs checkpoints: a PEM file in OpenSSL's format."""

from pathlib import Path

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)

from agentlog.domain.errors import AgentlogError
from agentlog.infrastructure.runtime.key_files import SIGNING_KEY, write_once
from agentlog.infrastructure.settings import Settings


class NoSigningKey(AgentlogError, kind="unavailable"):
    """There is no key to sign checkpoints with."""

    def __init__(self, path: Path | None) -> None:
        lacking = "AGENTLOG_SIGNING_KEY is not set" if path is None else f"{path} is not there"
        super().__init__(
            f"there is no key to sign checkpoints with: {lacking}; make one by `openssl genpkey "
            "-algorithm ed25519 -out FILE`, keep it out of reach of whoever owns the database, "
            "and set AGENTLOG_SIGNING_KEY to its path"
        )


class InvalidSigningKey(AgentlogError, kind="unavailable"):
    """The file of the signing key cannot be read, or has no Ed25519 key."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(
            f"{path} cannot be signed with: {reason}; have AGENTLOG_SIGNING_KEY name an Ed25519 "
            "private key in PEM without a passphrase, as `openssl genpkey -algorithm ed25519` "
            "writes it"
        )


class SigningKey:
    """The place of the private key; it is read only for signing.

    `made`: it is created on first use, for the embedded PostgreSQL, which has no administrator.
    """

    def __init__(self, path: Path | None, *, made: bool = False) -> None:
        self._path = path
        self._made = made

    def read(self) -> Ed25519PrivateKey:
        """Return the key.

        Raises:
            NoSigningKey: there is none.
            InvalidSigningKey: the file is not one.
        """
        if self._path is None:
            raise NoSigningKey(None)
        try:
            if self._made and not self._path.exists():
                _make(self._path)
            key = load_pem_private_key(self._path.read_bytes(), password=None)
        except FileNotFoundError as error:
            raise NoSigningKey(self._path) from error
        except OSError as error:
            raise InvalidSigningKey(self._path, str(error.strerror)) from error
        except (ValueError, TypeError, UnsupportedAlgorithm) as error:
            raise InvalidSigningKey(self._path, "it is no such key") from error
        if not isinstance(key, Ed25519PrivateKey):
            raise InvalidSigningKey(self._path, "it is a key of another kind")
        return key


def _make(path: Path) -> None:
    """Write a new key; a file made meanwhile by another process is kept."""
    content = Ed25519PrivateKey.generate().private_bytes(
        Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()
    )
    write_once(path, content)


def signing_key(settings: Settings) -> SigningKey:
    """Return the key that signs checkpoints; for our own PostgreSQL it is created on first use."""
    if settings.signing_key is not None or settings.database_url is not None:
        return SigningKey(settings.signing_key)
    return SigningKey(settings.data_dir / SIGNING_KEY, made=True)
