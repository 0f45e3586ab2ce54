"""Sends lines: those of a thread in their order, all that can be taken, and none twice."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import groupby

from agentlog_client.client import Client
from agentlog_client.errors import Conflict, Problem
from agentlog_client.json_text import parsed, printed
from agentlog_client.operation import Operation, Request, request
from agentlog_client.operations.messages import append_items
from agentlog_client.operations.threads import start_thread

_MOST_MESSAGES = 500
_FAULTS_OF_MESSAGES = {409, 413, 422}
_OTHER_FAULTS_OF_MESSAGES = {
    *("invalid-json", "nested-too-deep", "unknown-blob", "unknown-file", "unknown-thread")
}
"""Types of problems; all others are of the service, the key or the way there."""

PutAside = Callable[[str, bytes, Problem], None]
"""Takes a thread's id, the JSON that the service refuses, and why."""


def start_line(thread_id: str, facts: bytes) -> bytes:
    """Return the line that starts a thread with facts, which are JSON, unless it has begun."""
    return b"%b\tstart\t%b\n" % (thread_id.encode(), facts)


def message_line(thread_id: str, text: bytes) -> bytes:
    """Return the line that appends a message, which is JSON with an id."""
    return b"%b\tmessage\t%b\n" % (thread_id.encode(), text)


def items_line(thread_id: str, fields: bytes) -> bytes:
    """Return the line that appends items of another API: the fields of `append_items`, as JSON."""
    return b"%b\titems\t%b\n" % (thread_id.encode(), fields)


def deliver(client: Client, lines: Iterable[bytes], put_aside: PutAside) -> None:
    """Send lines; the service recognises by its id what was sent before.

    Raises:
        AgentlogError: they cannot be sent now, or not with this key. Some may have been.
    """
    entries: dict[bytes, list[tuple[bytes, bytes]]] = defaultdict(list)
    for line in lines:
        match line.removesuffix(b"\n").split(b"\t", 2):
            case [thread_id, b"start" | b"message" | b"items" as kind, text] if thread_id:
                entries[thread_id].append((kind, text))
            case _:  # a machine that lost power may leave such
                text = printed(line.decode("utf-8", "replace"))
                put_aside("", text, _unreadable("without its tabs"))
    for thread_id, of_thread in entries.items():
        name = thread_id.decode("ascii", "replace")
        for kind, group in groupby(of_thread, lambda entry: entry[0]):
            texts = [text for _, text in group]
            if kind == b"message":
                for first in range(0, len(texts), _MOST_MESSAGES):
                    _append(client, name, texts[first : first + _MOST_MESSAGES], put_aside)
                continue
            for text in texts:
                with _putting_aside(name, text, put_aside):
                    if kind == b"items":
                        client.send(append_items(name, **parsed(text)))
                        continue
                    with suppress(Conflict):  # it has begun otherwise
                        client.send(start_thread(name, **parsed(text)))


def _append(client: Client, thread_id: str, texts: Sequence[bytes], put_aside: PutAside) -> None:
    """Append messages; where one is refused, the others without it."""
    target = request("POST", "/v1/threads/{}/messages", thread_id).target
    body = b"[" + b",".join(texts) + b"]"
    asked = Request("POST", target, {"Content-Type": "application/json"}, body)
    if len(texts) == 1:
        with _putting_aside(thread_id, texts[0], put_aside):
            client.send(Operation(asked, lambda _: None))
        return
    try:
        client.send(Operation(asked, lambda _: None))
    except Problem as problem:
        if not _is_of_message(problem):
            raise
        half = len(texts) // 2
        _append(client, thread_id, texts[:half], put_aside)
        _append(client, thread_id, texts[half:], put_aside)


@contextmanager
def _putting_aside(thread_id: str, text: bytes, put_aside: PutAside) -> Iterator[None]:
    """Put a text aside where the service refuses it, or where it cannot be read."""
    try:
        yield
    except Problem as problem:
        if not _is_of_message(problem):
            raise
        put_aside(thread_id, text, problem)
    except (TypeError, ValueError) as error:
        put_aside(thread_id, printed(text.decode("utf-8", "replace")), _unreadable(error))


def _unreadable(error: object) -> Problem:
    return Problem(0, {"detail": f"no line of a recorder: {error}"})


def _is_of_message(problem: Problem) -> bool:
    return problem.status in _FAULTS_OF_MESSAGES or problem.type in _OTHER_FAULTS_OF_MESSAGES
