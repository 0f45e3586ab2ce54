"""What a client can ask, as values: nothing here sends anything.

An operation is a request and how its answer is read. `Client` and `AsyncClient` send the same ones.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Generic, TypeVar
from urllib.parse import quote, urlencode

from pydantic import BaseModel

from agentlog_client.json_text import parsed, printed

T = TypeVar("T")
M = TypeVar("M", bound=BaseModel)

Moment = int | str | datetime
"""A version, `@position`, a message's id, or a time: as RFC 3339, or a datetime with a zone."""
Json = Any
"""A value as `json` has it."""


@dataclass(frozen=True, slots=True)
class Request:
    """An HTTP request; `target` is a path and a query, quoted."""

    method: str
    target: str
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """An HTTP answer; of a stream that is just opened, `body` is empty."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    def json(self) -> Json:
        """Return the body's value."""
        return parsed(self.body)


@dataclass(frozen=True, slots=True)
class Operation(Generic[T]):
    """A request and how its answer is read; `repeatable`: sending it twice does it once."""

    request: Request
    read: Callable[[Answer], T]
    repeatable: bool = True


@dataclass(frozen=True, slots=True)
class Listing(Generic[T]):
    """A list that comes in pages; `read` returns the items of one, and the cursor of the next."""

    first: Request
    read: Callable[[Answer], tuple[Sequence[T], str | None]]


@dataclass(frozen=True, slots=True)
class Stream(Generic[T]):
    """A stream of events; one that is not `finite` goes on after it broke off, where it stopped."""

    request: Request
    read: Callable[["Frame"], T | None]
    finite: bool = False


@dataclass(frozen=True, slots=True)
class Frame:
    """A server-sent event; `id` is where to go on after it."""

    event: str
    data: str
    id: str | None

    def json(self) -> Json:
        """Return the value of the data."""
        return parsed(self.data)


def request(
    method: str,
    path: str,
    *names: str,
    query: Mapping[str, object] | None = None,
    body: object = None,
) -> Request:
    """Return a request; each `{}` of the path is one of `names`, and None in a query is left out.

    Raises:
        ValueError: a name that no path can hold, or a time without a zone.
        NotJson: the body is no JSON.
    """
    if unfit := {"", ".", ".."}.intersection(names):
        raise ValueError(f"{unfit.pop()!r} is no id")
    target = path.format(*(quote(name, safe="") for name in names))
    pairs = [
        (name, parameter_text(value))
        for name, values in (query or {}).items()
        for value in (values if isinstance(values, list | tuple) else [values])
        if value is not None
    ]
    if pairs:
        target += f"?{urlencode(pairs)}"
    if body is None:
        return Request(method, target)
    return Request(method, target, {"Content-Type": "application/json"}, printed(body))


def with_headers(of: Request, **headers: str | None) -> Request:
    """Return the request with more headers; `If_Match` is written If-Match, None left out."""
    more = {name.replace("_", "-"): value for name, value in headers.items() if value is not None}
    return replace(of, headers={**of.headers, **more})


def as_model(model: type[M]) -> Callable[[Answer], M]:
    """Return what reads an answer as a model."""
    return lambda answer: model.model_validate(answer.json())


def as_page(model: type[M]) -> Callable[[Answer], tuple[Sequence[M], str | None]]:
    """Return what reads an answer as a page of a list."""

    def read(answer: Answer) -> tuple[Sequence[M], str | None]:
        page = answer.json()
        return [model.model_validate(item) for item in page["items"]], page["next"]

    return read


def next_page(listing: Request, after: str) -> Request:
    """Return the request for the page after a cursor."""
    target, _, query = listing.target.partition("?")
    others = [pair for pair in query.split("&") if pair and not pair.startswith("after=")]
    return replace(listing, target=f"{target}?{'&'.join([*others, urlencode({'after': after})])}")


def metadata_terms(metadata: Mapping[str, Json]) -> str:
    """Return the terms of a filter that ask for metadata equal to these values."""
    return " ".join(
        f"metadata.{_quoted(key)}:"
        f"{_quoted(value) if isinstance(value, str) else printed(value).decode()}"
        for key, value in metadata.items()
    )


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def parameter_text(value: object) -> str:
    """Return a parameter, of a moment say, as text.

    Raises:
        ValueError: a time without a zone.
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        if value.tzinfo is None:
            raise ValueError(f"{value} has no zone: give it one, as datetime.now(UTC) has")
        return value.isoformat()
    return str(value)
