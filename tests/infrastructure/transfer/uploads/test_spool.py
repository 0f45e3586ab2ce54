"""Files in pieces: whatever comes, breaks off and comes again, a file has what was sent of it."""

import os
import time
from base64 import b64encode
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from tempfile import mkdtemp

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ulid import ULID

from agentlog.domain.errors import AgentlogError
from agentlog.infrastructure.transfer.imports import UnknownImport
from agentlog.infrastructure.transfer.uploads.errors import (
    FileTooLarge,
    ImportBusy,
    ImportsTooLarge,
    SpoolUnwritable,
    TooManyImports,
)
from agentlog.infrastructure.transfer.uploads.spool import KEPT_SECONDS, Spool, digest_of

MOST = 40


class BrokenOffError(Exception):
    """The connection is gone."""


def spool_in(folder: Path, *, tenant: str = "tests", most: int = 10_000) -> Spool:
    return Spool(folder, tenant=tenant, most_bytes=most, most_file_bytes=MOST)


def begun(spool: Spool) -> str:
    import_id = str(ULID())
    spool.make(import_id, {"paths": ["a"]})
    return import_id


pieces = st.tuples(
    st.one_of(st.none(), st.integers(0, MOST)),  # its offset
    st.binary(max_size=MOST + 5),
    st.sampled_from(["whole", "breaks", "wrong digest", "restart"]),
)


@given(st.lists(pieces, max_size=12))
def test_a_file_has_what_came_of_it(sent: list[tuple[int | None, bytes, str]]) -> None:
    folder = Path(mkdtemp())
    spool = spool_in(folder)
    import_id = begun(spool)
    kept = spool.files(import_id) / "0" / "a"
    expected = b""
    for offset, data, how in sent:
        if how == "restart":
            spool = spool_in(folder)
        is_taken = offset is None or offset == len(expected)
        before = b"" if offset is None else expected[:offset]
        fits = len(before) + len(data) <= MOST
        with (
            suppress(BrokenOffError, AgentlogError),
            spool.piece(import_id, kept, "a", offset=offset) as piece,
        ):
            assert is_taken
            piece.write(data)
            assert fits
            if how == "breaks":
                raise BrokenOffError
            digest = sha256(data if how != "wrong digest" else data + b"!").digest()
            piece.check(f"sha-256=:{b64encode(digest).decode()}:")
        if is_taken:
            expected = before + (data if fits and how != "wrong digest" else b"")
        if is_taken or kept.exists():
            assert kept.read_bytes() == expected
        assert spool.size(kept) == len(expected)
        assert digest_of(kept) == sha256(expected).hexdigest()


def test_two_pieces_of_a_file_do_not_come_at_once(tmp_path: Path) -> None:
    spool = spool_in(tmp_path)
    import_id = begun(spool)
    kept = spool.files(import_id) / "0" / "a"
    with (
        spool.piece(import_id, kept, "a", offset=None),
        pytest.raises(ImportBusy),
        spool.piece(import_id, kept, "a", offset=0),
    ):
        pass


def test_a_tenants_files_have_a_limit_together_also_after_a_restart(tmp_path: Path) -> None:
    spool = spool_in(tmp_path, most=100)
    other = spool_in(tmp_path, most=100, tenant="other")
    first, second = begun(spool), begun(spool)
    for import_id, name in ((first, "a"), (second, "b")):
        kept = spool.files(import_id) / "0" / name
        with spool.piece(import_id, kept, name, offset=None) as piece:
            piece.write(b"x" * 35)
    for again in (spool, spool_in(tmp_path, most=100)):
        kept = again.files(first) / "0" / "c"
        with (
            pytest.raises(ImportsTooLarge),
            again.piece(first, kept, "c", offset=None) as piece,
        ):
            piece.write(b"x" * 31)
    elsewhere = begun(other)
    kept = other.files(elsewhere) / "0" / "a"
    with other.piece(elsewhere, kept, "a", offset=None) as piece:
        piece.write(b"x" * 31)
        with pytest.raises(FileTooLarge):
            piece.write(b"x" * 10)
    with pytest.raises(UnknownImport):
        other.order(first)
    spool.discard(second)
    with spool.piece(first, spool.files(first) / "0" / "c", "c", offset=None) as piece:
        piece.write(b"x" * 31)


def test_what_nobody_used_for_a_day_goes_when_another_begins(tmp_path: Path) -> None:
    spool = spool_in(tmp_path)
    old, used = begun(spool), begun(spool)
    day_ago = time.time() - KEPT_SECONDS - 1
    for import_id in (old, used):
        os.utime(spool.files(import_id).parent / "order.json", (day_ago, day_ago))
    with spool.piece(used, spool.files(used) / "0" / "a", "a", offset=None):
        pass
    begun(spool_in(tmp_path, tenant="other"))
    assert spool.has(used)
    assert not spool.has(old)


def test_imports_under_way_are_limited(tmp_path: Path) -> None:
    spool = spool_in(tmp_path)
    for _ in range(100):
        begun(spool)
    with pytest.raises(TooManyImports):
        begun(spool)


def test_a_folder_that_cannot_be_written_names_the_setting(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(SpoolUnwritable, match="AGENTLOG_IMPORT_DIR"):
        begun(spool_in(tmp_path / "file"))
