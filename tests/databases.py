"""Databases to test on: made from nothing or from a template, and gone afterwards."""

import shutil
import subprocess
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from urllib.parse import quote, urlencode

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict

from agentlog.infrastructure.embedded import open_embedded

CARELESS = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}
"""A crash may cost the data: what is tested on lives for minutes."""


@contextmanager
def short_folder() -> Iterator[Path]:
    """Yield a new folder, short in its path and open to the account that root falls back to."""
    folder = Path(tempfile.mkdtemp(prefix=""))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@cache
def _first_cluster() -> Path:
    """Return a data folder of this process, made by initdb, with nothing in it but a database."""
    folder = Path(tempfile.mkdtemp(prefix=""))
    folder.chmod(0o755)
    open_embedded(folder / "data", settings=CARELESS).close()
    return folder / "data"


def make_cluster(data_dir: Path) -> None:
    """Make a data folder that can be opened: a copy, in a twentieth of initdb's time."""
    subprocess.run(["cp", "-a", _first_cluster(), data_dir], check=True)


@contextmanager
def embedded_server_url() -> Iterator[str]:
    """Yield the URL of a server of its own."""
    with short_folder() as folder:
        make_cluster(folder / "data")
        with open_embedded(folder / "data", settings=CARELESS) as server:
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


@contextmanager
def subscribed(database_url: str, publisher_url: str) -> Iterator[None]:
    """Have a database subscribe to the log of another; nothing is copied."""
    with psycopg.connect(publisher_url, autocommit=True) as publisher:
        publisher.execute("SET client_min_messages = error")  # wal_level is not logical
        publisher.execute("CREATE PUBLICATION log FOR TABLE agentlog.events")
    name = sql.Identifier(name_of(database_url))
    with psycopg.connect(database_url, autocommit=True) as owner:
        create = sql.SQL(
            "CREATE SUBSCRIPTION {} CONNECTION {} PUBLICATION log "
            "WITH (enabled = false, create_slot = false, slot_name = NONE, copy_data = false)"
        )
        owner.execute(create.format(name, publisher_url))
        try:
            yield
        finally:
            owner.execute(sql.SQL("DROP SUBSCRIPTION {}").format(name))


def _run(server_url: str, statement: sql.Composed) -> None:
    with psycopg.connect(server_url, autocommit=True) as connection:
        connection.execute(statement)
