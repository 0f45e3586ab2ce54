"""Keys of a tenant, and the record of reads (`AGENTLOG_READ_AUDIT=on`)."""

from typing import Annotated

from fastapi import Path, Query, Request, Response

from agentlog.api.http.codec.bodies import Body, read_body
from agentlog.api.http.codec.caller import TheLimits, principal_of
from agentlog.api.http.codec.parameters import After, Limit, number_cursor, without_nul
from agentlog.api.http.codec.responses import json_answer, page_answer
from agentlog.api.http.openapi.answers import answers, body
from agentlog.api.http.openapi.bodies import KeyBody
from agentlog.api.http.routing import Router
from agentlog.api.shapes.service.access import Access, Caller, NewKey, caller_json
from agentlog.api.shapes.shape import Page, shape_of
from agentlog.domain.identifiers import THREAD_ID_PATTERN
from agentlog.infrastructure.keys.accesses import Accesses
from agentlog.infrastructure.keys.cache import RecentKeys
from agentlog.infrastructure.keys.key import ID_PATTERN, Key
from agentlog.infrastructure.keys.terms import InvalidKeyTerms, expiry_of, name_of, scopes_of

router = Router(prefix="/v1", tags=["keys"])

KeyId = Annotated[str, Path(pattern=ID_PATTERN, examples=["k3jx5tqhz2ab"])]


def _keys(request: Request) -> RecentKeys:
    keys: RecentKeys = request.app.state.keys
    return keys


@router.add("GET /keys", "admin", audited=True, responses=answers(200, Page[Key]))
def list_keys(
    request: Request,
    after: After = None,
    limit: Limit = 100,
) -> Response:
    """List the keys of the tenant, whatever has become of them; secrets are nowhere to be had."""
    tenant = principal_of(request).tenant
    page = _keys(request).keys.page(tenant, after=after or "", limit=limit + 1)
    return page_answer(page, limit, shown=shape_of, place=lambda key: key.id)


@router.add(
    "POST /keys",
    "admin",
    status_code=201,
    responses=answers(201, NewKey, 400, 413),
    openapi_extra=body(KeyBody, description="What the key is for, and what it allows."),
)
def create_key(request: Request, body: Body, limits: TheLimits) -> Response:
    """Make a key of the tenant. The answer has it, and nothing else ever will.

    Once there is a first key, every request needs one.
    """
    terms = read_body(body, limits, KeyBody, InvalidKeyTerms)
    keys, principal = _keys(request), principal_of(request)
    text, key = keys.keys.create(
        principal.tenant,
        name=name_of(terms.name),
        scopes=scopes_of(terms.scopes),
        expires_at=expiry_of(terms.expires, now=keys.keys.clock()),
        created_by=principal.author,
    )
    keys.first_made()
    return json_answer(
        {**shape_of(key), "key": text.reveal()},
        status=201,
        headers={"Location": f"/v1/keys/{key.id}", "Cache-Control": "no-store"},
    )


@router.add("GET /keys/self", "any key", responses=answers(200, Caller))
def read_own_key(request: Request) -> Response:
    """Say what the caller may do: as its key allows, or everything while none is required."""
    principal = principal_of(request)
    look = None if principal.key_id is None else _keys(request).look(principal.key_id)
    return json_answer(caller_json(principal, None if look is None else look.key))


@router.add("DELETE /keys/{key_id}", "admin", responses=answers(200, Key, 404))
def revoke_key(request: Request, key_id: KeyId) -> Response:
    """Have a key of the tenant open nothing any more, at once; also the one that asks."""
    keys, principal = _keys(request), principal_of(request)
    key = keys.keys.revoke(principal.tenant, key_id, revoked_by=principal.author)
    keys.discard()
    return json_answer(shape_of(key))


@router.add("GET /accesses", "admin", audited=True, responses=answers(200, Page[Access]))
def list_accesses(
    request: Request,
    key: Annotated[
        str | None,
        Query(
            min_length=1,
            max_length=256,
            description="Only by the key of this id, or the user whom a proxy named so.",
        ),
    ] = None,
    thread: Annotated[
        str | None, Query(pattern=THREAD_ID_PATTERN, description="Only of this thread.")
    ] = None,
    after: After = None,
    limit: Limit = 100,
) -> Response:
    """List who read what of the tenant, and who was refused, the latest first."""
    accesses: Accesses = request.app.state.accesses
    page = accesses.page(
        principal_of(request).tenant,
        key_id=None if key is None else without_nul(key),
        thread_id=thread,
        before=number_cursor(after),
        limit=limit + 1,
    )
    return page_answer(page, limit, shown=Access.of, place=lambda access: access.number)
