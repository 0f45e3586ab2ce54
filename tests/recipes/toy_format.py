"""The format `toy`: `head.toy` and `body.toy` of a folder; stands for any that the recipe adds."""

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from functools import partial

from agentlog.domain.errors import InvalidMessage
from agentlog.domain.json.values import JsonValue, object_of, texts_of
from agentlog.projections.readers.history import (
    Format,
    History,
    JoinedFiles,
    ReadFile,
    folder_of,
    within,
)


def _is_document(value: JsonValue) -> bool:
    return "toy" in object_of(value)


def _read(document: JsonValue) -> Iterator[History]:
    if not _is_document(document):
        raise InvalidMessage.at("toy", "missing")
    texts = texts_of(object_of(document)["toy"])
    yield History([{"type": "input", "text": text} for text in texts])


def _join(paths: AbstractSet[str]) -> Iterator[JoinedFiles]:
    for head in paths:
        folder = folder_of(head)
        body = within(folder, "body.toy")
        if head == within(folder, "head.toy") and body in paths:
            yield JoinedFiles(folder, (head, body), partial(_joined, head, body))


def _joined(head: str, body: str, content: ReadFile) -> bytes:
    return b'{"toy": [%b, %b]}' % (content(head), content(body))


FORMAT = Format("toy", "Toys", _read, _is_document, unit="folder", suffixes=(".toy",), join=_join)
