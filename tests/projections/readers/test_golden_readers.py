"""Files of each format, made after real ones: recognised, read whole, and read the same for ever.

`tests/golden/readers/FORMAT/CASE.SUFFIX` is a source, `CASE.histories.json` beside it what it is
read as. AGENTLOG_ADD_GOLDEN=1 writes those that are missing.
"""

import json
import re
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from agentlog.domain.json.text import parse, print_bytes, print_text
from agentlog.infrastructure.transfer.documents import Documents, Plan
from agentlog.infrastructure.transfer.files.records import SourceRecord, read_records
from agentlog.infrastructure.transfer.files.sources import find_sources
from agentlog.projections.readers.draft import sample_event
from agentlog.projections.readers.history import Format, History
from agentlog.projections.readers.registry import FORMATS
from tests.test_golden import GOLDEN, check_golden

SOURCES = sorted(
    path
    for name in FORMATS
    for path in (GOLDEN / "readers" / name).glob("*")
    if not path.name.endswith(".histories.json")
)
TIME_OR_ID = re.compile(r"\d{4}-\d\d-\d\dT\S+|[0-9a-fA-F-]{32,36}")
SHORTEST = 4
GROWING = {"messages", "steps", "conversations"}
OF_KINDS = {
    "type",
    "role",
    "kind",
    "part_kind",
    "object",
    "message_type",
    "from",
    "source",
    "sender",
}


@pytest.fixture(params=SOURCES, ids=lambda path: f"{path.parent.name}/{path.name}")
def source(request: pytest.FixtureRequest) -> Path:
    path: Path = request.param
    return path


def documents_of(path: Path) -> Iterator[tuple[Format, SourceRecord, Any]]:
    """Yield the documents of a file or folder, with the format that is found out."""
    documents = Documents(Plan())
    for file in find_sources([path]).files:
        chosen, records = documents.of(read_records(file))
        assert chosen is not None
        for record in records:
            yield chosen, record, documents.value(record)


def histories_of(path: Path) -> list[History]:
    return [history for chosen, _, value in documents_of(path) for history in chosen.read(value)]


def test_a_source_is_recognised_and_read_the_same_for_ever(source: Path) -> None:
    assert {chosen.name for chosen, *_ in documents_of(source)} == {source.parent.name}
    histories = [
        {
            "id": history.id,
            "goal": history.goal,
            "parent": history.parent,
            "metadata": dict(history.metadata),
            "asides": [[aside.place, aside.what] for aside in history.unmapped],
            "drafts": history.drafts,
            **({"beside": dict(history.beside)} if history.beside else {}),
        }
        for history in histories_of(source)
    ]
    printed = json.dumps(parse(print_bytes(histories)), indent=1, ensure_ascii=False) + "\n"
    name = source.name.partition(".")[0] + ".histories.json"
    check_golden(source.parent / name, printed.encode())


def test_every_message_of_a_source_is_one_of_the_catalogue(source: Path) -> None:
    for history in histories_of(source):
        assert history.drafts
        ids = [draft["id"] for draft in history.drafts if "id" in draft]
        assert len(set(ids)) == len(ids)
        for version, draft in enumerate(history.drafts, 1):
            sample_event(draft, version)


def test_no_text_of_a_source_is_lost(source: Path) -> None:
    kept: set[str] = set()
    printed: list[str] = []
    for history in histories_of(source):
        facts = [dict(history.metadata), dict(history.beside)]
        told = [history.drafts, history.id, history.goal, history.parent, *facts]
        kept |= set(texts_in(told))
        printed.append(print_text(told))
    whole = "\n".join([*kept, *printed])  # texts may have become keys or numbers
    for _, _, value in documents_of(source):
        texts = texts_in(value if path_is_json(source) else lines_in(value))
        assert [text for text in texts if text not in kept and text not in whole] == []


def test_a_file_that_grows_only_adds_messages(source: Path) -> None:
    """What was imported of lines before stays as it is, and in its place."""
    for chosen, _, value in documents_of(source):
        if source.suffix != ".jsonl" or chosen.is_sorted or not isinstance(value, list):
            continue
        wholes = [list(history.drafts) for history in chosen.read(value)]
        for length in range(1, len(value)):
            for part, whole in zip(chosen.read(value[:length]), wholes, strict=False):
                told = list(part.drafts)
                while told != whole[: len(told)] and told[-1]["type"] == "llm_response":
                    told.pop()  # the last answer of an old file, which grows no more
                assert told == whole[: len(told)]


def test_a_document_that_grows_changes_no_message(source: Path) -> None:
    """Ids come from places, but for those of messages about the whole: it may be read again."""
    for chosen, _, value in documents_of(source):
        for key in GROWING & (value.keys() if isinstance(value, dict) else set()):
            for length in range(1, len(value[key])):
                parts = chosen.read({**value, key: value[key][:length]})
                for part, whole in zip(parts, chosen.read(value), strict=False):
                    known = with_ids(whole)
                    assert all(known.get(n, value) == value for n, value in with_ids(part).items())


def with_ids(history: History) -> dict[Any, Any]:
    places = count()
    return {draft["id"] if "id" in draft else next(places): draft for draft in history.drafts}


def path_is_json(path: Path) -> bool:
    return path.suffix != ".md"


def lines_in(text: str) -> list[str]:
    """Return the lines of Aider's text without the marks of who speaks."""
    lines = (line.removeprefix("# aider chat started at ") for line in text.splitlines())
    return [line.removeprefix("#### ").removeprefix("> ").strip() for line in lines]


def texts_in(value: Any) -> Iterator[str]:
    """Yield the texts in a value, of JSON in a text too; of a data URI, the data.

    Times and UUIDs are converted, and the kinds of things become types of messages: not these.
    """
    match value:
        case dict():
            for key, inner in value.items():
                if key not in OF_KINDS:
                    yield from texts_in(inner)
        case list() | tuple():
            for inner in value:
                yield from texts_in(inner)
        case str() if value.startswith("data:"):  # the type of a file stands apart from its bytes
            yield value.partition(";base64,")[2]
        case str() if len(value) >= SHORTEST and not TIME_OR_ID.fullmatch(value):
            try:
                inner = json.loads(value)
            except ValueError:
                yield value.partition(";base64,")[2] or value
            else:
                yield from texts_in(inner) if isinstance(inner, dict | list) else [value]
        case _:
            pass
