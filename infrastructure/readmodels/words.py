"""Words as a `tsvector` in PostgreSQL's binary format."""

from struct import Struct

from psycopg.adapt import Dumper
from psycopg.pq import Format
from typing_extensions import override

from agentlog.projections.readmodels.table import Words

_COUNT = Struct("!I").pack
_END = "\0" + "\0\0"
"""Ends a word, and says that it has no positions."""


class WordsDumper(Dumper):
    """Writes the format of `tsvectorrecv` in PostgreSQL's `tsvector.c`."""

    format = Format.BINARY
    oid = 3614  # from pg_type.dat

    @override
    def dump(self, obj: Words) -> bytes:
        return _COUNT(len(obj)) + _END.join((*obj, "")).encode()
