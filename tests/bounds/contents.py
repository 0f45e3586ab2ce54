"""What is computed over contents that clients sent: over messages, differences and files."""

from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import PurePosixPath

from mcp.types import jsonrpc_message_adapter
from pydantic import ValidationError

from agentlog.api.tails import LogFilter
from agentlog.domain.events import Event
from agentlog.domain.json.text import parse, print_bytes
from agentlog.domain.json.values import JsonValue
from agentlog.domain.redaction import is_left_by_files, left_digests, without_files
from agentlog.extensions.mcp.pages import fitted
from agentlog.infrastructure.eventlog.body_deduplication import file_digests, with_links
from agentlog.infrastructure.transfer.documents import Documents, Plan
from agentlog.infrastructure.transfer.files.records import read_records
from agentlog.infrastructure.transfer.files.source_file import SourceFile
from agentlog.projections.comparison.alignment import align, partings
from agentlog.projections.comparison.changes import changes
from agentlog.projections.comparison.steps import ItemDigest
from agentlog.projections.difference import state_difference
from agentlog.projections.filters.expression import Term
from agentlog.projections.masking.mask import KNOWN_SECRETS
from tests.bounds.entry_point import JSON_PIECES, EntryPoint

_STEPS = ("a", "b", "ab", "ba", "c", "abc")


def _mcp(text: str) -> object:
    with suppress(ValidationError):
        return jsonrpc_message_adapter.validate_json(text.encode(), by_name=False)
    return None


def _redaction(text: str) -> object:
    match value := parse(text):
        case {"files": [*files], "type": str(type_name), "id": _, "timestamp": _}:
            body = print_bytes(value)
            left = left_digests(type_name, value, None)
            return left, is_left_by_files(without_files(body, range(len(files))), left)
        case _:
            return None


def _files(text: str) -> object:
    value = parse(text)
    return with_links(value, file_digests(value))


def _reversed(value: JsonValue) -> JsonValue:
    match value:
        case list():
            return [_reversed(item) for item in reversed(value)]
        case dict():
            return {key: _reversed(item) for key, item in value.items()}
        case _:
            return value


def _of_two(compute: Callable[[JsonValue, JsonValue], object]) -> Callable[[str], object]:
    """Return the reading of a value that is compared with the same, its arrays reversed."""

    def read(text: str) -> object:
        value = parse(text)
        return compute(value, _reversed(value))

    return read


def _alignment(text: str) -> object:
    steps = [ItemDigest(kind, (), b"") for kind in text]
    shifted = steps[len(steps) // 3 :] + steps[: len(steps) // 3]
    return align(steps, shifted), partings([steps, shifted, steps[1:]])


def _tail_filter(text: str) -> object:
    which = LogFilter(Term("metadata", ":", text, key="a"))
    event = Event("t", 1, "reply", b"{}", "m", 1, None, {"a": 1}, None)
    return which.takes(event)


def _import(suffix: str) -> Callable[[str], object]:
    """Return the reading of an imported file: its records, its format and its histories."""

    def read(text: str) -> object:
        path = PurePosixPath(f"a{suffix}")
        file = SourceFile("a", path, len(text), lambda: text.encode("utf-8", "surrogatepass"))
        documents = Documents(Plan())
        chosen, records = documents.of(read_records(file))
        return [
            list(chosen.read(KNOWN_SECRETS[0].value(documents.value(record), Counter())))
            for record in records
            if chosen is not None
        ]

    return read


CONTENTS: Mapping[str, EntryPoint] = {
    "requests of MCP": EntryPoint(
        "4 MiB",
        _mcp,
        JSON_PIECES,
        ('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"a":[', "0]}}"),
        inputs=("POST /mcp",),
    ),
    "results of MCP": EntryPoint("16,000 bytes", lambda text: fitted(parse(text)), JSON_PIECES),
    "files": EntryPoint(
        "64 MiB, streamed",
        lambda text: sha256(text.encode()).hexdigest(),
        JSON_PIECES,
        inputs=("PUT /v1/blobs/{digest}",),
    ),
    "files in messages": EntryPoint(
        "as JSON",
        _files,
        ('{"data":"QUJD"},', '{"sha256":"a"},', "{},", "=", *JSON_PIECES),
        ('{"type":"input","id":"i","text":"","files":[', "{}]}"),
    ),
    "what a redaction leaves": EntryPoint(
        "as JSON",
        _redaction,
        ('{"data":"QUJD"},', '{"sha256":"a"},', "{},", *JSON_PIECES),
        ('{"type":"input","id":"i","timestamp":0,"text":"","files":[', "{}]}"),
    ),
    "differences of states": EntryPoint(
        "as JSON", _of_two(state_difference), JSON_PIECES, ('{"a":[', "0]}")
    ),
    "differences of items": EntryPoint(
        "64 KiB of a text, 16 KiB of JSON",
        _of_two(changes),
        ('"a b",', *JSON_PIECES),
        ('{"a":[', "0]}"),
    ),
    "compared threads": EntryPoint("400,000,000 pairs of steps", _alignment, _STEPS),
    "filters of `tail`": EntryPoint("a command line", _tail_filter, JSON_PIECES),
    "imported JSON": EntryPoint(
        "2 GiB, 128 levels",
        _import(".json"),
        ('{"role":"user","content":"a"},', '{"type":"user"},', '{"messages":[]},', *JSON_PIECES),
        ("[", '{"role":"user","content":"a"}]'),
    ),
    "imported JSON lines": EntryPoint(
        "2 GiB, 128 levels",
        _import(".jsonl"),
        ('{"role":"user","content":"a"}\n', '{"type":"user"}\n', "\n", *JSON_PIECES),
        ("", '{"role":"user","content":"a"}\n'),
    ),
    "imported Markdown": EntryPoint(
        "2 GiB",
        _import(".md"),
        ("#### a\n", "> b\n", "\n", "c ", "```\n", "# aider chat started at 2025-01-01 00:00:00\n"),
        ("# aider chat started at 2025-01-01 00:00:00\n", "\n"),
    ),
}
