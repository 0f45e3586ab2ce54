"""Sources of each format as files, parts of them, and the forms in which files are given."""

import gzip
import io
import json
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from backports import zstd
from hypothesis import strategies as st

from tests.infrastructure.transfer.importing import HISTORIES
from tests.projections.readers.test_golden_readers import SOURCES

Members = Mapping[str, bytes]
"""A source: the files of a folder or archive by their names in it, or one file."""

COMPRESSED: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    ".gz": gzip.compress,
    ".zst": zstd.compress,
}


def sources_of(wire: str) -> list[Members]:
    """Return the sources of a format; none where it has no golden one."""
    golden = [members_of(path) for path in SOURCES if path.parent.name == wire]
    if wire in HISTORIES:
        lines = b"".join(printed(item) + b"\n" for item in HISTORIES[wire])
        golden += [{"run.json": printed(HISTORIES[wire])}, {"run.jsonl": lines}]
    return golden


def members_of(path: Path) -> Members:
    """Return a source: a folder, an archive, or a file without its compression."""
    if path.is_dir():
        files = [file for file in sorted(path.rglob("*")) if file.is_file()]
        return {file.relative_to(path).as_posix(): file.read_bytes() for file in files}
    if path.suffix == ".eval":
        with zstd.zipfile.ZipFile(path) as archive:
            return {name: archive.read(name) for name in sorted(archive.namelist())}
    if path.suffix == ".zst":
        return {path.stem: zstd.decompress(path.read_bytes())}
    return {path.name: path.read_bytes()}


@st.composite
def parts_of(draw: st.DrawFn, source: Members) -> list[Members]:
    """Return the whole, and two parts of it: some of its files, or one of them cut."""
    names = sorted(source)
    folder = PurePosixPath(draw(st.sampled_from(names))).parent
    inside = [name for name in names if PurePosixPath(name).parent == folder]
    if len(inside) > 1 and draw(st.booleans()):
        beside = {} if draw(st.booleans()) else {n: source[n] for n in names if n not in inside}
        end = draw(st.integers(1, len(inside)))
        begin = draw(st.sampled_from([0, end - 1, min(end, len(inside) - 1)]))
        parts = inside[:end], inside[begin:]
        return [source, *({**beside, **{name: source[name] for name in part}} for part in parts)]
    name = draw(st.sampled_from(names))
    cuts = parts_of_lines(source[name])
    if PurePosixPath(name).suffix in {".json", ".traj", ".af"}:
        cuts = st.one_of(parts_of_items(json.loads(source[name])), cuts)
    return [{**source, name: part} for part in draw(cuts)]


@st.composite
def given_as(draw: st.DrawFn, folder: Path, name: str, source: Members) -> Path:
    """Write a source as it may be given: plain, compressed, as an archive or a folder; or broken.

    An archive or a compressed file may be cut anywhere, but the whole.
    """
    suffix = draw(st.sampled_from(list(COMPRESSED)))
    is_file = len(source) == 1 and draw(st.booleans())
    packed = {f"{inner}{suffix}": COMPRESSED[suffix](data) for inner, data in source.items()}
    if is_file:
        ((inner, data),) = packed.items()
        path = folder / f"{name}{''.join(PurePosixPath(inner).suffixes)}"
    elif draw(st.booleans()):
        for inner, data in packed.items():
            path = folder / name / inner
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        return folder / name
    else:
        is_log = any(PurePosixPath(inner).parts[0] == "samples" for inner in source)
        path, stream = folder / f"{name}.{'eval' if is_log else 'zip'}", io.BytesIO()
        with zipfile.ZipFile(stream, "w") as archive:
            for inner, data in packed.items():
                archive.writestr(inner, data)
        data = stream.getvalue()
    if name != "whole" and not (is_file and not suffix) and draw(st.integers(0, 4)) == 0:
        begin, end = sorted(draw(st.tuples(*[st.integers(0, len(data))] * 2)))
        data = data[draw(st.sampled_from([0, begin])) : end]
    path.write_bytes(data)
    return path


def printed(value: Any) -> bytes:
    return json.dumps(value).encode()


@st.composite
def parts_of_lines(draw: st.DrawFn, data: bytes) -> list[bytes]:
    """Return the whole, and two parts of it, cut between lines or anywhere."""
    ends = [n + 1 for n, byte in enumerate(data) if byte == 10]
    place = st.sampled_from([0, *ends]) | st.integers(0, len(data))
    first, second = draw(place), draw(place)
    overlap = draw(st.booleans())
    return [data, data[: max(first, second)], data[min(first, second) if overlap else second :]]


@st.composite
def parts_of_items(draw: st.DrawFn, document: Any) -> list[bytes]:
    """Return a document, and two others with some of the items of one of its arrays."""
    keys: list[Any] = [None]
    if isinstance(document, dict):
        keys = [key for key, value in document.items() if isinstance(value, list) and value]
    key = draw(st.sampled_from(keys)) if keys else None
    items = document if key is None else document[key]
    if not isinstance(items, list):
        return [printed(document)] * 3
    first, second = sorted(draw(st.tuples(*[st.integers(0, len(items))] * 2)))
    begin = draw(st.sampled_from([0, first, second]))
    several = [items, items[:second], items[begin:]]
    return [printed(item if key is None else {**document, key: item}) for item in several]


SESSION, OTHER = "0b2f1c1e-0000-4000-8000-00000000000a", "0b2f1c1e-0000-4000-8000-00000000000b"


@st.composite
def session_lines(draw: st.DrawFn) -> bytes:
    """Return lines of Claude Code: some without an id, some alike, of two sessions."""
    lines: list[dict[str, Any]] = []
    for number in range(draw(st.integers(2, 8))):
        session = draw(st.sampled_from([SESSION, SESSION, OTHER]))
        at = f"2026-01-01T00:00:{number:02d}Z"
        of_line = {"sessionId": session, "timestamp": at, "uuid": f"{SESSION[:-4]}{number:04x}"}
        text = draw(st.sampled_from(["yes", "no"]))
        match draw(st.sampled_from(["user", "assistant", "mode"])):
            case "mode":
                lines.append({"type": "mode", "mode": text, "sessionId": session})
            case "user":
                message: dict[str, Any] = {"role": "user", "content": text}
                lines.append({**of_line, "type": "user", "message": message})
            case _:
                content = [{"type": "text", "text": text}]
                message = {"id": f"msg_{number}", "role": "assistant", "content": content}
                lines.append({**of_line, "type": "assistant", "message": message})
    return b"".join(printed(line) + b"\n" for line in lines)


@st.composite
def own_records(draw: st.DrawFn) -> bytes:
    """Return records of our own export, of which several may name one thread."""
    replies = st.sampled_from(["yes", "no"]).map(lambda text: {"type": "reply", "text": text})
    record = st.builds(
        lambda name, messages: {"threadId": name, "messages": messages},
        st.sampled_from("tu"),
        st.lists(replies, min_size=1, max_size=3),
    )
    return b"".join(printed(line) + b"\n" for line in draw(st.lists(record, min_size=2)))
