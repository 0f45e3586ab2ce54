"""Entry point of the command line. Each group of commands is imported when one of it is called."""

from importlib import import_module
from importlib.metadata import version
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_group
from typing_extensions import override

COMMANDS = {
    "serve": (
        "operations.service",
        "Serve HTTP, on a PostgreSQL of its own unless AGENTLOG_DATABASE_URL names one.",
    ),
    "demo": (
        "operations.service",
        "Serve with example threads, in a data folder of their own, and say what to open.",
    ),
    "migrate": (
        "operations.service",
        "Bring the database's schema up to date (serve does it too).",
    ),
    "import": ("transfer.imports", "Import histories; running it again writes nothing twice."),
    "imports": (
        "transfer.import_log",
        "Imports, the latest first; undo hides the threads that one made.",
    ),
    "watch": (
        "watch",
        "Follow the session files of a coding agent, or a folder of files, until Ctrl-C.",
    ),
    "formats": ("transfer.imports", "List the formats that import reads."),
    "export": (
        "transfer.exports",
        "Export threads, the log, training data, spans, a cassette, or a Parquet dataset.",
    ),
    "threads": ("threads", "List threads, most recently changed first."),
    "show": ("threads", "Show a thread and its messages as the log has them."),
    "outline": ("views", "Show what a thread did, a line a step, and where it went wrong."),
    "why": ("views", "Show why a run went as it went: outcome, first failure, loops, cost."),
    "model-call": (
        "views",
        "Show the request that produced a message, with its answer and the request before it.",
    ),
    "view": ("views", "Print a view of a thread as JSON, an item a line."),
    "diff": ("views", "Print what changed in a view between two moments, as JSON."),
    "annotate": ("threads", "Add to a thread's metadata, and print all of it."),
    "note": ("remarks", "Comment on a thread, or on one of its events."),
    "label": ("remarks", "Give a thread labels or take some away, and print all of it."),
    "verdict": (
        "remarks",
        "Judge a thread, or one of its events; a later judgement by that criterion replaces it.",
    ),
    "fork": ("forks", "Start a thread with a copy of another's messages up to a point."),
    "forks": ("forks", "Show the tree of forks that a thread stands in."),
    "ask": (
        "exchanges.ask",
        "Ask models again what a thread asked one, and show their answers beside the recorded one.",
    ),
    "record": (
        "exchanges.record",
        "Run an agent, and put every exchange with its model providers on record.",
    ),
    "gateway": (
        "exchanges.gateway",
        "Pass on what many agents ask their providers, until Ctrl-C, and put it on record.",
    ),
    "mcp-proxy": (
        "exchanges.mcp_proxy",
        "Stand before an MCP server (stdio), so that its tools are recorded and replayed.",
    ),
    "compare": (
        "comparison",
        "Compare threads by what was said and called, or all runs of each task.",
    ),
    "replay": (
        "runs.replay",
        "Run an agent or an engine again from the log: exit code 0 says as recorded, 1 diverges.",
    ),
    "cause": (
        "runs.cause",
        "Find the steps that caused that a run failed, by runs with and without a good run's.",
    ),
    "tail": ("tail", "Follow a thread, or the whole log, as it grows."),
    "find": (
        "queries",
        "Find messages by text, by filters and by JSONPath: phrases first, then the newest.",
    ),
    "report": ("reports", "Report on all threads: what failed, what it cost, how long it took."),
    "sql": ("queries", "Ask the tables of analysts in SQL; nothing can be changed by it."),
    "openapi": (
        "operations.service",
        "Print the OpenAPI document of the HTTP API, to make clients from.",
    ),
    "mcp": (
        "operations.assistants",
        "Offer tools to an assistant (Model Context Protocol), over standard input and output.",
    ),
    "verify": (
        "proofs.audit",
        "Check that nothing was changed: exit code 0 says whole, 1 broken, 2 neither.",
    ),
    "checkpoint": (
        "proofs.audit",
        "Sign the log as it is, and print the note: keep it on another machine.",
    ),
    "evidence": (
        "proofs.audit",
        "Write a thread with its chain, proof, checkpoint and public key, to check anywhere.",
    ),
    "backup": (
        "operations.backup",
        "Write the whole log of all tenants to a folder, as of one moment; services may go on.",
    ),
    "restore": (
        "operations.backup",
        "Bring a backup back into a new data folder or an empty database, and verify all of it.",
    ),
    "redact": (
        "operations.erasure",
        "Erase contents for ever; their place, type, ids and hash stay, and the act is on record.",
    ),
    "retention": (
        "operations.erasure",
        "List the threads whose contents are due to go by the rules; with --apply erase those.",
    ),
    "vacuum": (
        "operations.erasure",
        "Take what was erased out of all tables now, as their owner: PostgreSQL does it in time.",
    ),
    "accesses": (
        "operations.keys",
        "List who read what over HTTP, the latest first (see AGENTLOG_READ_AUDIT).",
    ),
    "tenant": (
        "operations.tenants",
        "Tenants: move one to another database, whole and provable.",
    ),
    "keys": ("operations.keys", "Keys: who may ask the service, and for what."),
    "subscriptions": (
        "operations.subscriptions",
        "Subscriptions: readers of the log whose places the server keeps.",
    ),
    "rules": (
        "operations.definitions",
        "Rules: what success is, which tools are shells, what is erased when.",
    ),
    "filters": ("operations.definitions", "Filters saved under names."),
    "projections": (
        "operations.projections",
        "Read models: where they stand; rebuild, pause, resume, run.",
    ),
}
"""The module of each command, and its line in the list of commands."""


class _LazyGroup(TyperGroup):
    """Lists commands by their placeholders, and imports the one to run."""

    @override
    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        super().resolve_command(ctx, args)  # refuses an unknown name
        name, *rest = args
        module = import_module(f"agentlog.api.cli.{COMMANDS[name][0]}")
        return name, get_group(module.app).commands[name], rest

    @override
    def invoke(self, ctx: Any) -> Any:
        from agentlog.api.cli.failures import failing_clearly  # noqa: PLC0415 - `--help` is quick

        with failing_clearly():
            return super().invoke(ctx)


app = typer.Typer(
    cls=_LazyGroup,
    name="agentlog",
    help="An event-sourced message store for AI agents.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
for _name, (_, _text) in COMMANDS.items():
    app.command(_name, help=_text)(lambda: None)


def _print_version(*, asked: bool) -> None:
    if asked:
        typer.echo(f"agentlog {version('agentlog')}")
        raise typer.Exit


@app.callback()
def _options(
    *,
    asked: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    del asked
