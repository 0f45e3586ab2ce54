"""Files that make one document: a folder of numbered ones, and the members of an archive."""

import json
import zipfile
from pathlib import Path

from agentlog.domain.errors import InvalidInput
from agentlog.domain.json.values import JsonValue
from agentlog.infrastructure.transfer.files.records import read_records
from agentlog.infrastructure.transfer.files.sources import find_sources

IDS = ["0000000a", "0000000b", "0000000c"]


def _write(folder: Path) -> None:
    (folder / "events").mkdir(parents=True)
    (folder / "base_state.json").write_text('{\n "state": 1\n}')
    for number, event_id in zip((100_000, 2, 1), IDS, strict=True):
        name = f"event-{number:05d}-{event_id}.json"
        (folder / "events" / name).write_text(f'{{\n "n": {number}\n}}')


def _inside(path: Path) -> list[tuple[str, list[JsonValue | InvalidInput], list[str]]]:
    files = []
    for file in find_sources([path]).files:
        records = list(read_records(file))
        files.append(
            (file.stem, [record.value for record in records], [record.place for record in records])
        )
    return files


def test_documents_come_in_the_order_of_their_numbers_after_what_stands_before_them(
    tmp_path: Path,
) -> None:
    _write(tmp_path / "run")
    ((stem, values, places),) = _inside(tmp_path)
    assert stem == "run"
    assert values == [{"state": 1}, {"n": 1}, {"n": 2}, {"n": 100_000}]
    assert [Path(place).name for place in places] == [
        "base_state.json",
        "event-00001-0000000c.json",
        "event-00002-0000000b.json",
        "event-100000-0000000a.json",
    ]


def test_each_folder_is_a_file_beside_others(tmp_path: Path) -> None:
    for name in ("a", "b"):
        _write(tmp_path / name)
    (tmp_path / "other.json").write_text("{}")
    assert [stem for stem, *_ in _inside(tmp_path)] == ["a", "b", "other"]
    assert [stem for stem, *_ in _inside(tmp_path / "a" / "events")] == ["a"]


def test_a_folder_in_an_archive_is_a_file_too(tmp_path: Path) -> None:
    _write(tmp_path / "run")
    with zipfile.ZipFile(tmp_path / "runs.zip", "w") as archive:
        for path in sorted((tmp_path / "run").rglob("*.json")):
            archive.write(path, path.relative_to(tmp_path))
    ((stem, values, places),) = _inside(tmp_path / "runs.zip")
    assert (stem, len(values)) == ("run", 4)
    assert places[1].endswith("runs.zip:run/events/event-00001-0000000c.json")


def test_a_document_that_is_no_json_is_named(tmp_path: Path) -> None:
    _write(tmp_path / "run")
    broken = tmp_path / "run" / "events" / "event-00002-0000000b.json"
    broken.write_text('{"n": ')
    (file,) = find_sources([tmp_path]).files
    bad = [record for record in read_records(file) if not isinstance(record.value, dict)]
    assert [file.place for file in bad] == [str(broken)]


def test_what_an_archive_has_of_all_samples_is_read_with_the_first(tmp_path: Path) -> None:
    header = {"version": 2, "status": "success", "eval": {"task": "t"}}
    members = {
        "header.json": header,
        "reductions.json": [{"scorer": "match"}],
        "summaries.json": [{"id": 1}, {"id": 2}],
        "samples/1_epoch_1.json": {"id": 1},
        "samples/2_epoch_1.json": {"id": 2},
    }
    with zipfile.ZipFile(tmp_path / "log.eval", "w") as archive:
        for name, value in members.items():
            archive.writestr(name, json.dumps(value))
    (_, (first,), _), (_, (second,), _) = _inside(tmp_path / "log.eval")
    assert first == {
        **header,
        "reductions": [{"scorer": "match"}],
        "samples": [{"id": 1}],
    }
    assert second == {"version": 2, "eval": {"task": "t"}, "samples": [{"id": 2}]}
