"""API keys: their text, their record, and their rights."""

import re
from base64 import b32encode
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from hmac import compare_digest
from typing import Annotated, Self

from pydantic import Field
from typing_extensions import override

from agentlog.domain.access import Principal, Scope
from agentlog.domain.json.answers import Time, answer

RANDOM_BYTES = 40
"""Random bytes of a key: 8 for its id, 32 for its secret."""
KEY_PATTERN = r"agentlog_[a-z2-7]{12}_[0-9a-f]{64}"
ID_PATTERN = r"^[a-z2-7]{12}$"

_KEY = re.compile(KEY_PATTERN + r"\Z", re.ASCII)


@dataclass(frozen=True, slots=True)
class KeyText:
    """A key with its secret, which only `reveal` prints."""

    key_id: str
    secret: str = field(repr=False)

    @classmethod
    def made_of(cls, randomness: bytes, *, cell: str = "") -> Self:
        """Return the key made of `RANDOM_BYTES` random bytes.

        `cell`, at most 4 letters, begins the id and leaves 40 random bits or more of it.
        """
        key_id = cell + b32encode(randomness[:8]).decode("ascii").lower()
        return cls(key_id[:12], randomness[8:RANDOM_BYTES].hex())

    @classmethod
    def parse(cls, text: str) -> Self | None:
        """Return the key in `text`, None if it is no key."""
        if not _KEY.match(text):
            return None
        _, key_id, secret = text.split("_")
        return cls(key_id, secret)

    @property
    def digest(self) -> bytes:
        """SHA-256 of the secret, the only part of it that is stored.

        Slow hashes are for passwords, which can be guessed. 256 random bits cannot, and each
        request pays for the hash.
        """
        return sha256(self.secret.encode("ascii")).digest()

    def reveal(self) -> str:
        """Return the key itself, to show it to its owner once."""
        return f"agentlog_{self.key_id}_{self.secret}"

    @override
    def __str__(self) -> str:
        return f"key {self.key_id}"


@answer
@dataclass(frozen=True, slots=True)
class Key:
    """What is on record of a key. `createdBy` and `revokedBy` are ids of keys, or users."""

    id: str
    tenant: str
    name: str
    scopes: Annotated[tuple[Scope, ...], Field(min_length=1)]
    created_at: Time
    created_by: str | None
    expires_at: Time | None
    revoked_at: Time | None
    revoked_by: str | None

    @property
    def principal(self) -> Principal:
        """The principal of requests with this key."""
        return Principal(self.tenant, frozenset(self.scopes), self.id)


@dataclass(frozen=True, slots=True)
class StoredKey:
    """A key and the digest of its secret; checked at each request.

    `elsewhere` is the database that its tenant has moved to, if it has.
    """

    key: Key
    principal: Principal
    digest: bytes = field(repr=False)
    elsewhere: str | None = None

    @classmethod
    def of(cls, key: Key, digest: bytes, elsewhere: str | None = None) -> Self:
        """Return a key as it was read."""
        return cls(key, key.principal, digest, elsewhere)

    def flaw(self, key_text: KeyText, *, now: datetime) -> str | None:
        """Return why `given` is refused at `now`, None if it is valid."""
        if not compare_digest(key_text.digest, self.digest):
            return "its secret is another"
        if self.key.revoked_at is not None:
            return "it was revoked"
        if self.key.expires_at is not None and self.key.expires_at <= now:
            return "it has expired"
        return None
