"""Routes of blobs: files by the SHA-256 of their content, streamed."""

from hashlib import sha256
from itertools import chain
from tempfile import SpooledTemporaryFile

from fastapi import Request, Response
from fastapi.responses import StreamingResponse
from starlette.concurrency import run_in_threadpool
from typing_extensions import TypedDict

from agentlog.api.http.codec.caller import TheThreads, threads_of
from agentlog.api.http.codec.parameters import Digest
from agentlog.api.http.codec.responses import json_answer
from agentlog.api.http.openapi.answers import answers, body
from agentlog.api.http.request.errors import BlobMismatch, BlobTooLarge
from agentlog.api.http.routing import Router
from agentlog.infrastructure.eventlog.blob_store import PIECE

router = Router(prefix="/v1", tags=["blobs"])

_BYTES = "application/octet-stream"


class Blob(TypedDict):
    """A file that is kept."""

    sha256: str
    bytes: int


@router.add(
    "PUT /blobs/{digest}",
    "append",
    response_class=Response,
    responses={**answers(200, Blob, 413), **answers(201, Blob)},
    status_code=201,
    openapi_extra=body("File", description="The file itself.", media_type=_BYTES),
)
async def put_blob(request: Request, digest: Digest) -> Response:
    """Keep a file, for messages to name in `files` by its `sha256`; again is as good as once."""
    threads = await threads_of(request)
    limit: int = request.app.state.max_blob_bytes
    hashed, size = sha256(), 0
    with SpooledTemporaryFile(max_size=PIECE) as kept:
        async for chunk in request.stream():
            size += len(chunk)
            if size > limit:
                raise BlobTooLarge(limit)
            hashed.update(chunk)
            kept.write(chunk)
        if hashed.hexdigest() != digest:
            raise BlobMismatch(named=digest, actual=hashed.hexdigest())
        kept.seek(0)
        new = await run_in_threadpool(threads.blobs.write, digest, kept)
    return json_answer({"sha256": digest, "bytes": size}, status=201 if new else 200)


@router.add(
    "GET /blobs/{digest}",
    "read",
    response_class=StreamingResponse,
    responses={
        **answers(200, "File", 404, media_type=_BYTES),
        304: {"description": "As it was: a content never changes under its name."},
    },
)
def get_blob(request: Request, threads: TheThreads, digest: Digest) -> Response:
    """Read a file, or a long text of a message as its JSON has it."""
    size = threads.blobs.size(digest)
    headers = {
        "ETag": f'"{digest}"',
        "Cache-Control": "private, max-age=31536000, immutable",
        # an arbitrary file: browsers must not run it
        "Content-Disposition": "attachment",
    }
    if f'"{digest}"' in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    headers["Content-Length"] = str(size)
    pieces = threads.blobs.read(digest)
    first = next(pieces, b"")  # an altered small file gives an error, not a broken response
    return StreamingResponse(chain([first], pieces), headers=headers, media_type=_BYTES)
