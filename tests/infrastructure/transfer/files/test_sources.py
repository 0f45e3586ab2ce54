"""Records out of files, folders and standard input."""

import gzip
import io
import json
import os
import sys
import threading
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from backports import zstd
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agentlog.domain.errors import InvalidJson
from agentlog.infrastructure.transfer.files.records import SourceRecord, read_records
from agentlog.infrastructure.transfer.files.source_file import UnreadableSource
from agentlog.infrastructure.transfer.files.sources import STANDARD_INPUT, find_sources

LONE = rb'{"a": "\ud800x"}'


def records_of(folder: Path, name: str, text: str | bytes) -> list[SourceRecord]:
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return records_in(path)


def records_in(path: Path) -> list[SourceRecord]:
    (file,) = find_sources([path]).files
    return list(read_records(file))


def values(records: list[SourceRecord]) -> list[object]:
    return [record.value for record in records]


def places(records: list[SourceRecord]) -> list[str]:
    return [Path(record.place).name for record in records]


def test_a_folder_is_searched_through_for_json_by_name(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / "folder.json").mkdir()
    for name in ("z.json", "b/a.jsonl", "b/c.ndjson", "readme.md", "b/picture.png"):
        (tmp_path / name).write_text("{}")
    odd = tmp_path / "readme.md"
    sources = find_sources([tmp_path, odd, STANDARD_INPUT])
    inside = [str(tmp_path / name) for name in ("b/a.jsonl", "b/c.ndjson", "z.json")]
    assert [file.place for file in sources.files] == [*inside, str(odd), "-"]
    assert [str(file.path) for file in sources.files[:2]] == ["b/a.jsonl", "b/c.ndjson"]
    assert list(sources.passed_over) == [
        str(tmp_path / name) for name in ("b/picture.png", "readme.md")
    ]


def test_links_that_are_not_followed_are_named(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text("{}")
    (tmp_path / "same.json").symlink_to("run.json")
    (tmp_path / "lost.json").symlink_to("nowhere")
    (tmp_path / "up").symlink_to(".", target_is_directory=True)
    sources = find_sources([tmp_path])
    assert [file.path.name for file in sources.files] == ["run.json", "same.json"]
    assert list(sources.passed_over) == [str(tmp_path / name) for name in ("lost.json", "up")]


def test_links_out_of_a_folder_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret.json").write_text("{}")
    folder = tmp_path / "folder"
    (folder / "inner").mkdir(parents=True)
    (folder / "run.json").write_text("{}")
    (folder / "inner" / "same.json").symlink_to("../run.json")
    for name, target in {"up.json": "../secret.json", "etc.jsonl": "/etc/passwd"}.items():
        (folder / name).symlink_to(target)
    sources = find_sources([folder])
    assert [str(file.path) for file in sources.files] == ["inner/same.json", "run.json"]
    outside = "it is a link out of the folder"
    assert sources.passed_over == {str(folder / name): outside for name in ("etc.jsonl", "up.json")}


def test_a_path_that_is_not_there_and_a_folder_with_nothing_are_said(tmp_path: Path) -> None:
    with pytest.raises(UnreadableSource, match="nope: no such file or folder"):
        find_sources([tmp_path / "nope"])
    with pytest.raises(UnreadableSource, match=r"no file in it ends in .*\.json, \.jsonl"):
        find_sources([tmp_path])


def test_an_object_is_one_record_and_the_items_of_an_array_are_one_each(tmp_path: Path) -> None:
    (one,) = records_of(tmp_path, "one.json", '{"a": 1}')
    assert (Path(one.place).name, one.file.stem, one.number, one.value) == (
        "one.json",
        "one",
        0,
        {"a": 1},
    )
    many = records_of(tmp_path, "many.json", "\ufeff[1, {}, []]")
    assert values(many) == [1, {}, []]
    assert places(many) == ["many.json[0]", "many.json[1]", "many.json[2]"]
    assert records_of(tmp_path, "none.json", "[]") == []


@pytest.mark.parametrize("name", ["runs.jsonl", "runs.ndjson", "runs.json", "runs.txt"])
def test_json_lines_are_a_record_each_whatever_the_file_is_called(
    tmp_path: Path, name: str
) -> None:
    records = records_of(tmp_path, name, '{"a": 1}\r\n\n  \n{"a": 2}')
    assert values(records) == [{"a": 1}, {"a": 2}]
    assert places(records) == [f"{name}:1", f"{name}:4"]
    assert [record.number for record in records] == [1, 4]


def test_json_over_many_lines_is_no_json_lines(tmp_path: Path) -> None:
    for value in ({"a": [1, {"b": 2}]}, [{"a": 1}, {"a": 2}]):
        text = json.dumps(value, indent=1)
        read = values(records_of(tmp_path, "pretty.json", text))
        assert read == (value if isinstance(value, list) else [value])


def test_a_bad_line_is_an_error_in_its_place_and_the_others_are_read(tmp_path: Path) -> None:
    for bad in (b"{oops", b'{"a": nan}', b'{"a": 1, "a": 2}', b"\xff", b"[" * 100_000):
        for name, begin in (("runs.jsonl", bad), ("runs.json", b"{}")):
            first, good, last = records_of(tmp_path, name, begin + b'\n{"a": 2}\n' + bad)
            assert isinstance(first.value, InvalidJson) is (begin == bad)
            assert good.value == {"a": 2}
            assert isinstance(last.value, InvalidJson)
            assert last.place.endswith(f"{name}:3")


@pytest.mark.parametrize(
    "text", ["", "   \n", "{", "[\n{}\n", "hello\n{}", "[" * 100_000, "[" * 100_000 + "\n{}"]
)
def test_what_is_not_json_is_one_error(tmp_path: Path, text: str) -> None:
    (record,) = records_of(tmp_path, "odd.json", text)
    assert isinstance(record.value, InvalidJson)
    assert Path(record.place).name == "odd.json"


def test_json_lines_without_a_line_hold_nothing(tmp_path: Path) -> None:
    assert records_of(tmp_path, "empty.jsonl", "\n\n") == []


def test_lone_surrogates_are_replaced_and_counted_once(tmp_path: Path) -> None:
    lines = records_of(tmp_path, "runs.jsonl", LONE + b"\n{}\n" + LONE)
    assert values(lines) == [{"a": "\ufffdx"}, {}, {"a": "\ufffdx"}]
    assert [record.mended.total() for record in lines] == [1, 0, 1]
    array = records_of(tmp_path, "runs.json", b"[{}, " + LONE + b", " + LONE + b"]")
    assert values(array) == [{}, {"a": "\ufffdx"}, {"a": "\ufffdx"}]
    assert sum(record.mended.total() for record in array) == 2
    (marked,) = records_of(tmp_path, "bom.json", b"\xef\xbb\xbf" + LONE)
    assert (marked.value, marked.mended.total()) == ({"a": "\ufffdx"}, 1)


def test_a_lone_surrogate_does_not_hide_what_else_is_wrong(tmp_path: Path) -> None:
    (deep,) = records_of(tmp_path, "deep.json", b"[" * 200 + LONE + b"]" * 200)
    assert isinstance(deep.value, InvalidJson)
    assert "nested deeper than 128 levels" in str(deep.value)
    (twice,) = records_of(tmp_path, "twice.json", b'{"a": "\\ud800", "a": 1}')
    assert isinstance(twice.value, InvalidJson)
    assert "stands twice" in str(twice.value)


def test_a_pair_of_surrogates_is_a_character(tmp_path: Path) -> None:
    (record,) = records_of(tmp_path, "pair.json", rb'{"a": "\ud83d\ude00"}')
    assert (record.value, record.mended) == ({"a": "\U0001f600"}, {})


def test_the_sizes_of_the_records_come_to_about_the_size_of_the_file(tmp_path: Path) -> None:
    record = json.dumps({"text": "x" * 90})
    for name, text in {
        "runs.jsonl": "\n".join([record] * 20),
        "runs.json": "[" + ",".join([record] * 20) + "]",
        "one.json": record,
    }.items():
        records = records_of(tmp_path, name, text)
        assert len(text) - 100 <= sum(record.size for record in records) <= len(text)


def test_a_file_that_cannot_be_read_is_an_error_in_its_place(tmp_path: Path) -> None:
    path = tmp_path / "gone.json"
    path.write_text("{}")
    (file,) = find_sources([path]).files
    path.unlink()
    (record,) = read_records(file)
    assert isinstance(record.value, UnreadableSource)
    assert "cannot be read: No such file or directory" in str(record.value)


def test_a_pipe_can_be_read(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=('{"a": 1}\n{"a": 2}\n',))
    writer.start()
    assert values(records_in(pipe)) == [{"a": 1}, {"a": 2}]
    writer.join()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b'{"a": 1}\n', [{"a": 1}]),
        (b'{"a": 1}\n{"a": 2}\n', [{"a": 1}, {"a": 2}]),
        (b'[{"a": 1},\n {"a": 2}]', [{"a": 1}, {"a": 2}]),
        (b'\n{\n"a": 1\n}\n', [{"a": 1}]),
    ],
)
def test_standard_input_is_json_lines_or_one_value(
    monkeypatch: pytest.MonkeyPatch, text: bytes, expected: list[object]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))
    assert values(records_in(STANDARD_INPUT)) == expected


@pytest.mark.parametrize(("suffix", "packed"), [(".gz", gzip.compress), (".zst", zstd.compress)])
def test_what_is_compressed_is_read_as_it_is(
    tmp_path: Path, suffix: str, packed: Callable[[bytes], bytes]
) -> None:
    lines = b'{"a": 1}\n{"a": 2}\n'
    for name in (f"run.jsonl{suffix}", "plain.jsonl"):  # found out by its bytes
        (tmp_path / name).write_bytes(packed(lines))
        assert values(records_in(tmp_path / name)) == [{"a": 1}, {"a": 2}]
    (file,) = find_sources([tmp_path / f"run.jsonl{suffix}"]).files
    assert file.stem == "run"
    (tmp_path / "broken.json").write_bytes(packed(lines)[:-5])
    (broken,) = records_in(tmp_path / "broken.json")
    assert "its compression is broken" in str(broken.value)


@pytest.mark.parametrize("packed", [gzip.compress, zstd.compress])
def test_what_unpacks_to_much_more_than_it_is_says_so(
    tmp_path: Path, packed: Callable[[bytes], bytes]
) -> None:
    blanks = b'"' + b" " * (65 * 2**20) + b'"'
    (tmp_path / "run.json.gz").write_bytes(packed(blanks))
    with zipfile.ZipFile(tmp_path / "run.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("run.json", blanks)
        archive.writestr("small.json", "{}")
    refused, member, small = (
        record for file in find_sources([tmp_path]).files for record in read_records(file)
    )
    for record in (refused, member):
        assert isinstance(record.value, UnreadableSource)
        assert "it unpacks to more than 67,108,864 bytes, from" in str(record.value)
    assert small.value == {}


def test_the_members_of_an_archive_are_read_from_one_that_is_opened_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "log.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for number in range(100):
            archive.writestr(f"samples/{number}.json", f'{{"id": {number}}}')
    opened: list[Path] = []

    def opening(path: Path) -> zstd.zipfile.ZipFile:
        opened.append(path)
        return zstd.zipfile.ZipFile(path)

    monkeypatch.setattr("agentlog.infrastructure.transfer.files.content.ZipFile", opening)
    read = [record for file in find_sources([path]).files for record in read_records(file)]
    assert (len(read), len(opened)) == (100, 2)  # once to list them


def test_an_archive_is_read_as_a_folder_is(tmp_path: Path) -> None:
    path = tmp_path / "runs.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("b/one.json", '{"a": 1}')
        archive.writestr("a.jsonl.gz", gzip.compress(b'{"a": 2}'))
        archive.writestr("picture.png", b"")
    sources = find_sources([tmp_path])
    assert [file.place for file in sources.files] == [f"{path}:a.jsonl.gz", f"{path}:b/one.json"]
    assert list(sources.passed_over) == [f"{path}:picture.png"]
    read = [record.value for file in sources.files for record in read_records(file)]
    assert read == [{"a": 2}, {"a": 1}]
    path.write_bytes(path.read_bytes().replace(b'{"a": 1}', b'{"a": 9}'))  # not its checksum
    (broken,) = read_records(find_sources([path]).files[1])
    assert "cannot be read: Bad CRC-32" in str(broken.value)


def test_an_archive_is_known_by_its_bytes_and_one_inside_another_is_unpacked_first(
    tmp_path: Path,
) -> None:
    inner, outer = tmp_path / "inner.json", tmp_path / "outer.zip"
    with zipfile.ZipFile(inner, "w") as archive:
        archive.writestr("one.json", '{"a": 1}')
    assert values(records_in(inner)) == [{"a": 1}]
    with zipfile.ZipFile(outer, "w") as archive:
        archive.write(inner, "inner.zip")
    (nested,) = records_in(outer)
    assert "unpack that" in str(nested.value)
    with zipfile.ZipFile(outer) as archive:
        archive.extractall(tmp_path / "unpacked")
    assert values(records_in(tmp_path / "unpacked")) == [{"a": 1}]


@st.composite
def broken(draw: st.DrawFn, data: bytes) -> bytes:
    """Return the data cut, or with some bytes changed."""
    begin, end = sorted(draw(st.tuples(*[st.integers(0, len(data))] * 2)))
    if draw(st.booleans()):
        return data[draw(st.sampled_from([0, begin])) : draw(st.sampled_from([end, len(data)]))]
    changed = bytearray(data)
    anywhere, at_the_end = st.integers(0, len(data) - 1), st.integers(len(data) // 2, len(data) - 1)
    for place in draw(st.sets(anywhere | at_the_end, min_size=1, max_size=3)):  # an index is there
        changed[place] = draw(st.integers(0, 255))
    return bytes(changed)


def archive_of_two(method: int) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as archive:
        archive.writestr("a.json", '{"a": 1}')
        archive.writestr("b.json", '{"b": 2}')
    return stream.getvalue()


@pytest.mark.filterwarnings("ignore:Overlapped entries")
@settings(
    max_examples=4 * settings().max_examples,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(data=st.data())
def test_what_is_broken_is_refused_by_itself(tmp_path: Path, data: st.DataObject) -> None:
    methods = [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]
    packed = {
        "x.zip": archive_of_two(data.draw(st.sampled_from(methods))),
        "x.jsonl.gz": gzip.compress(b'{"a": 1}'),
        "x.jsonl.zst": zstd.compress(b'{"a": 1}'),
    }
    name = data.draw(st.sampled_from(sorted(packed)))
    (tmp_path / "whole.json").write_text("{}")
    (tmp_path / name).write_bytes(data.draw(broken(packed[name])))
    read = [record for file in find_sources([tmp_path]).files for record in read_records(file)]
    assert {} in values(read)
    (tmp_path / name).unlink()
