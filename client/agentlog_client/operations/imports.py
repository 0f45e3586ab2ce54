"""Imports: begin one, send its files in pieces, run it, read its report, take it back."""

import json
from base64 import b64encode
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any

from agentlog_client.models import (
    DiscardedImport,
    Import,
    ImportUpload,
    ReportFinding,
    SentFile,
    Taken,
    UploadedFile,
)
from agentlog_client.operation import (
    Answer,
    Listing,
    Operation,
    Request,
    as_model,
    as_page,
    request,
    with_headers,
)


def begin_import(paths: Sequence[str], **order: Any) -> Operation[ImportUpload]:  # noqa: ANN401
    """Begin an import of files and folders, as the caller names them; a folder ends in `/`.

    `order` has the other fields of `ImportBody`, as format or threadId.
    """
    asked = request("POST", "/v1/imports", body={"paths": list(paths), **order})
    return Operation(asked, as_model(ImportUpload), repeatable=False)


def imports(*, limit: int | None = None) -> Listing[Import]:
    """List the imports that ran, the latest first."""
    return Listing(request("GET", "/v1/imports", query={"limit": limit}), as_page(Import))


def get_import(import_id: str, *, wait: float | None = None) -> Operation[ImportUpload]:
    """Read how far an import has come, after `wait` seconds at most if it runs."""
    asked = request("GET", "/v1/imports/{}", import_id, query={"wait": wait})
    return Operation(asked, as_model(ImportUpload))


def discard_import(import_id: str) -> Operation[DiscardedImport]:
    """Remove what was sent and the report; the threads stay."""
    return Operation(request("DELETE", "/v1/imports/{}", import_id), as_model(DiscardedImport))


def get_import_file(import_id: str, path: str) -> Operation[UploadedFile]:
    """Read how much of a file has come."""
    return Operation(_file("GET", import_id, path), as_model(UploadedFile))


def put_import_file(import_id: str, path: str, content: bytes) -> Operation[SentFile]:
    """Send a file from its beginning."""
    return Operation(_piece("PUT", import_id, path, content), as_model(SentFile))


def add_to_import_file(
    import_id: str, path: str, content: bytes, *, offset: int = 0
) -> Operation[SentFile]:
    """Send what follows in a file after `offset` bytes."""
    asked = with_headers(
        _piece("PATCH", import_id, path, content), **{"Upload-Offset": str(offset)}
    )
    return Operation(asked, as_model(SentFile), repeatable=False)


def run_import(
    import_id: str, *, dry_run: bool = False, passed_over: Mapping[str, str] | None = None
) -> Operation[ImportUpload]:
    """Import what has come; `passed_over` are files that were not sent, and why."""
    body = {"dryRun": dry_run, "passedOver": dict(passed_over or {})}
    asked = request("POST", "/v1/imports/{}/run", import_id, body=body)
    return Operation(asked, as_model(ImportUpload))


def import_findings(import_id: str) -> Operation[list[ReportFinding]]:
    """Read all findings of the latest run."""
    return Operation(request("GET", "/v1/imports/{}/findings", import_id), _findings)


def undo_import(import_id: str) -> Operation[Taken]:
    """Hide the threads that an import made."""
    return Operation(request("POST", "/v1/imports/{}/undo", import_id), as_model(Taken))


def redo_import(import_id: str) -> Operation[Taken]:
    """Show the threads again that undo has hidden."""
    return Operation(request("POST", "/v1/imports/{}/redo", import_id), as_model(Taken))


def _file(method: str, import_id: str, path: str) -> Request:
    return request(method, "/v1/imports/{}/files", import_id, query={"path": path})


def _piece(method: str, import_id: str, path: str, content: bytes) -> Request:
    """Return the request that sends bytes of a file, with their digest (RFC 9530)."""
    digest = b64encode(sha256(content).digest()).decode()
    asked = _file(method, import_id, path)
    headers = {
        "Content-Type": "application/octet-stream",
        "Content-Digest": f"sha-256=:{digest}:",
    }
    return Request(asked.method, asked.target, headers, content)


def _findings(answer: Answer) -> list[ReportFinding]:
    return [ReportFinding.model_validate(json.loads(line)) for line in answer.body.splitlines()]
