"""Checkpoints of one tenant's log: signing, storage, and proofs against them."""

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime

import psycopg
from psycopg.rows import TupleRow

from agentlog.domain.errors import AgentlogError, NotThere
from agentlog.domain.integrity.merkle_tree import (
    consistency_path,
    inclusion_path,
    is_consistent,
    is_included,
    leaf_hash,
)
from agentlog.domain.points_in_time import BIGGEST
from agentlog.infrastructure.audit.notes import (
    Checkpoint,
    VerifierKey,
    origin_of,
    public_key_of,
    signed_note,
)
from agentlog.infrastructure.audit.signing import SigningKey
from agentlog.infrastructure.audit.tree import LogTree
from agentlog.infrastructure.eventlog.reader import LogReader
from agentlog.infrastructure.postgres.database import Connections
from agentlog.infrastructure.postgres.statements import statement

logger = logging.getLogger("agentlog")


class UnknownCheckpoint(NotThere):
    """There is no checkpoint of that size."""

    def __init__(self, size: int | None) -> None:
        lack = "no checkpoint yet" if size is None else f"no checkpoint of size {size}"
        super().__init__(
            f"there is {lack}: `agentlog checkpoint` makes one, GET /v1/checkpoints lists them"
        )
        self.size = size


class NotCovered(NotThere):
    """The message came after the checkpoint."""

    def __init__(self, position: int, *, size: int) -> None:
        super().__init__(
            f"the message at position {position} came after the checkpoint of size {size}: "
            "ask with a later one, which `agentlog checkpoint` makes"
        )
        self.position, self.size = position, size


class LogContradicted(AgentlogError, kind="conflict"):
    """The log is not the one that a checkpoint was signed over."""

    def __init__(self, size: int) -> None:
        super().__init__(
            f"the log is not the one that the checkpoint of size {size} was signed over: events "
            "before it were changed, or a tile was; `agentlog verify` says where"
        )
        self.size = size


@dataclass(frozen=True, slots=True)
class SignedCheckpoint:
    """A stored checkpoint; `position` is that of the log when it was made."""

    size: int
    position: int
    root: bytes
    note: str
    public_key: bytes
    made_at: datetime


@dataclass(frozen=True, slots=True)
class Inclusion:
    """The proof that an event is in the tree of a checkpoint, as leaf `index` from 0."""

    index: int
    leaf: bytes
    path: Sequence[bytes]
    checkpoint: SignedCheckpoint


@dataclass(frozen=True, slots=True)
class Consistency:
    """The proof that the log of the second checkpoint begins with that of the first."""

    first: SignedCheckpoint
    second: SignedCheckpoint
    path: Sequence[bytes]


class Checkpoints:
    """One tenant's checkpoints, signed by `key`, which is read only for signing."""

    def __init__(self, database: Connections, *, tenant: str, key: SigningKey) -> None:
        self._database = database
        self.tenant = tenant
        self._key = key
        self._reader = LogReader(database, tenant=tenant)

    @property
    def can_grow(self) -> bool:
        """Whether checkpoints can be stored."""
        return self._database.write_access.is_given

    @property
    def origin(self) -> str:
        """The name of the tenant's log."""
        return origin_of(self.tenant)

    def public_key(self) -> VerifierKey:
        """Return the key that verifies checkpoints; raises as `SigningKey.read`."""
        key = VerifierKey(self.origin, public_key_of(self._key.read()))
        with self._cursor() as cursor:
            self._warn_of_another(key, self._latest(cursor))
        return key

    def make(self) -> SignedCheckpoint:
        """Sign and store a checkpoint of the log; if the log has not grown, return the last one.

        With another key than the last, sign its root anew; of a size the first note is stored.
        Where the database takes no writes, return the last one whatever its size.

        Raises:
            LogContradicted: the log does not begin with the one of the last checkpoint.
            NoSigningKey: there is no key.
            UnknownCheckpoint: none can be stored, and there is none.
        """
        if not self.can_grow:
            return self.latest()
        key = self._key.read()
        with self._cursor() as cursor:
            position = self._reader.position()
            tree = self._tree(cursor, upto=position)
            last = self._latest(cursor)
            if last is not None and (last.size > tree.size or tree.root(last.size) != last.root):
                raise LogContradicted(last.size)
            public_key = public_key_of(key)
            self._warn_of_another(VerifierKey(self.origin, public_key), last)
            root = tree.root(tree.size)
            note = signed_note(Checkpoint(self.origin, tree.size, root), key)
            if last is not None and last.size == tree.size:
                is_by_it = last.public_key == public_key
                return last if is_by_it else replace(last, note=note, public_key=public_key)
            cursor.execute(
                statement("insert_checkpoint"),
                {
                    "tenant": self.tenant,
                    "size": tree.size,
                    "position": position,
                    "root": root,
                    "note": note,
                    "public_key": public_key,
                },
            )
            return self._of_size(cursor, tree.size)

    def page(self, *, after: int | None = None, limit: int = 100) -> Sequence[SignedCheckpoint]:
        """Return checkpoints by size, those larger than `after`."""
        with self._cursor() as cursor:
            return self._select(cursor, after=-1 if after is None else after, limit=limit)

    def latest(self) -> SignedCheckpoint:
        """Return the latest; raises `UnknownCheckpoint` if there is none yet."""
        with self._cursor() as cursor:
            last = self._latest(cursor)
        if last is None:
            raise UnknownCheckpoint(None)
        return last

    def of_size(self, size: int) -> SignedCheckpoint:
        """Return the one of that size; raises `UnknownCheckpoint`."""
        with self._cursor() as cursor:
            return self._of_size(cursor, size)

    def inclusion(self, thread_id: str, message_id: str, *, size: int | None = None) -> Inclusion:
        """Return the proof that a message is in a checkpoint, by default the latest.

        Raises:
            UnknownThread, UnknownMessage, UnknownCheckpoint: there is none.
            NotCovered: the message came after the checkpoint.
            LogContradicted: there is no proof, because the log was changed.
        """
        event = self._reader.message(thread_id, message_id, hidden=True)
        head = self._reader.head(thread_id, hidden=True)
        chain = self._reader.chain_of(head, event.version)
        position = event.position or 0
        return self.inclusion_of(position, chain or b"", self.covering(position, size=size))

    def covering(self, position: int, *, size: int | None = None) -> SignedCheckpoint:
        """Return a checkpoint, by default the latest, that covers a position.

        Raises:
            UnknownCheckpoint: there is none.
            NotCovered: the position came after it.
        """
        checkpoint = self.latest() if size is None else self.of_size(size)
        if position > checkpoint.position:
            raise NotCovered(position, size=checkpoint.size)
        return checkpoint

    def inclusion_of(self, position: int, chain: bytes, checkpoint: SignedCheckpoint) -> Inclusion:
        """Return the proof for the event at a position, whose link is `chain`."""
        with self._cursor() as cursor:
            tree = self._tree(cursor, upto=checkpoint.position)
            index = tree.index_of(position)
            path = inclusion_path(index, checkpoint.size, tree.subtree)
        hashed = leaf_hash(chain)
        proved = is_included(
            hashed, index=index, size=checkpoint.size, path=path, root=checkpoint.root
        )
        if not proved:
            raise LogContradicted(checkpoint.size)
        return Inclusion(index, hashed, path, checkpoint)

    def consistency(self, first: int, second: int) -> Consistency:
        """Return the proof that the checkpoint of size `second` continues that of size `first`.

        Raises:
            UnknownCheckpoint: there is none of that size.
            LogContradicted: there is no proof, because the log was changed.
        """
        earlier, later = self.of_size(min(first, second)), self.of_size(max(first, second))
        with self._cursor() as cursor:
            tree = self._tree(cursor, upto=later.position)
            path = consistency_path(earlier.size, later.size, tree.subtree)
        proved = is_consistent(
            earlier.size,
            later.size,
            path=path,
            first_root=earlier.root,
            second_root=later.root,
        )
        if not proved:
            raise LogContradicted(earlier.size)
        return Consistency(earlier, later, path)

    def _warn_of_another(self, key: VerifierKey, last: SignedCheckpoint | None) -> None:
        """Log that the last checkpoint was signed by another key, if it was."""
        if last is not None and last.public_key != key.public_key:
            logger.warning(
                "the checkpoint of size %s was signed by %s, and this key is %s: send its note and "
                "the new public key to who holds the old one, or have AGENTLOG_SIGNING_KEY name "
                "the old file",
                last.size,
                VerifierKey(self.origin, last.public_key).text,
                key.text,
            )

    @contextmanager
    def _cursor(self) -> Iterator[psycopg.Cursor[TupleRow]]:
        with self._database.connection() as connection, connection.cursor(binary=True) as cursor:
            yield cursor

    def _tree(self, cursor: psycopg.Cursor[TupleRow], *, upto: int) -> LogTree:
        return LogTree(cursor, self.tenant, upto=upto, keeping=self.can_grow)

    def _latest(self, cursor: psycopg.Cursor[TupleRow]) -> SignedCheckpoint | None:
        parameters = {"tenant": self.tenant}
        row = cursor.execute(statement("select_latest_checkpoint"), parameters).fetchone()
        return None if row is None else SignedCheckpoint(*row)

    def _of_size(self, cursor: psycopg.Cursor[TupleRow], size: int) -> SignedCheckpoint:
        checkpoints = self._select(cursor, after=size - 1, upto=size, limit=1)
        if not checkpoints:
            raise UnknownCheckpoint(size)
        return checkpoints[0]

    def _select(
        self, cursor: psycopg.Cursor[TupleRow], *, after: int, limit: int, upto: int = BIGGEST
    ) -> Sequence[SignedCheckpoint]:
        parameters = {"tenant": self.tenant, "after": after, "upto": upto, "limit": limit}
        rows = cursor.execute(statement("select_checkpoints"), parameters).fetchall()
        return [SignedCheckpoint(*row) for row in rows]
