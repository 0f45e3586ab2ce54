"""Redactions: contents are erased, and the proofs stay whole."""

from agentlog_client.models import FileRedaction, Redaction
from agentlog_client.operation import Operation, as_model, request


def redact_message(thread_id: str, message_id: str, *, reason: str) -> Operation[Redaction]:
    """Erase the contents of a message."""
    asked = request(
        "POST",
        "/v1/threads/{}/messages/{}/redact",
        thread_id,
        message_id,
        body={"reason": reason},
    )
    return Operation(asked, as_model(Redaction), repeatable=False)


def redact_thread(thread_id: str, *, reason: str) -> Operation[Redaction]:
    """Erase the contents of a thread."""
    asked = request("POST", "/v1/threads/{}/redact", thread_id, body={"reason": reason})
    return Operation(asked, as_model(Redaction), repeatable=False)


def redact_blob(digest: str, *, reason: str) -> Operation[FileRedaction]:
    """Erase a file, wherever it is named."""
    asked = request("POST", "/v1/blobs/{}/redact", digest, body={"reason": reason})
    return Operation(asked, as_model(FileRedaction), repeatable=False)
