"""Messages that the service refused, kept in a file beside what waits."""

import os
from pathlib import Path

from agentlog_client.errors import Problem
from agentlog_client.json_text import printed

_NAME = "refused.jsonl"


def put_aside(folder: Path, thread_id: str, text: bytes, problem: Problem) -> str:
    """Add a message, which is JSON, to the file; return where it is."""
    facts = printed({"threadId": thread_id, "problem": problem.facts})
    path = folder / _NAME
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            os.write(descriptor, b'%b,"message":%b}\n' % (facts[:-1], text))
        finally:
            os.close(descriptor)
    except OSError as error:
        return f"no file ({error}), only here: {text.decode('utf-8', 'replace')}"
    return str(path)
