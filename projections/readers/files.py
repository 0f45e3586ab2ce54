"""Files inside messages, given as data URIs."""

import re

from domain.json.text import JsonValue
from projections.view import Item

_DATA_URI = re.compile(r"data:(?P<mime>[^;,]*);base64,(?P<data>[A-Za-z0-9+/\r\n]*={0,2}[\r\n]*)\Z")


def file_of_uri(uri: JsonValue, filename: JsonValue = None) -> Item | None:
    """Return the attachment that a data URI holds; None where it is none, or not in base64."""
    found = _DATA_URI.match(uri) if isinstance(uri, str) else None
    if found is None:
        return None
    read: Item = {"data": found["data"], "mimeType": found["mime"]}
    if isinstance(filename, str):
        read["filename"] = filename
    return read
