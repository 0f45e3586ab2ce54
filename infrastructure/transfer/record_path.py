"""JSONPath (RFC 9535) to the records in a document; its library takes 0.04 s to import."""

from dataclasses import dataclass

import jsonpath
from jsonpath import JSONPath, JSONPathError

from agentlog.domain.errors import InvalidInput
from agentlog.domain.json.values import JsonValue


class InvalidPath(InvalidInput):
    """The JSONPath does not parse, or leads to nothing."""


@dataclass(frozen=True, slots=True)
class RecordPath:
    """A JSONPath that leads to records or messages."""

    text: str
    compiled: JSONPath

    def find(self, value: JsonValue) -> list[JsonValue]:
        """Return what the path leads to: the values, or the items of the one array."""
        try:
            matches = self.compiled.findall(value)
        except JSONPathError as error:  # as for `$..x` in what is nested deep
            raise InvalidPath(f"{self.text} does not apply to this record: {error}") from error
        if not matches:
            raise InvalidPath(f"{self.text} leads to nothing in this record")
        return list(matches[0] if len(matches) == 1 and isinstance(matches[0], list) else matches)


def compile_path(text: str) -> RecordPath:
    """Return the path of a text; raises `InvalidPath`."""
    try:
        path = jsonpath.compile(text)
    except JSONPathError as error:
        raise InvalidPath(f"{text!r} is no JSONPath: {error}") from error
    if not isinstance(path, JSONPath):
        raise InvalidPath(f"{text!r}: use a single path")
    return RecordPath(text, path)
