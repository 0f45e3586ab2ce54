"""Parameters that routes share: ids, moments, cursors, versions, types, and a view's options."""

from collections.abc import Sequence
from functools import cache
from typing import Annotated, Any

from fastapi import Depends, Path, Query, Request
from pydantic import AfterValidator

from agentlog.api.filters import indexed_filter, types_in
from agentlog.api.http.codec.responses import Headers
from agentlog.api.http.openapi.answers import parameter
from agentlog.api.http.request.errors import InvalidIfMatch
from agentlog.api.http.routing import Parameter
from agentlog.domain.errors import InvalidCursor
from agentlog.domain.identifiers import THREAD_ID_PATTERN, named_message_id
from agentlog.domain.points_in_time import Moment, number_in, number_of, parse_moment
from agentlog.infrastructure.eventlog.thread_heads import ThreadFilter
from agentlog.projections.filters.expression import Expression
from agentlog.projections.filters.grammar import MOST_CHARACTERS, parse_filter
from agentlog.projections.registry import VIEWS, AnyView, choose_view, option_values


def header_of(headers: Headers, name: bytes) -> bytes | None:
    """Return the first header of that lower-case name; faster than a mapping of all headers."""
    for header, value in headers:
        if header == name:
            return value
    return None


def expected_version_of(if_match: str | None) -> int | None:
    """Return the version in the If-Match header; `*` is any."""
    if if_match is None or if_match.strip() == "*":
        return None
    version = number_in(if_match.strip().removeprefix("W/").strip('"'))
    if version is None:
        raise InvalidIfMatch(if_match)
    return version


def number_cursor(text: str | None) -> int | None:
    """Return the version or position in a list's cursor."""
    return None if text is None else number_of(text)


def _cursor(text: str | None) -> str | None:
    """Return a cursor that may be a text; PostgreSQL takes none with a NUL."""
    if text is not None and "\x00" in text:
        raise InvalidCursor(text)
    return text


def without_nul(text: str) -> str:
    """Return text that PostgreSQL accepts: its indexes have U+FFFD for each NUL of the log."""
    return text.replace("\x00", "\ufffd")


async def moment_of(
    at: Annotated[
        str | None,
        Query(
            description="As it was just after this: a version (12), a position (@345), a message "
            "id (ULID or UUID) or an RFC 3339 time with its zone.",
            examples=["12", "@345", "2026-11-21T10:00:00Z"],
        ),
    ] = None,
) -> Moment | None:
    """Return the moment that `at` names."""
    return None if at is None else parse_moment(at)


def _filter(description: str, example: str) -> Any:  # noqa: ANN401 - of the framework
    """Return what the document says of a filter."""
    return Query(
        alias="filter", max_length=MOST_CHARACTERS, description=description, examples=[example]
    )


_OF_THREADS = _filter(
    "Terms that must hold of the thread, as `failed (cost>0.5 or loops>0)`.",
    "failed tool:book* took>5s",
)
_INDEXED = _filter(
    "Terms that must all hold of the thread: words of goal or id, `status:`, `open`, `parent:` and "
    "`metadata.KEY:`.",
    "refund status:open metadata.team:support",
)
_OF_EVENTS = _filter("Types of events, one or several.", "type:reply or type:exit")


async def filter_of(text: Annotated[str, _OF_THREADS] = "") -> Expression:
    """Return the query's filter of threads."""
    return parse_filter(without_nul(text), "list")


async def indexed_filter_of(text: Annotated[str, _INDEXED] = "") -> ThreadFilter:
    """Return the query's filter of threads, as the log's own indexes serve it."""
    return indexed_filter(without_nul(text))


async def types_of(
    text: Annotated[str, _OF_EVENTS] = "",
) -> Sequence[str] | None:
    """Return the types of the query's filter of events, None for all."""
    return types_in(without_nul(text))


@cache
def option_parameters() -> Sequence[Parameter]:
    """Return the options of every view for the OpenAPI document; imports the views."""
    described: dict[str, dict[str, Any]] = {}
    for view in VIEWS.values():
        for name, values in option_values(view).items():
            option = described.setdefault(name, {"views": [], "values": values})
            option["views"].append(view.name)
    return [
        parameter(
            name,
            f"Option of {', '.join(terms['views'])}.",
            {"type": "string", "enum": list(terms["values"])},
        )
        for name, terms in described.items()
    ]


def chosen_view(request: Request, name: str) -> AnyView:
    """Return the view `name` with its options from the query."""
    known = {option for view in VIEWS.values() for option in option_values(view)}
    return choose_view(name, {k: v for k, v in request.query_params.items() if k in known})


ThreadId = Annotated[str, Path(pattern=THREAD_ID_PATTERN, examples=["support-42"])]
MessageId = Annotated[
    str,
    Path(
        description="A ULID, or what the message was sent with.",
        examples=["01JD8Z3Q5N7V2M4K6H8G0F1E2D"],
    ),
    AfterValidator(named_message_id),
]
Digest = Annotated[
    str,
    Path(
        pattern="^[0-9a-f]{64}$",
        description="SHA-256 of the content, in hexadecimal.",
        examples=["2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"],
    ),
]
At = Annotated[Moment | None, Depends(moment_of)]
Types = Annotated[Sequence[str] | None, Depends(types_of)]
After = Annotated[
    str | None,
    Query(description="The `next` of the page before."),
    AfterValidator(_cursor),
]
Limit = Annotated[int, Query(ge=1, le=1000)]
Hidden = Annotated[bool, Query(description="Hidden threads too.")]
TheFilter = Annotated[Expression, Depends(filter_of)]
TheIndexedFilter = Annotated[ThreadFilter, Depends(indexed_filter_of)]
