"""Files inside messages, given in base64: alone, or as data URIs."""

import re

from agentlog.domain.json.values import JsonValue
from agentlog.projections.view import Item

_BASE64 = re.compile(r"[A-Za-z0-9+/\r\n]*={0,2}[\r\n]*\Z")
_DATA_URI = re.compile(r"data:(?P<mime>[^;,]*);base64,(?P<data>[^,]*)\Z")


def file_of_uri(uri: JsonValue, filename: JsonValue = None) -> Item | None:
    """Return the file that a data URI holds; None where it is none, or not in base64."""
    uri_match = _DATA_URI.match(uri) if isinstance(uri, str) else None
    return None if uri_match is None else file_of(uri_match["data"], uri_match["mime"], filename)


def file_of(data: JsonValue, mime: JsonValue, filename: JsonValue = None) -> Item | None:
    """Return a file; None where its type is not given, or it is not in base64."""
    if not isinstance(data, str) or not isinstance(mime, str) or _BASE64.match(data) is None:
        return None
    file: Item = {"data": data, "mimeType": mime}
    return {**file, "filename": filename} if isinstance(filename, str) else file
