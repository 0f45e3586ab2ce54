"""An exchange: one attempt of a request to a model provider, as it went over the wire."""

from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Literal

from agentlog.domain.json.text import parse_or
from agentlog.domain.json.values import (
    JsonObject,
    JsonValue,
    array_of,
    integer_at,
    object_at,
    object_of,
    text_at,
)
from agentlog.projections.exchanges.pieces import cut, without_identity
from agentlog.projections.exchanges.requests import SHAPES, Api, api_of
from agentlog.projections.exchanges.streams import answer_of, elements_in, events_in, is_finished

TYPE = "agentlog.exchange"
"""The type of the messages that hold exchanges."""
RUN_TYPE = "agentlog.run"
"""The type of messages that a run begins with: its name, and the values that differ by machine."""
REPLAY_TYPE = "agentlog.replay"
"""The type of messages that hold the report of a replay that is kept."""

End = Literal["complete", "upstream_refused", "upstream_broke", "client_left", "recorder_died"]
"""How an attempt ended; `recorder_died`: before the recorder knew."""

_OK = 200


@dataclass(frozen=True, slots=True)
class Exchange:
    """One attempt: what was sent, what came back and when, and how it ended.

    `path` is as the provider sees it, its query with the fields that are no secret. `status` is
    None where no answer came. `chunks` say of each piece of the answer where it begins, in bytes,
    and when it came, in ms since the attempt began at `started_at`, in ms since the epoch.
    """

    attempt: int
    method: str
    path: str
    request: bytes
    end: End
    started_at: int
    duration_ms: float | None = None
    status: int | None = None
    request_headers: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    response: bytes = b""
    chunks: Sequence[tuple[int, float]] = ()
    thread: str | None = None
    """The thread that the client asks to be put on record in, if it does."""
    known: int | None = None
    """How many of its items, from the first, that thread had; None where they are compared."""
    session: str | None = None
    """What the client names its conversation by, if it does."""
    agent: str | None = None
    """What the client names a sub-agent by, if one asks."""
    left_out: Mapping[str, int] = field(default_factory=dict)
    """The bytes of `request` and `response` where they were too many to be kept."""
    replayed: str | None = None
    """How it was found on a tape; None where the provider was asked."""
    author: str | None = None
    """Who sent it through a gateway, as `appendedBy` has it; None without a key."""
    mask: str | None = None
    """The rule that masked it, without its words; None where nothing is masked."""

    @property
    def api(self) -> Api | None:
        """The API that a model was asked by; None for all other requests."""
        return api_of(self.method, self.path.partition("?")[0])

    @property
    def kept_request(self) -> bytes:
        """The request as it is put on record: without who asks."""
        return self.request if self.api is None else without_identity(self.request, self.api)

    @property
    def body(self) -> JsonObject:
        """The request as JSON, with what its path says; empty where it is none."""
        body = object_of(parse_or(self.request))
        return body if self.api is None or not body else SHAPES[self.api].opened(self.path, body)

    @property
    def answer(self) -> JsonObject | None:
        """The answer of a model as far as it came, whether it came whole or as a stream."""
        if self.api is None or self.status != _OK:
            return None
        if "event-stream" in self.headers.get("content-type", ""):
            return answer_of(events_in(self.response), self.api)
        if self.response.lstrip().startswith(b"["):
            return answer_of(elements_in(self.response), self.api)
        return object_of(parse_or(self.response)) or None

    @property
    def is_heard(self) -> bool:
        """Whether the client had all that it waited for: many leave before a stream's last byte.

        What is not on record cannot be heard again.
        """
        if self.left_out:
            return False
        if self.end == "client_left" and self.api is not None:
            answer = self.answer
            return answer is not None and is_finished(answer, self.api)
        return self.end not in {"client_left", "recorder_died"}

    @property
    def error(self) -> str | None:
        """What went wrong, in a line; None where a model answered."""
        if self.status is None:
            return self.end.replace("_", " ")
        if self.status == _OK:
            return None
        parsed = parse_or(self.response)
        document = object_of(parsed[0] if isinstance(parsed, list) and parsed else parsed)
        text = text_at(object_at(document, "error"), "message") or text_at(document, "message")
        return f"status {self.status}" + (f": {text}" if text else "")


def payload_of(exchange: Exchange, run: str) -> JsonObject:
    """Return the payload of an exchange's message; `run` names the recording."""
    chunks: list[JsonValue] = [[offset, ms] for offset, ms in exchange.chunks]
    left_out: JsonObject = {**exchange.left_out}
    return {
        "run": run,
        "attempt": exchange.attempt,
        "api": exchange.api,
        "method": exchange.method,
        "path": exchange.path,
        "request": {
            "headers": {**exchange.request_headers},
            "pieces": _texts(cut(exchange.kept_request)),
            "sha256": None if "request" in left_out else sha256(exchange.request).hexdigest(),
        },
        "status": exchange.status,
        "response": {
            "headers": {**exchange.headers},
            "body": _texts([exchange.response])[0],
            "chunks": chunks,
        },
        "end": exchange.end,
        "startedAt": exchange.started_at,
        "durationMs": exchange.duration_ms,
        **_names(exchange),
        **({"leftOut": left_out} if left_out else {}),
    }


def _names(exchange: Exchange) -> JsonObject:
    """Return what the client says of its conversation and its sub-agent, as far as it does."""
    names = {
        "session": exchange.session,
        "agent": exchange.agent,
        "known": exchange.known,
        "mask": exchange.mask,
    }
    return {key: name for key, name in names.items() if name is not None}


def _texts(pieces: Sequence[bytes]) -> list[JsonValue]:
    """Return bytes as texts; where they are no UTF-8, all as one piece in base64."""
    try:
        return [piece.decode() for piece in pieces]
    except UnicodeDecodeError:
        return [{"base64": b64encode(b"".join(pieces)).decode()}]


def exchange_of(payload: JsonValue) -> Exchange:
    """Return the exchange of a message's payload."""
    fields = object_of(payload)
    response = object_at(fields, "response")
    end = fields.get("end")
    duration = fields.get("durationMs")
    return Exchange(
        attempt=integer_at(fields, "attempt") or 0,
        method=text_at(fields, "method") or "",
        path=text_at(fields, "path") or "",
        request=b"".join(map(_bytes, array_of(object_at(fields, "request").get("pieces")))),
        end=end if end in _ENDS else "recorder_died",  # type: ignore[arg-type] # one of them
        started_at=integer_at(fields, "startedAt") or 0,
        duration_ms=float(duration) if isinstance(duration, int | float) else None,
        status=integer_at(fields, "status"),
        request_headers=_headers(object_at(fields, "request", "headers")),
        headers=_headers(object_at(response, "headers")),
        response=_bytes(response.get("body")),
        chunks=[
            (int(offset), float(ms))
            for chunk in array_of(response.get("chunks"))
            for offset, ms in [array_of(chunk)]
            if isinstance(offset, int) and isinstance(ms, int | float)
        ],
        session=text_at(fields, "session"),
        agent=text_at(fields, "agent"),
        known=integer_at(fields, "known"),
        left_out={
            name: size
            for name, size in object_at(fields, "leftOut").items()
            if isinstance(size, int)
        },
        mask=text_at(fields, "mask"),
    )


_ENDS = frozenset(End.__args__)  # type: ignore[attr-defined] # a Literal's


def _headers(fields: JsonObject) -> dict[str, str]:
    return {name: value for name, value in fields.items() if isinstance(value, str)}


def _bytes(value: JsonValue) -> bytes:
    match value:
        case str(text):
            return text.encode()
        case {"base64": str(text)}:
            return b64decode(text)
        case _:
            return b""
