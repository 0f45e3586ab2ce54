"""Trace contexts (W3C Trace Context, level 1)."""

import re

_TRACEPARENT = re.compile(
    r"(?!ff)(?P<version>[0-9a-f]{2})"
    r"-(?P<ids>(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16})"
    r"-(?P<flags>[0-9a-f]{2})(?P<later>-.*)?"
)
_SAMPLED = 0x01


def read_traceparent(header: str) -> str | None:
    """Return a `traceparent` header in the format of version 00; None where it is invalid.

    Of later versions only the fields of version 00 are read, as the recommendation says (section
    3.2.4, versioning of traceparent).
    """
    parts = _TRACEPARENT.fullmatch(header)
    if parts is None:
        return None
    if parts["version"] == "00":
        return None if parts["later"] else header
    return f"00-{parts['ids']}-{int(parts['flags'], 16) & _SAMPLED:02x}"
