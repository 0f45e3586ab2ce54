"""Routers whose routes say what they are: scope, threads that they name, body and answers.

A router brings everything with it, its prefix and its place in the OpenAPI document too: the
application includes it, and permissions, audit, limits and metrics read its routes.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from functools import partial
from types import MappingProxyType
from typing import Any, Final, Literal, TypedDict, TypeVar, cast

from fastapi import APIRouter, Response
from fastapi.dependencies.utils import get_flat_params
from fastapi.params import Query
from fastapi.routing import APIRoute
from starlette.routing import BaseRoute
from starlette.types import Lifespan
from typing_extensions import Unpack

from agentlog.domain.access import SCOPES, Scope
from agentlog.projections.filters.expression import terms_in
from agentlog.projections.filters.grammar import InvalidFilterText, parse_filter
from agentlog.projections.filters.terms import TERMS

Need = Scope | Literal["nothing", "any key"]
"""The scope that a route takes; `GET` answers for `HEAD` too."""
_NEEDS: Final = ("nothing", "any key", *SCOPES)

Parameter = dict[str, Any]
"""A parameter as the OpenAPI document has it."""

ThreadsOf = Callable[[str], Iterable[str]]
"""Returns the threads that a parameter's value names; what is no id of one is passed over."""

_Endpoint = TypeVar("_Endpoint", bound=Callable[..., Any])


def thread_at(value: str) -> Iterable[str]:
    """Return the thread that a value names, perhaps with a moment after an `@`."""
    return (value.partition("@")[0],)


def naming(*parameters: str) -> Mapping[str, ThreadsOf]:
    """Return that each of these parameters names a thread, perhaps with a moment after an `@`."""
    return dict.fromkeys(parameters, thread_at)


def threads_in_filter(text: str) -> Iterator[str]:
    """Yield the threads that a filter names, wherever it stands."""
    with suppress(InvalidFilterText):
        for term in terms_in(parse_filter(text, TERMS)):
            if term.name in {"thread", "parent"}:
                yield str(term.value)


USUAL: Final = {**naming("thread_id", "thread", "parent"), "filter": threads_in_filter}
"""Parameters that name threads in every route that has them."""


class Described(TypedDict, total=False):
    """What the OpenAPI document has of a route, as the framework takes it."""

    status_code: int
    response_class: type[Response]
    openapi_extra: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Route:
    """A route as the checks before it read it.

    `declared`: the parameters of its query, beside the `options` of views; `threads`: those of
    query and path that name threads. `direct`: its endpoint takes a request and is called without
    the framework. `stream`: it follows the log. `long`: its body or
    answer may be endless, and the key is checked again for each piece. `reads`: it answers with
    what others have put in, and takes the scope `read` too. `audited`: it reads data.
    `waits`: it takes a position to wait for.
    """

    method: str
    template: str
    need: Need
    endpoint: Callable[..., Any]
    declared: tuple[str, ...]
    options: Callable[[], Sequence[Parameter]]
    threads: Mapping[str, ThreadsOf]
    direct: bool
    stream: bool
    long: bool
    reads: bool
    audited: bool
    waits: bool
    in_document: bool

    @property
    def name(self) -> str:
        """Its method and template."""
        return f"{self.method} {self.template}"

    @property
    def query(self) -> Sequence[str]:
        """The parameters of its query."""
        return [*self.declared, *(option["name"] for option in self.options())]

    @property
    def scopes(self) -> Sequence[Scope]:
        """The scopes that it takes; none where any key will do, or none is needed."""
        match self.need:
            case "nothing" | "any key":
                return ()
            case scope:
                return (scope, "read") if self.reads else (scope,)


class Router:
    """A router of the framework, `framework`, and what its routes are.

    `framework` has no types of answers, as endpoints print these: they are a tenth of a start.
    """

    def __init__(
        self,
        *,
        prefix: str = "",
        tags: Sequence[str | Enum] = (),
        in_document: bool = True,
        threads: Mapping[str, ThreadsOf] = USUAL,
        lifespan: Lifespan[Any] | None = None,
    ) -> None:
        """Make a router without routes; `threads` are parameters that name threads in all."""
        self._empty: Final = partial(
            APIRouter, prefix=prefix, tags=[*tags], include_in_schema=in_document
        )
        self.framework: Final = self._empty()
        self.lifespan: Final = lifespan
        self.routes: Final[list[Route]] = []
        self._documenting: Final[list[Callable[[APIRouter], None]]] = []
        self._threads = {**USUAL, **threads}

    def add(  # noqa: PLR0913 - what a route is
        self,
        name: str,
        need: Need,
        *,
        threads: Mapping[str, ThreadsOf] = MappingProxyType({}),
        direct: bool = False,
        stream: bool = False,
        long: bool | None = None,
        reads: bool = False,
        audited: bool | None = None,
        waits: bool | None = None,
        options: Callable[[], Sequence[Parameter]] = tuple,
        responses: dict[int | str, dict[str, Any]] | None = None,
        **described: Unpack[Described],
    ) -> Callable[[_Endpoint], _Endpoint]:
        """Return a decorator that adds an endpoint as a route, as `GET /log`; see `Route`.

        Streams are long. What reads is audited, as are answers to GET of the scope `append`, about
        what the caller sends. A GET of the scope `read` or `admin` waits.

        Raises:
            LookupError: there is no such scope, or the route has no such parameter of threads.
        """
        if need not in _NEEDS:
            raise LookupError(f"{name}: say which scope it takes, one of {', '.join(_NEEDS)}")
        method, _, path = name.partition(" ")
        is_read = reads or need == "read" or (method == "GET" and need == "append")

        def adding(endpoint: _Endpoint) -> _Endpoint:
            add = partial(
                APIRouter.add_api_route, path=path, endpoint=endpoint, methods=[method], **described
            )
            add(self.framework)

            def document(router: APIRouter) -> None:
                extra = described.get("openapi_extra", {})
                if more := options():
                    extra = {**extra, "parameters": [*extra.get("parameters", ()), *more]}
                add(router, responses=responses, openapi_extra=extra)

            self._documenting.append(document)
            added = cast("APIRoute", self.framework.routes[-1])
            declared = tuple(_query_parameters(added))
            parameters = {*added.param_convertors, *declared}
            if threads.keys() - parameters:
                raise LookupError(f"{name}: no parameter {', '.join(threads.keys() - parameters)}")
            named = {**self._threads, **threads}
            route = Route(
                method,
                self.framework.prefix + path,
                need,
                endpoint,
                declared,
                options,
                threads={word: named[word] for word in named if word in parameters},
                direct=direct,
                stream=stream,
                long=stream if long is None else long,
                reads=reads,
                audited=is_read if audited is None else audited,
                waits=method == "GET" and need in {"read", "admin"} if waits is None else waits,
                in_document=self.framework.include_in_schema,
            )
            self.routes.append(route)
            return endpoint

        return adding

    def documented(self) -> list[BaseRoute]:
        """Return the framework's routes with the types of answers, for the OpenAPI document."""
        router = self._empty()
        for add in self._documenting:
            add(router)
        return router.routes


def _query_parameters(route: APIRoute) -> Iterator[str]:
    for parameter in get_flat_params(route.dependant):
        if isinstance(parameter.field_info, Query):
            yield parameter.alias
    for described in (route.openapi_extra or {}).get("parameters", ()):
        if described["in"] == "query":
            yield described["name"]
