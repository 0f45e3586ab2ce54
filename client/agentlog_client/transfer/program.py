"""The command line of this distribution: import, imports and watch, by a service."""

import argparse
import os
import sys
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from agentlog_client.errors import AgentlogError
from agentlog_client.transfer.agents import AGENTS
from agentlog_client.transfer.imports import import_files
from agentlog_client.transfer.record import list_imports, redo, undo
from agentlog_client.transfer.screen import on_one_line
from agentlog_client.transfer.watch import watch

_REFUSED, _INTERRUPTED = 2, 130
_TEXTS = {
    "format": "auto finds it out (default).",
    "records": "JSONPath to the records in a document, as in '$.conversations'.",
    "messages": "JSONPath to the messages in each record, as in '$.traj'.",
    "thread_id": "Template of the thread id, as in 'airline-{task_id}-{trial}'.",
    "goal": "Template of the thread's goal.",
    "policy": "record keeps everything and lists anomalies (default), strict refuses.",
}


def run() -> None:
    """Run the command line; ends the process."""
    try:
        code = main(sys.argv[1:])
    except (AgentlogError, ValueError, OSError) as error:
        sys.stderr.write(f"agentlog: {on_one_line(str(error))}\n")
        code = _REFUSED
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        code = _INTERRUPTED
    sys.exit(code)


def main(arguments: Sequence[str]) -> int:
    """Run a command, and return its exit code; raises as the commands do."""
    given = _parser().parse_args(arguments)
    service = {"url": given.to or os.environ.get("AGENTLOG_URL"), "key": given.key}
    if not service["url"]:
        raise AgentlogError("name the service: --to URL, or AGENTLOG_URL")
    if given.command == "watch":
        watch(given.what, given.folder, format=given.format, mask=given.mask, **service)
        return 0
    if given.command == "imports":
        match given.action, given.id:
            case None, None:
                list_imports(**service)
            case "undo" | "redo" as action, str(import_id):
                (undo if action == "undo" else redo)(import_id, **service)
            case _:
                raise InvalidPair(f"imports {given.action}: name the import")
        return 0
    return import_files(
        given.paths,
        order=order_of(
            {name: getattr(given, name) for name in _TEXTS},
            given.metadata,
            strict=given.strict,
            mask=given.mask,
        ),
        dry_run=given.dry_run,
        report=given.report,
        **service,
    )


def order_of(
    texts: dict[str, str | None], metadata: Sequence[str], *, strict: bool, mask: bool
) -> dict[str, Any]:
    """Return the options of an import as the service takes them.

    `texts` are by the names of `agentlog import`, `metadata` is KEY=TEMPLATE; raises `InvalidPair`.
    """
    order: dict[str, Any] = {
        "threadId" if name == "thread_id" else name: text
        for name, text in texts.items()
        if text is not None
    }
    for pair in metadata:
        key, equals, template = pair.partition("=")
        if not (key and equals):
            raise InvalidPair(f"--metadata {pair}: give KEY=TEMPLATE")
        order.setdefault("metadata", {})[key] = template
    return {**order, "strict": strict, "mask": mask}


class InvalidPair(AgentlogError):
    """An option is no KEY=TEMPLATE, or an action has no import."""


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "agentlog", description="Send what agents did to a service of agentlog."
    )
    parser.add_argument(
        "--version", action="version", version=f"agentlog-client {version('agentlog-client')}"
    )
    commands = parser.add_subparsers(dest="command", required=True)
    importing = commands.add_parser("import", help="Import histories by a service.")
    importing.add_argument("paths", nargs="+", type=Path, help="Files, folders, or - for stdin.")
    for name, text in _TEXTS.items():
        importing.add_argument(f"--{name.replace('_', '-')}", help=text)
    importing.add_argument("--metadata", action="append", default=[], metavar="KEY=TEMPLATE")
    importing.add_argument("--report", type=Path, help="File for the places of all findings.")
    importing.add_argument("--strict", action="store_true", help="Refuse what is not known.")
    importing.add_argument("--mask", action="store_true", help="Mask secrets of known shapes.")
    importing.add_argument("--dry-run", action="store_true", help="Decide all, write nothing.")
    watching = commands.add_parser("watch", help="Follow the sessions of an agent until Ctrl-C.")
    watching.add_argument("what", help=f"One of {', '.join(AGENTS)}, or a folder.")
    watching.add_argument("folder", nargs="?", type=Path, help="Where the agent's sessions are.")
    watching.add_argument("--format", help="Of the files in a folder; found out by default.")
    watching.add_argument("--mask", action=argparse.BooleanOptionalAction, default=True)
    recorded = commands.add_parser("imports", help="List imports; undo hides their threads.")
    recorded.add_argument("action", nargs="?", choices=["undo", "redo"])
    recorded.add_argument("id", nargs="?", help="Id of an import, as listed.")
    for command in (importing, watching, recorded):
        command.add_argument("--to", metavar="URL", help="The service; else AGENTLOG_URL.")
        command.add_argument("--key", help="A key of it; else AGENTLOG_KEY.")
    return parser
