"""Databases to test on: made from nothing or from a template, and gone afterwards."""

import shutil
import subprocess
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote, urlencode

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict

from agentlog.infrastructure.embedded import open_embedded

CARELESS = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}
"""A crash may cost the data: what is tested on lives for minutes."""

_MEMORY = Path("/dev/shm")  # noqa: S108 - a folder of its own is made in it
_ROOM_BYTES = 4 * 2**30

_CLEAN_UP = """
read -r _ && exit # the line comes where the block ended, and else the end of its process
for file in "$0"/*/postgresql/postmaster.pid; do
    [ ! -e "$file" ] || kill -QUIT "$(head -n 1 "$file")"
done
rm -rf "$0"
"""
"""Stops the servers in a folder and removes it once this process was killed."""


@contextmanager
def short_folder() -> Iterator[Path]:
    """Yield a new folder, short in its path and open to the account that root falls back to.

    It is in memory where there is room for databases: each is some 450 files, and to make and
    remove them costs several times as much on a disk.
    """
    roomy = _MEMORY.is_dir() and shutil.disk_usage(_MEMORY).free >= _ROOM_BYTES
    folder = Path(tempfile.mkdtemp(prefix="agentlog-test-", dir=_MEMORY if roomy else None))
    folder.chmod(0o755)
    with subprocess.Popen(
        ["/bin/sh", "-c", _CLEAN_UP, folder], stdin=subprocess.PIPE, start_new_session=True
    ) as watcher:
        try:
            yield folder
        finally:
            shutil.rmtree(folder)
            watcher.communicate(b"removed\n")


@contextmanager
def embedded_server_url() -> Iterator[str]:
    """Yield the URL of a server of its own."""
    with short_folder() as folder, open_embedded(folder / "data", settings=CARELESS) as server:
        yield server.url


@contextmanager
def new_database(server_url: str, *, template: str = "template0") -> Iterator[str]:
    """Yield the URL of a new database on the server; who still uses it at the end is put out."""
    name = f"agentlog_test_{uuid.uuid4().hex}"
    _run(
        server_url,
        sql.SQL("CREATE DATABASE {} TEMPLATE {} STRATEGY file_copy").format(
            sql.Identifier(name), sql.Identifier(template)
        ),
    )
    try:
        yield url_of(server_url, name)
    finally:
        _run(server_url, sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


def url_of(server_url: str, name: str) -> str:
    """Return `server_url`, a URL or a string of keywords, as the URL of another database of its."""
    parameters = conninfo_to_dict(server_url)
    parameters.pop("dbname", None)
    return f"postgresql:///{name}?{urlencode(parameters, quote_via=quote)}"


def name_of(url: str) -> str:
    """Return the name of the database that `url` is about."""
    return str(conninfo_to_dict(url)["dbname"])


def _run(server_url: str, statement: sql.Composed) -> None:
    with psycopg.connect(server_url, autocommit=True) as connection:
        connection.execute(statement)
