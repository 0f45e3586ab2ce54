"""What a request comes with: principal and tenant, limits, and the origin of its appends.

The dependencies are coroutines because the framework would run plain functions in a thread, which
costs more than they do.
"""

from typing import Annotated

from fastapi import Depends, Request

from agentlog.api.http.codec.responses import Headers
from agentlog.api.http.request.limits import RequestLimits
from agentlog.api.http.request.scope import PRINCIPAL
from agentlog.domain.access import Principal
from agentlog.domain.drafts import NO_ORIGIN, Origin
from agentlog.domain.traces import read_traceparent
from agentlog.infrastructure.tenants import Tenant, Tenants
from agentlog.infrastructure.threads import Threads
from agentlog.infrastructure.views.views import Views


def principal_of(request: Request) -> Principal:
    """Return the authenticated principal."""
    principal: Principal = request.scope[PRINCIPAL]
    return principal


def tenant_of(request: Request) -> Tenant:
    """Return the tenant of the principal."""
    tenants: Tenants = request.app.state.tenants
    return tenants[principal_of(request).tenant]


async def the_tenant(request: Request) -> Tenant:
    """Return the tenant of the principal."""
    return tenant_of(request)


async def threads_of(request: Request) -> Threads:
    """Return the threads of the principal's tenant."""
    return tenant_of(request).threads


async def views_of(request: Request) -> Views:
    """Return the views of the principal's tenant."""
    return tenant_of(request).views


async def request_limits(request: Request) -> RequestLimits:
    """Return the service's limits for clients."""
    limits: RequestLimits = request.app.state.limits
    return limits


async def append_origin(request: Request) -> Origin:
    """Return who sent a request, and the trace in its traceparent header."""
    return origin_in(request.scope["headers"], principal_of(request))


def origin_in(headers: Headers, principal: Principal) -> Origin:
    """Return what `append_origin` returns, for a request with these headers.

    An invalid or repeated header is ignored, as the W3C recommends.
    """
    author = principal.author
    parents = [value for name, value in headers if name == b"traceparent"]
    trace = read_traceparent(parents[0].decode("latin-1")) if len(parents) == 1 else None
    if author is None and trace is None:
        return NO_ORIGIN
    return Origin(trace, author, actor=principal.user)


TheTenant = Annotated[Tenant, Depends(the_tenant)]
TheThreads = Annotated[Threads, Depends(threads_of)]
TheViews = Annotated[Views, Depends(views_of)]
TheLimits = Annotated[RequestLimits, Depends(request_limits)]
TheOrigin = Annotated[Origin, Depends(append_origin)]
