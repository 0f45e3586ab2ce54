"""The command imports: what imports a service has on record, taken back and shown again."""

import sys

from agentlog_client.client import Client
from agentlog_client.transfer.screen import on_one_line


def list_imports(*, url: str | None, key: str | None, as_json: bool = False) -> None:
    """Print the imports of a service, the latest first; raises `AgentlogError`."""
    with Client(url, key=key) as client:
        for made in client.imports():
            if as_json:
                _print(made.model_dump_json(by_alias=True))
                continue
            counted = f"{made.threads:>7,} threads {made.events:>9,} events"
            ended = "" if made.ended_at is not None else " (not ended)"
            _print(
                f"{made.id}  {made.at:%Y-%m-%d %H:%M:%S} {counted}  {' '.join(made.paths)}{ended}"
            )


def undo(import_id: str, *, url: str | None, key: str | None) -> None:
    """Hide the threads that an import made; raises `AgentlogError`."""
    with Client(url, key=key) as client:
        taken = client.undo_import(import_id)
    _print(
        f"threads hidden: {taken.threads:,}; `agentlog imports redo {import_id}` shows them again"
    )
    for thread_id in taken.grown:
        _print(f"{thread_id} was there before, and keeps what was added")


def redo(import_id: str, *, url: str | None, key: str | None) -> None:
    """Show them again; raises `AgentlogError`."""
    with Client(url, key=key) as client:
        taken = client.redo_import(import_id)
    _print(f"threads shown again: {taken.threads:,}")


def _print(text: str) -> None:
    sys.stdout.write(f"{on_one_line(text)}\n")
