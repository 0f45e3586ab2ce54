"""Server-sent events, out of bytes as they come (the HTML standard, 9.2.6)."""

from collections.abc import Iterator

from agentlog_client.operation import Frame


class FrameParser:
    """Splits one connection's bytes into frames; a comment is none."""

    def __init__(self) -> None:
        self._unread = b""
        self._fields: dict[str, str] = {}

    def frames(self, chunk: bytes) -> Iterator[Frame]:
        """Yield the frames that a chunk completes; one without data has an id alone."""
        *lines, self._unread = (self._unread + chunk).split(b"\n")
        for line in lines:
            name, _, value = line.removesuffix(b"\r").decode().partition(":")
            if name:
                value = value.removeprefix(" ")
                if name == "data" and "data" in self._fields:
                    value = f"{self._fields['data']}\n{value}"
                self._fields[name] = value
            elif not line.strip():
                fields, self._fields = self._fields, {}
                if fields.keys() & {"data", "id"}:
                    yield Frame(
                        fields.get("event", "message"), fields.get("data", ""), fields.get("id")
                    )
