"""Redaction of secrets in logs and errors, by their shape.

agentlog puts no secret into a text itself, but errors of libraries repeat their input.
"""

import logging
import re

from typing_extensions import override

HIDDEN = "***"

_SHAPES: tuple[tuple[re.Pattern[str], str], ...] = (
    # a password in a URL: as far as the last @ before a blank, as it may hold any character
    (re.compile(r"(://[^\s:/@]*):\S+@"), rf"\1:{HIDDEN}@"),
    # agentlog's API keys, whose middle part is no secret
    (re.compile(r"\b(agentlog_[A-Za-z0-9]+)_[A-Za-z0-9_-]{20,}"), rf"\1_{HIDDEN}"),
    # the header, as HTTP, JSON and Python write it
    (
        re.compile(
            r"(?i)\b(authorization['\"]?\s*[:=,]\s*(?:b?['\"])?(?:(?:bearer|basic|digest)\s+)?)"
            r"[^\s'\",;]+"
        ),
        rf"\1{HIDDEN}",
    ),
    (re.compile(r"(?i)\b(bearer\s+)[A-Za-z0-9._~+/=-]{8,}"), rf"\1{HIDDEN}"),
    # a field of libpq's, of a query string or of JSON
    (
        re.compile(
            r"(?i)(password|passwd|secret)(['\"]?\s*[=:]\s*|%3D)"
            r"('(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|[^\s&,;'\"]+)"
        ),
        rf"\1\2{HIDDEN}",
    ),
    (re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END[^\n]*|\Z)", re.DOTALL), HIDDEN),
)
_HINTS = ("://", "agentlog_", "authorization", "bearer", "passw", "secret", "private key")
"""Every text that contains a secret's shape contains one of these, in lower case."""


def without_secrets(text: str) -> str:
    """Return `text` with `***` for each secret recognised by its shape."""
    if not hints_at_secret(text):
        return text
    for shape, shown in _SHAPES:
        text = shape.sub(shown, text)
    return text


def hints_at_secret(text: str) -> bool:
    """Return whether a text may contain a secret; a fast check, as most do not."""
    small = text.lower()
    return any(hint in small for hint in _HINTS)


class ConcealingFormatter(logging.Formatter):
    """Formatter of the standard library's log records that redacts secrets."""

    @override
    def format(self, record: logging.LogRecord) -> str:
        """Return the line of a record."""
        return without_secrets(super().format(record))
