"""The bytes of files and of members of archives, without their compression, up to a limit."""

import gzip
import io
import struct
import sys
import zlib
from collections.abc import Callable
from lzma import LZMAError
from mmap import ACCESS_READ, mmap
from pathlib import Path
from weakref import finalize

from agentlog.infrastructure.transfer.files.source_file import UnreadableSource

if sys.version_info >= (3, 14):
    from zipfile import BadZipFile, ZipFile, ZipInfo, is_zipfile

    from compression.zstd import ZstdError, ZstdFile
else:
    from backports.zstd import ZstdError, ZstdFile
    from backports.zstd.zipfile import BadZipFile, ZipFile, ZipInfo, is_zipfile

__all__ = ["MOST_BYTES", "Archives", "ZipInfo", "is_zipfile", "plain", "refused", "whole"]

_UNREADABLE = (
    *(OSError, EOFError, ValueError, RuntimeError),  # NotImplementedError is a RuntimeError
    *(BadZipFile, ZstdError, zlib.error, struct.error, LZMAError),
)
"""What the libraries raise for broken archives and compressed files."""
_GZIP, _ZSTD, _ZIP = b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"PK\x03\x04"
_PIECE_BYTES = 2**20
_MOST_MEMBERS, _ENTRY = 100_000, b"PK\x01\x02"
MOST_BYTES = 2 * 2**30
_MOST_RATIO, _ALWAYS_BYTES = 100, 64 * 2**20
"""What is unpacked of a file: so many bytes, and so many times its size or the last."""

Content = Callable[[], bytes]


def whole(path: Path) -> Content:
    """Return what reads a file."""

    def read() -> bytes:
        try:
            return path.read_bytes()
        except OSError as error:
            raise UnreadableSource(f"cannot be read: {error.strerror or error}") from error

    return read


def refused(error: UnreadableSource) -> Content:
    """Return what raises an error instead of reading."""

    def read() -> bytes:
        raise error

    return read


class Archives:
    """Opens ZIP archives to read their members: one at a time, and each once where they follow.

    Of a member, at most `most_bytes` are unpacked.
    """

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._path: Path | None = None
        self._archive: ZipFile | None = None
        self._close: Callable[[], object] | None = None

    def members(self, path: Path) -> list[ZipInfo]:
        """Return the members of an archive, by name; raises `UnreadableSource`."""
        try:
            if _has_more_members(path, _MOST_MEMBERS):
                raise UnreadableSource(f"it has more than {_MOST_MEMBERS:,} files: unpack it")
            with ZipFile(path) as archive:
                return sorted(archive.infolist(), key=lambda member: member.filename)
        except _UNREADABLE as error:
            raise UnreadableSource(f"the archive is broken: {error}") from error

    def content(self, path: Path, member: ZipInfo) -> Content:
        """Return what reads a member."""

        def read() -> bytes:
            try:
                with self._open_archive(path).open(member) as stream:
                    return _unpack(stream.read, member.compress_size, self._most_bytes)
            except _UNREADABLE as error:
                raise UnreadableSource(f"cannot be read: {error}") from error

        return read

    def _open_archive(self, path: Path) -> ZipFile:
        if self._archive is None or self._path != path:
            if self._close is not None:
                self._close()
            self._path, self._archive = path, ZipFile(path)
            self._close = finalize(self, self._archive.close)
        return self._archive


def plain(content: Content, size: int, most_bytes: int) -> Content:
    """Return what reads the same without compression; `size` is that on disk, 0 if unknown."""

    def read() -> bytes:
        data = content()
        if data.startswith(_ZIP):
            raise UnreadableSource("a ZIP archive inside another file: unpack that, and import it")
        try:
            if data.startswith(_GZIP):
                with gzip.open(io.BytesIO(data)) as stream:
                    return _unpack(stream.read, size or len(data), most_bytes)
            if data.startswith(_ZSTD):
                with ZstdFile(io.BytesIO(data)) as stream:
                    return _unpack(stream.read, size or len(data), most_bytes)
        except _UNREADABLE as error:
            raise UnreadableSource(f"its compression is broken: {error}") from error
        return data

    return read


def _has_more_members(path: Path, most: int) -> bool:
    """Return whether an archive may have more members; `ZipFile` makes an object of each."""
    if path.stat().st_size < most * len(_ENTRY):
        return False
    with path.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as data:
        entries = 0
        at = data.find(_ENTRY)
        while at >= 0 and entries <= most:
            entries += 1
            at = data.find(_ENTRY, at + len(_ENTRY))
    return entries > most


def _unpack(read: Callable[[int], bytes], size: int, most_bytes: int) -> bytes:
    """Return all that can be read; raises `UnreadableSource` beyond the limit."""
    most = min(most_bytes, max(_ALWAYS_BYTES, _MOST_RATIO * size))
    data = bytearray()
    while piece := read(_PIECE_BYTES):
        data += piece
        if len(data) > most:
            raise UnreadableSource(
                f"it unpacks to more than {most:,} bytes, from {size:,}: unpack it, and import "
                "what is in it"
            )
    return bytes(data)
