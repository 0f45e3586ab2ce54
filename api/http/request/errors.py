"""Errors of requests: refused while they are read, or for their headers or size.

KeyInUrl
ForeignSite
InvalidUser                the proxy gave no name of a user
InvalidIfMatch
BodyTooLarge
BlobTooLarge
BlobMismatch
GatewayUnreachable
RefusedRequest            while being read; the connection ends with the response
├── NotHttp                not the syntax of HTTP/1.1 (RFC 9112)
├── UnknownHttpVersion
├── MethodNotImplemented
├── InvalidHost
├── InvalidBodyFraming     the end of the body is unknown
├── TransferCodingNotImplemented
├── HeadersTooLarge
├── HeadersStalled
└── BodyStalled
"""

from agentlog.domain.errors import AgentlogError, InvalidInput


class RefusedRequest(InvalidInput, kind="unreadable"):
    """Refused while it was read."""


class NotHttp(RefusedRequest):
    """Not a request of HTTP/1.1."""


class UnknownHttpVersion(RefusedRequest, kind="unknown version"):
    """Another major version of HTTP."""

    def __init__(self) -> None:
        super().__init__("send HTTP/1.1, or let a proxy translate")


class MethodNotImplemented(RefusedRequest, kind="unimplemented"):
    """A method that no route has."""

    def __init__(self) -> None:
        super().__init__("no route has this method; methods are case-sensitive, as in GET")


class InvalidHost(RefusedRequest):
    """Not exactly one well-formed Host."""

    def __init__(self) -> None:
        super().__init__("send one Host header, as in `Host: example.org:8080`")


class InvalidBodyFraming(RefusedRequest):
    """Where the body ends is in doubt."""


class TransferCodingNotImplemented(RefusedRequest, kind="unimplemented"):
    """A transfer coding beside chunked."""

    def __init__(self) -> None:
        super().__init__("send the body with Content-Length, or `Transfer-Encoding: chunked` alone")


class HeadersTooLarge(RefusedRequest, kind="headers too large"):
    """Too many headers, or too long ones; trailers count."""

    @classmethod
    def by_bytes(cls, limit: int) -> "HeadersTooLarge":
        """Return the error for more than `limit` bytes."""
        return cls(
            f"the first line and the headers are longer than {limit} bytes: "
            "send what is long in the body"
        )

    @classmethod
    def by_number(cls, limit: int) -> "HeadersTooLarge":
        """Return the error for more than `limit` headers."""
        return cls(f"there are more than {limit} headers")


class HeadersStalled(RefusedRequest, kind="stalled"):
    """The headers came too slowly."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"the headers were not there after {seconds:g} s: send the request again")


class BodyStalled(RefusedRequest, kind="stalled"):
    """The body broke off."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"nothing more of the body came for {seconds:g} s: send the request again")


class KeyInUrl(InvalidInput, kind="unreadable"):
    """A key stands in the URL, where logs and histories keep it."""

    def __init__(self) -> None:
        super().__init__(
            "send keys as `Authorization: Bearer KEY`, never in a URL: URLs are kept in logs and "
            "histories. Revoke the key that you sent, if it was one (`agentlog keys revoke ID`)"
        )


class GatewayUnreachable(AgentlogError, kind="unavailable", transient=True):
    """The gateway of AGENTLOG_GATEWAY_URL gives no answer."""

    def __init__(self, reason: str) -> None:
        super().__init__(
            f"the gateway of AGENTLOG_GATEWAY_URL gives no answer ({reason}): see that "
            "`agentlog gateway` runs there, and ask again"
        )


class ForeignSite(AgentlogError, kind="forbidden"):
    """A page of another site may have made the request through a user's browser."""

    def __init__(self, reason: str, *, way: str, has_key: bool = False) -> None:
        key = "" if has_key else "make a key (`agentlog keys create`) and send it, or "
        super().__init__(f"{'' if has_key else 'without a key, '}{reason}: {key}{way}")


class BodyTooLarge(InvalidInput, kind="too large"):
    """The request's body is larger than the service takes."""

    def __init__(self, limit: int, *, what: str = "the body") -> None:
        super().__init__(
            f"{what} is larger than {limit} bytes: send fewer messages at a time, "
            "or raise AGENTLOG_MAX_BODY_BYTES"
        )


class BlobTooLarge(InvalidInput, kind="too large"):
    """The file is larger than the service takes."""

    def __init__(self, limit: int) -> None:
        super().__init__(
            f"the file is larger than {limit} bytes: keep it elsewhere and log where, "
            "or raise AGENTLOG_MAX_BLOB_BYTES"
        )


class BlobMismatch(InvalidInput):
    """The content is not the one that its name says."""

    def __init__(self, *, named: str, actual: str) -> None:
        super().__init__(
            f"the content's SHA-256 is {actual}, not {named}: it was cut short on its way, "
            "or the name is another's; nothing was kept"
        )
        self.named = named


class InvalidUser(InvalidInput, kind="unreadable"):
    """What a proxy gives as the name of the user is none."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"the header that names the user (AGENTLOG_USER_HEADER) {reason}")


class InvalidIfMatch(InvalidInput, kind="unreadable"):
    """The If-Match header names no version."""

    def __init__(self, header: str) -> None:
        super().__init__(
            f'If-Match: {header[:64]} names no version: send the version in quotes, as in "12"'
        )
