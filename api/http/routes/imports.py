"""Routes of imports: files that come in pieces, and what became of them.

Pieces follow draft-ietf-httpbis-resumable-upload-12 in part: PATCH adds to a file from
`Upload-Offset` on, and GET answers where that is.
"""

import asyncio
import time
from collections.abc import Collection, Iterator
from contextlib import AbstractContextManager
from typing import Annotated, BinaryIO

from fastapi import Depends, Header, Path, Query, Request, Response
from fastapi.concurrency import contextmanager_in_threadpool
from fastapi.responses import StreamingResponse
from starlette.concurrency import run_in_threadpool
from ulid import ULID

from agentlog.api.http.codec.bodies import Body, object_in, read_body
from agentlog.api.http.codec.caller import TheLimits, TheOrigin, TheTenant, principal_of
from agentlog.api.http.codec.parameters import After, Limit
from agentlog.api.http.codec.responses import json_answer, page_answer
from agentlog.api.http.openapi.answers import answers, body
from agentlog.api.http.openapi.bodies import RunBody
from agentlog.api.http.routing import Router
from agentlog.api.shapes.imports import (
    DiscardedImport,
    Import,
    ImportUpload,
    SentFile,
    Taken,
    UploadedFile,
)
from agentlog.api.shapes.shape import Page
from agentlog.domain.identifiers import MESSAGE_ID_PATTERN
from agentlog.infrastructure.transfer.imports import Imports, UnknownImport
from agentlog.infrastructure.transfer.uploads.order import ImportBody
from agentlog.infrastructure.transfer.uploads.spool import Piece

router = Router(prefix="/v1", tags=["imports"])

_BYTES, _LINES = "application/octet-stream", "application/x-ndjson"
_LOOK_SECONDS = 0.05
_READ_BYTES = 2**16


_Id = Annotated[str, Path(pattern=MESSAGE_ID_PATTERN, examples=["01JD8Z3Q5N7V2M4K6H8G0F1E2D"])]


def own_import(request: Request, tenant: TheTenant, import_id: _Id) -> str:
    """Return the id of an import that the caller began, or of any for the scope `admin`.

    Raises:
        UnknownImport: there is none, or it is another's.
    """
    _see_own(request, import_id, {tenant.uploads.owner(import_id)})
    return import_id


def own_import_to_run(request: Request, tenant: TheTenant, import_id: _Id) -> str:
    """Return the id as `own_import` does; raises `DatabaseReadOnly` before it looks."""
    tenant.uploads.check_writable()
    return own_import(request, tenant, import_id)


def own_import_on_record(request: Request, tenant: TheTenant, import_id: _Id) -> str:
    """Return the id of an import whose threads the caller made, as `own_import` does."""
    tenant.imports.one(import_id)
    owners = tenant.imports.keys_of(import_id) or {tenant.uploads.owner(import_id)}
    _see_own(request, import_id, owners)
    return import_id


def _see_own(request: Request, import_id: str, owners: Collection[str | None]) -> None:
    principal = principal_of(request)
    if not principal.may("admin") and {*owners} != {principal.author}:
        raise UnknownImport(import_id)


ImportId = Annotated[str, Depends(own_import)]
ImportToRun = Annotated[str, Depends(own_import_to_run)]
OwnImport = Annotated[str, Depends(own_import_on_record)]
FilePath = Annotated[
    str,
    Query(
        alias="path",
        description="The file: one of the import's `paths`, or in one of its folders.",
        examples=["runs/1.jsonl"],
    ),
]


@router.add(
    "POST /imports",
    "append",
    responses=answers(201, ImportUpload, 400, 413, 429),
    openapi_extra=body(ImportBody, description="What is to be imported, and how."),
    status_code=201,
)
def begin_import(request: Request, tenant: TheTenant, limits: TheLimits, body: Body) -> Response:
    """Begin an import: its files are sent then, and run.

    What is sent is kept until a day after its last use, and not longer than it takes to run: DELETE
    it.
    """
    author = principal_of(request).author
    upload = tenant.uploads.begin(str(ULID()), object_in(body, limits), by=author)
    return json_answer(ImportUpload.of(upload), status=201)


@router.add("GET /imports", "read", responses=answers(200, Page[Import]))
def list_imports(tenant: TheTenant, after: After = None, limit: Limit = 100) -> Response:
    """List the imports that ran, the latest first."""
    page = tenant.imports.page(before=after, limit=limit + 1)
    return page_answer(page, limit, shown=Import.of, place=lambda import_: import_.id)


@router.add("GET /imports/{import_id}", "append", responses=answers(200, ImportUpload, 404))
async def get_import(
    tenant: TheTenant,
    import_id: ImportId,
    wait: Annotated[
        float,
        Query(ge=0, le=60, description="Seconds to wait for the end of a run, at most."),
    ] = 0,
) -> Response:
    """Read how far an import has come, and the report of its latest run."""
    end = time.monotonic() + wait
    while tenant.uploads.is_running(import_id):
        if (left := end - time.monotonic()) <= 0:
            break
        # a thread that waits would be one less for others
        await asyncio.sleep(min(left, _LOOK_SECONDS))
    return json_answer(ImportUpload.of(await run_in_threadpool(tenant.uploads.one, import_id)))


@router.add(
    "DELETE /imports/{import_id}", "append", responses=answers(200, DiscardedImport, 404, 409)
)
def discard_import(tenant: TheTenant, import_id: ImportId) -> Response:
    """Remove what was sent and the report; the threads and the record of the import stay."""
    tenant.uploads.discard(import_id)
    discarded: DiscardedImport = {"id": import_id}
    return json_answer(discarded)


@router.add("GET /imports/{import_id}/files", "append", responses=answers(200, UploadedFile, 404))
def get_file(tenant: TheTenant, import_id: ImportId, path: FilePath) -> Response:
    """Read how much of a file has come: the client goes on there, if its file begins so."""
    size, digest = tenant.uploads.file(import_id, path)
    answer: UploadedFile = {"path": path, "bytes": size, "sha256": digest}
    return json_answer(answer, headers={"Upload-Offset": str(size)})


@router.add(
    "PUT /imports/{import_id}/files",
    "append",
    responses=answers(200, SentFile, 404, 409, 413),
    openapi_extra=body("File", description="The whole file.", media_type=_BYTES),
)
async def put_file(
    request: Request,
    tenant: TheTenant,
    import_id: ImportId,
    path: FilePath,
    content_digest: Annotated[
        str | None, Header(description="Its SHA-256, as RFC 9530 has it: `sha-256=:BASE64:`.")
    ] = None,
) -> Response:
    """Send a file from its beginning; what has come of it before goes.

    Where the connection breaks, what has come stays: go on by PATCH.
    """
    piece = await run_in_threadpool(tenant.uploads.piece, import_id, path, offset=None)
    return await _taken(request, piece, path, content_digest)


@router.add(
    "PATCH /imports/{import_id}/files",
    "append",
    responses=answers(200, SentFile, 404, 409, 413),
    openapi_extra=body("File", description="What follows in the file.", media_type=_BYTES),
)
async def add_to_file(  # noqa: PLR0913, PLR0917 - what a request has
    request: Request,
    tenant: TheTenant,
    import_id: ImportId,
    path: FilePath,
    upload_offset: Annotated[
        int, Header(ge=0, lt=2**63, description="How many bytes of the file come before these.")
    ],
    content_digest: Annotated[
        str | None, Header(description="The SHA-256 of the piece: `sha-256=:BASE64:`.")
    ] = None,
) -> Response:
    """Send what follows in a file; 409 where another number of bytes has come."""
    piece = await run_in_threadpool(tenant.uploads.piece, import_id, path, offset=upload_offset)
    return await _taken(request, piece, path, content_digest)


async def _taken(
    request: Request,
    opening: AbstractContextManager[Piece],
    path: str,
    content_digest: str | None,
) -> Response:
    async with contextmanager_in_threadpool(opening) as piece:
        async for chunk in request.stream():
            piece.write(chunk)
        if content_digest is not None:
            piece.check(content_digest)
    answer: SentFile = {"path": path, "bytes": piece.size}
    return json_answer(answer, headers={"Upload-Offset": str(piece.size)})


@router.add(
    "POST /imports/{import_id}/run",
    "append",
    responses=answers(202, ImportUpload, 400, 404, 413),
    openapi_extra=body(RunBody, description="How to run it; may be empty."),
    status_code=202,
)
def run_import(
    request: Request, tenant: TheTenant, limits: TheLimits, import_id: ImportToRun, body: Body
) -> Response:
    """Import what has come; `GET /v1/imports/{import_id}?wait=10` waits for the report.

    Again is as good as once: nothing is written twice. One runs at a time of each tenant.
    """
    run = read_body(body, limits, RunBody)
    upload = tenant.uploads.run(
        import_id,
        is_dry=run.dry_run,
        passed_over=run.passed_over,
        by=principal_of(request).author,
    )
    return json_answer(ImportUpload.of(upload), status=202)


@router.add(
    "GET /imports/{import_id}/findings",
    "append",
    response_class=StreamingResponse,
    responses=answers(200, "FindingLines", 404, media_type=_LINES),
)
def get_findings(tenant: TheTenant, import_id: ImportId) -> Response:
    """Read all findings of an import's latest run, a line of JSON each."""
    return StreamingResponse(_pieces(tenant.uploads.findings(import_id)), media_type=_LINES)


def _pieces(file: BinaryIO) -> Iterator[bytes]:
    with file:
        while data := file.read(_READ_BYTES):
            yield data


@router.add("POST /imports/{import_id}/undo", "append", responses=answers(200, Taken, 404))
def undo_import(tenant: TheTenant, import_id: OwnImport, origin: TheOrigin) -> Response:
    """Hide the threads that an import made; a key without `admin` takes back its own imports."""
    return _answer(tenant.imports, import_id, tenant.imports.undo(import_id, origin=origin))


@router.add("POST /imports/{import_id}/redo", "append", responses=answers(200, Taken, 404))
def redo_import(tenant: TheTenant, import_id: OwnImport, origin: TheOrigin) -> Response:
    """Show the threads again that undo has hidden."""
    return _answer(tenant.imports, import_id, tenant.imports.redo(import_id, origin=origin))


def _answer(imports: Imports, import_id: str, threads: int) -> Response:
    taken: Taken = {"threads": threads, "grown": [*imports.one(import_id).grown]}
    return json_answer(taken)
