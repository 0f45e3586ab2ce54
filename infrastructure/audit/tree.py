"""Merkle tree over a tenant's log; its leaves are the links of the chains, by position.

A link covers an event's version and position, the digests of its contents and the previous link, so
the tree covers all of that, and the erasure of a content changes nothing. Complete subtrees are
kept as tiles: a proof over a million events reads a thousand of their roots and two tiles of
leaves.
"""

from bisect import bisect_left
from collections.abc import Iterator

import psycopg
from psycopg.rows import TupleRow

from agentlog.domain.integrity.merkle_tree import leaf_hash, node_hash, root_of, split_of
from agentlog.domain.points_in_time import BIGGEST
from agentlog.infrastructure.audit.records import LOWEST
from agentlog.infrastructure.postgres.statements import statement

TILE = 1024
"""Leaves of a tile; a power of two, so that the tiles are nodes of the tree."""


def leaves_from(
    cursor: psycopg.Cursor[TupleRow], tenant: str, first: int, upto: int = BIGGEST
) -> list[tuple[int, bytes]]:
    """Return positions and hashes of the leaves from a position on, at most one tile of them."""
    parameters = {
        "tenant": tenant,
        "first": first,
        "upto": upto,
        "limit": TILE,
    }
    rows = cursor.execute(statement("select_leaves"), parameters).fetchall()
    return [(position, leaf_hash(chain)) for position, chain in rows]


def leaf_pages(cursor: psycopg.Cursor[TupleRow], tenant: str) -> Iterator[list[tuple[int, bytes]]]:
    """Yield positions and hashes of all leaves, by position, a tile at a time."""
    first = LOWEST
    while leaves := leaves_from(cursor, tenant, first):
        yield leaves
        first = leaves[-1][0] + 1


class LogTree:
    """The tree over a tenant's events up to a committed position.

    Missing tiles are written if `keeping`, and else only made for this object.
    """

    def __init__(
        self, cursor: psycopg.Cursor[TupleRow], tenant: str, *, upto: int, keeping: bool
    ) -> None:
        self._cursor = cursor
        self._tenant = tenant
        self._keeping = keeping
        self._upto = upto
        rows = cursor.execute(
            "SELECT number, root, last_position FROM agentlog.tiles "
            "WHERE tenant = %s AND last_position <= %s ORDER BY number",
            (tenant, upto),
        ).fetchall()
        kept = [row for index, row in enumerate(rows) if row[0] == index]
        self._tiles = [root for _, root, _ in kept]
        self._lasts = [last for _, _, last in kept]
        while len(rest := self._leaves_beyond(len(self._tiles))) == TILE:
            self._keep(root_of(hashed for _, hashed in rest), rest[-1][0])
        self._leaves = {len(self._tiles): [hashed for _, hashed in rest]}
        self.size = len(self._tiles) * TILE + len(rest)
        """How many events it is over."""

    def index_of(self, position: int) -> int:
        """Return the leaf index, from 0, of the event at a position."""
        tile = bisect_left(self._lasts, position)
        row = self._cursor.execute(
            "SELECT count(*) FROM agentlog.events "
            "WHERE tenant = %s AND position >= %s AND position < %s",
            (self._tenant, self._first_of(tile), position),
        ).fetchone()
        return tile * TILE + (0 if row is None else int(row[0]))

    def root(self, size: int) -> bytes:
        """Return the root of the tree over the first `size` events."""
        return self.subtree(0, size)

    def subtree(self, begin: int, end: int) -> bytes:
        """Return the hash of a range of leaves as RFC 9162 defines it for the tree."""
        if begin % TILE == 0 and end % TILE == 0:
            return root_of(self._tiles[begin // TILE : end // TILE])
        if end - begin <= TILE:
            tile, start = divmod(begin, TILE)
            return root_of(self._leaves_of(tile)[start : start + end - begin])
        split = begin + split_of(end - begin)
        return node_hash(self.subtree(begin, split), self.subtree(split, end))

    def _leaves_of(self, tile: int) -> list[bytes]:
        if tile not in self._leaves:
            self._leaves[tile] = [hashed for _, hashed in self._leaves_beyond(tile)]
        return self._leaves[tile]

    def _leaves_beyond(self, tile: int) -> list[tuple[int, bytes]]:
        return leaves_from(self._cursor, self._tenant, self._first_of(tile), self._upto)

    def _first_of(self, tile: int) -> int:
        return self._lasts[tile - 1] + 1 if tile else LOWEST

    def _keep(self, root: bytes, last: int) -> None:
        if self._keeping:
            self._cursor.execute(
                "INSERT INTO agentlog.tiles (tenant, number, root, last_position) "
                "VALUES (%s, %s, %s, %s) ON CONFLICT DO NOTHING",
                (self._tenant, len(self._tiles), root, last),
            )
        self._tiles.append(root)
        self._lasts.append(last)
