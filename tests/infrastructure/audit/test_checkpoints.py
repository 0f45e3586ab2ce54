"""Checkpoints: what they are signed over, and the proofs against them, tiles or none."""

import itertools
from pathlib import Path
from typing import Any

import pytest

from agentlog.domain.integrity.merkle_tree import is_consistent, is_included, leaf_hash, root_of
from agentlog.infrastructure.appending.append_request import AppendRequest
from agentlog.infrastructure.appending.writer import Writer
from agentlog.infrastructure.audit.checkpoints import (
    Checkpoints,
    LogContradicted,
    NotCovered,
    SignedCheckpoint,
    UnknownCheckpoint,
)
from agentlog.infrastructure.audit.notes import Checkpoint, VerifierKey, open_note
from agentlog.infrastructure.audit.proofs import Proofs
from agentlog.infrastructure.audit.signing import NoSigningKey, SigningKey
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.threads import Threads
from tests.infrastructure.appends import TENANT, fetch, reply, results
from tests.infrastructure.audit.conftest import Owner


def _chains(database: Database, tenant: str = TENANT) -> list[bytes]:
    rows = fetch(
        database, "SELECT chain FROM agentlog.events WHERE tenant = %s ORDER BY position", tenant
    )
    return [chain for (chain,) in rows]


def test_a_checkpoint_is_over_the_links_in_their_order(
    told: Threads, database: Database, checkpoints: Checkpoints
) -> None:
    del told
    made = checkpoints.make()
    chains = _chains(database)
    expected = Checkpoint("agentlog/tests", len(chains), root_of(map(leaf_hash, chains)))
    assert open_note(made.note, checkpoints.public_key()) == expected
    assert (made.size, made.root) == (expected.size, expected.root)
    assert VerifierKey("agentlog/tests", made.public_key) == checkpoints.public_key()
    assert checkpoints.latest() == made
    assert checkpoints.of_size(made.size) == made


def test_a_log_that_has_not_grown_has_the_checkpoint_that_it_had(
    told: Threads, checkpoints: Checkpoints
) -> None:
    first = checkpoints.make()
    assert checkpoints.make() == first
    told.append("beside", [reply("more")])
    second = checkpoints.make()
    assert second.size == first.size + 1
    assert checkpoints.page() == [first, second]
    assert checkpoints.page(after=first.size) == [second]
    assert checkpoints.page(limit=1) == [first]


def test_an_empty_log_has_a_checkpoint_too(threads: Threads, checkpoints: Checkpoints) -> None:
    with pytest.raises(UnknownCheckpoint, match="no checkpoint yet"):
        checkpoints.latest()
    empty = checkpoints.make()
    assert empty.size == 0
    threads.append("t", [reply("one")])
    one = checkpoints.make()
    assert checkpoints.consistency(0, 1).path == []
    assert one.root == leaf_hash(threads.head("t").chain)


def test_each_tenant_has_a_tree_of_its_own(
    database: Database, writer: Writer, threads: Threads, checkpoints: Checkpoints, key: SigningKey
) -> None:
    others = Proofs.over(database, tenant="others", key=key).checkpoints
    for number in range(5):
        threads.append("t", [reply(str(number))])
        writer.append(AppendRequest("others", "t", [reply("theirs")] * 2))
    ours, theirs = checkpoints.make(), others.make()
    assert (ours.size, theirs.size) == (5, 10)
    assert ours.root == root_of(map(leaf_hash, _chains(database)))
    assert theirs.root == root_of(map(leaf_hash, _chains(database, "others")))
    assert others.page() == [theirs]
    with pytest.raises(UnknownCheckpoint):
        others.of_size(5)


def _check_inclusion(
    checkpoints: Checkpoints, threads: Threads, checkpoint: SignedCheckpoint
) -> int:
    checked = 0
    for event in threads.messages("t"):
        if (event.position or 0) > checkpoint.position:
            with pytest.raises(NotCovered):
                checkpoints.inclusion("t", event.message_id, size=checkpoint.size)
            continue
        inclusion = checkpoints.inclusion("t", event.message_id, size=checkpoint.size)
        assert inclusion.checkpoint == checkpoint
        assert is_included(
            inclusion.leaf,
            index=inclusion.index,
            size=checkpoint.size,
            path=inclusion.path,
            root=checkpoint.root,
        )
        checked += 1
    return checked


@pytest.mark.parametrize("tile", [2, 4, 1024])
def test_every_message_and_every_pair_of_checkpoints_is_proved(
    threads: Threads,
    database: Database,
    checkpoints: Checkpoints,
    monkeypatch: pytest.MonkeyPatch,
    tile: int,
) -> None:
    monkeypatch.setattr("agentlog.infrastructure.audit.tree.TILE", tile)
    made = []
    for number in range(14):
        threads.append("t", [reply(str(number))])
        threads.append("u", [reply("beside")] * (number % 3 + 1))
        made.append(checkpoints.make())
    leaves = [leaf_hash(chain) for chain in _chains(database)]
    assert [checkpoint.root for checkpoint in made] == [
        root_of(leaves[: checkpoint.size]) for checkpoint in made
    ]
    for checkpoint in (made[0], made[6], made[-1]):
        assert _check_inclusion(checkpoints, threads, checkpoint) > 0
    for first, second in itertools.combinations(made, 2):
        consistency = checkpoints.consistency(second.size, first.size)  # in either order
        assert is_consistent(
            first.size,
            second.size,
            path=consistency.path,
            first_root=first.root,
            second_root=second.root,
        )
    if tile < 10:
        kept = fetch(database, "SELECT number, root, last_position FROM agentlog.tiles")
        assert len(kept) == len(leaves) // tile
        Owner(database).do("DELETE FROM agentlog.tiles WHERE number = 1")
        assert checkpoints.inclusion("t", threads.messages("t")[-1].message_id).path
        again = fetch(database, "SELECT number, root, last_position FROM agentlog.tiles")
        assert sorted(again) == sorted(kept)


def test_a_tree_of_several_tiles_is_read_by_them(
    threads: Threads, database: Database, checkpoints: Checkpoints
) -> None:
    threads.append("t", [reply(str(number)) for number in range(2500)])
    first = checkpoints.make()
    assert first.root == root_of(map(leaf_hash, _chains(database)))
    threads.append("t", [reply("more")])
    checkpoints.make()
    for version in (1, 1024, 1025, 2048, 2049, 2500):
        event = threads.messages("t")[version - 1]
        assert checkpoints.inclusion("t", event.message_id).index == version - 1
    assert checkpoints.consistency(2500, 2501).path


def test_an_erased_content_is_proved_like_any_other(
    threads: Threads, checkpoints: Checkpoints, owner: Owner
) -> None:
    threads.start("t", {"policy": "record"})
    output: dict[str, Any] = {"callId": "a", "output": "x" * 600}
    threads.append("t", [results("a", results=[output])])
    checkpoints.make()
    owner.do("DELETE FROM agentlog.blobs")
    threads.append("t", [reply("on")])
    checkpoints.make()
    assert checkpoints.consistency(2, 3).path
    message_id = threads.messages("t")[1].message_id
    assert checkpoints.inclusion("t", message_id, size=2).index == 1


def test_what_was_changed_is_not_proved(
    told: Threads, checkpoints: Checkpoints, owner: Owner
) -> None:
    checkpoints.make()
    owner.do("UPDATE agentlog.events SET chain = sha256('') WHERE position = 3")
    event = told.messages("t")[-1]
    with pytest.raises(LogContradicted, match="agentlog verify"):
        checkpoints.inclusion("t", event.message_id)


def test_what_is_not_there_is_said(
    told: Threads, checkpoints: Checkpoints, database: Database, tmp_path: Path
) -> None:
    event = told.messages("t")[0]
    with pytest.raises(UnknownCheckpoint):
        checkpoints.inclusion("t", event.message_id)
    with pytest.raises(UnknownCheckpoint, match="size 7"):
        checkpoints.inclusion("t", event.message_id, size=7)
    keyless = Proofs.over(database, tenant=TENANT, key=SigningKey(tmp_path / "none")).checkpoints
    with pytest.raises(NoSigningKey):
        keyless.make()
