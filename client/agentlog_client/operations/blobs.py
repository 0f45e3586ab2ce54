"""Files, by the SHA-256 of their content."""

from hashlib import sha256

from agentlog_client.models import Blob
from agentlog_client.operation import Operation, Request, as_model, request


def put_blob(content: bytes) -> Operation[Blob]:
    """Keep a file; a message names it by the `sha256` of the answer."""
    headers = {"Content-Type": "application/octet-stream"}
    target = f"/v1/blobs/{sha256(content).hexdigest()}"
    return Operation(Request("PUT", target, headers, content), as_model(Blob))


def get_blob(digest: str) -> Operation[bytes]:
    """Read a file."""
    return Operation(request("GET", "/v1/blobs/{}", digest), lambda answer: answer.body)
