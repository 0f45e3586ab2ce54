"""The sessions of opencode, out of its database, as `opencode export` prints them.

An answer that is still being written is left out, and all after it, until it is complete: what was
sent of a session does not change. Left out of a session is also what changes with each message.
"""

import io
import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

from agentlog_client.transfer.sources import Source

DATABASE = "opencode.db"
_CHANGES = """
    SELECT session.id, count(*), max(changes.time_updated)
    FROM session
    JOIN (SELECT session_id, time_updated FROM message
          UNION ALL SELECT session_id, time_updated FROM part) AS changes
        ON changes.session_id = session.id
    GROUP BY session.id
    ORDER BY session.id
"""
_SESSION = "SELECT id, slug, project_id, parent_id, directory, title, version FROM session"


def sessions_in(folder: Path) -> Iterator[Source]:
    """Yield the sessions in opencode's folder, each as a file; raises `OSError`."""
    path = folder / DATABASE
    if not path.is_file():
        return
    with _opened(path) as database:
        changes = database.execute(_CHANGES).fetchall()
    for session_id, count, changed in changes:
        yield Source(f"{session_id}.json", (count, changed), partial(_session, path, session_id))


def _session(path: Path, session_id: str) -> BinaryIO:
    with _opened(path) as database, database:  # one moment for all that is read
        info = dict(database.execute(f"{_SESSION} WHERE id = ?", (session_id,)).fetchone())
        messages = [
            {
                "info": {**json.loads(message["data"]), "id": message["id"]},
                "parts": [
                    {**json.loads(part["data"]), "id": part["id"]}
                    for part in database.execute(
                        "SELECT id, data FROM part WHERE message_id = ? ORDER BY id",
                        (message["id"],),
                    )
                ],
            }
            for message in database.execute(
                "SELECT id, data FROM message WHERE session_id = ? ORDER BY time_created, id",
                (session_id,),
            )
        ]
    names = {"project_id": "projectID", "parent_id": "parentID"}
    known = {names.get(key, key): value for key, value in info.items() if value is not None}
    document = {"info": known, "messages": messages[: _complete(messages)]}
    return io.BytesIO(json.dumps(document, ensure_ascii=False).encode())


def _complete(messages: list[dict[str, Any]]) -> int:
    """Return how many messages there are before the first answer that is being written.

    One that another answer follows was broken off, and is not written any more.
    """
    count = len(messages)
    for number in reversed(range(len(messages))):
        info = messages[number]["info"]
        if info.get("role") != "assistant":
            continue
        if "completed" in info.get("time", {}) or "error" in info:
            break
        count = number
    return count


@contextmanager
def _opened(path: Path) -> Iterator[sqlite3.Connection]:
    """Open the database to read, while opencode may write; raises `OSError`."""
    try:
        url = f"{path.absolute().as_uri()}?mode=ro"
        with closing(sqlite3.connect(url, uri=True, timeout=10)) as database:
            database.row_factory = sqlite3.Row
            yield database
    except sqlite3.Error as error:
        raise OSError(0, f"opencode's database cannot be read: {error}") from error
