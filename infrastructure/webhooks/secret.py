"""The secret that signs what is posted to a webhook."""

from base64 import b64encode
from dataclasses import dataclass, field
from hashlib import sha256
from hmac import digest

SECRET_BYTES = 32
_PREFIX = "whsec_"


@dataclass(frozen=True, slots=True)
class Secret:
    """A symmetric secret, which only `reveal` prints."""

    key: bytes = field(repr=False)

    def reveal(self) -> str:
        """Return the secret itself, to show it to its owner once."""
        return _PREFIX + b64encode(self.key).decode("ascii")

    def sign(self, message_id: str, timestamp: int, body: bytes) -> str:
        """Return the `webhook-signature` of a request; `timestamp` is in seconds."""
        signed = b".".join((message_id.encode(), str(timestamp).encode(), body))
        return f"v1,{b64encode(digest(self.key, signed, sha256)).decode('ascii')}"
