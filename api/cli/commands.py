"""The core's commands, in the order of `agentlog --help`, with the groups that they stand in."""

from agentlog.extension import Command

COMMANDS = {
    "serve": Command(
        "agentlog.api.cli.operations.service:app",
        "Serve HTTP, on a PostgreSQL of its own unless AGENTLOG_DATABASE_URL names one.",
        "Service",
        words=("start", "init", "up"),
    ),
    "demo": Command(
        "agentlog.api.cli.operations.service:app",
        "Serve with example threads, in a data folder of their own, and say what to open.",
        "Service",
        words=("start", "init"),
    ),
    "migrate": Command(
        "agentlog.api.cli.operations.service:app",
        "Bring the database's schema up to date (serve does it too).",
        "Service",
        words=("upgrade",),
    ),
    "projections": Command(
        "agentlog.api.cli.operations.projections:app",
        "Read models: where they stand; rebuild, pause, resume, run.",
        "Service",
        words=("status",),
    ),
    "subscriptions": Command(
        "agentlog.api.cli.operations.subscriptions:app",
        "Subscriptions: readers of the log whose places the server keeps.",
        "Service",
        words=("webhooks",),
    ),
    "openapi": Command(
        "agentlog.api.cli.operations.service:app",
        "Print the OpenAPI document of the HTTP API, to make clients from.",
        "Service",
    ),
    "import": Command(
        "agentlog.api.cli.transfer.imports:app",
        "Import histories; running it again writes nothing twice.",
        "Import and export",
        words=("load", "ingest"),
    ),
    "imports": Command(
        "agentlog.api.cli.transfer.import_log:app",
        "Imports, the latest first; undo hides the threads that one made.",
        "Import and export",
    ),
    "watch": Command(
        "agentlog.api.cli.watch:app",
        "Follow the session files of a coding agent, or a folder of files, until Ctrl-C.",
        "Import and export",
    ),
    "formats": Command(
        "agentlog.api.cli.transfer.imports:app",
        "List the formats that import reads.",
        "Import and export",
    ),
    "export": Command(
        "agentlog.api.cli.transfer.exports:app",
        "Export threads and the log, as lines or in the forms that extensions add.",
        "Import and export",
        words=("dump",),
    ),
    "show": Command(
        "agentlog.api.cli.histories.threads:app",
        "Show a thread and its messages as the log has them.",
        "Read a thread",
        words=("cat", "log", "get"),
    ),
    "outline": Command(
        "agentlog.api.cli.histories.views:app",
        "Show what a thread did, a line a step, and where it went wrong.",
        "Read a thread",
    ),
    "why": Command(
        "agentlog.api.cli.histories.views:app",
        "Show why a run went as it went: outcome, first failure, loops, cost.",
        "Read a thread",
    ),
    "view": Command(
        "agentlog.api.cli.histories.views:app",
        "Print a view of a thread as JSON, an item a line.",
        "Read a thread",
    ),
    "model-call": Command(
        "agentlog.api.cli.histories.views:app",
        "Show the request that produced a message, with its answer and the request before it.",
        "Read a thread",
    ),
    "diff": Command(
        "agentlog.api.cli.histories.views:app",
        "Print what changed in a view between two moments, as JSON.",
        "Read a thread",
    ),
    "forks": Command(
        "agentlog.api.cli.histories.forks:app",
        "Show the tree of forks that a thread stands in.",
        "Read a thread",
    ),
    "tail": Command(
        "agentlog.api.cli.histories.tail:app",
        "Follow a thread, or the whole log, as it grows.",
        "Read a thread",
        words=("log", "logs", "follow"),
    ),
    "threads": Command(
        "agentlog.api.cli.histories.threads:app",
        "List threads, most recently changed first.",
        "Find, compare and report",
        words=("list", "ls", "status"),
    ),
    "find": Command(
        "agentlog.api.cli.queries:app",
        "Find messages by text, and by filters of them and of their threads: phrases first.",
        "Find, compare and report",
        words=("search", "grep"),
    ),
    "compare": Command(
        "agentlog.api.cli.histories.comparison:app",
        "Compare threads by what was said and called, or all runs of each task.",
        "Find, compare and report",
    ),
    "report": Command(
        "agentlog.api.cli.reports:app",
        "Report on all threads: what failed, what it cost, how long it took.",
        "Find, compare and report",
        words=("stats", "analytics"),
    ),
    "sql": Command(
        "agentlog.api.cli.queries:app",
        "Ask the tables of analysts in SQL; nothing can be changed by it.",
        "Find, compare and report",
        words=("query",),
    ),
    "filters": Command(
        "agentlog.api.cli.operations.definitions:app",
        "Filters saved under names.",
        "Find, compare and report",
    ),
    "annotate": Command(
        "agentlog.api.cli.histories.threads:app",
        "Add to a thread's metadata, and print all of it.",
        "Judge and change",
    ),
    "note": Command(
        "agentlog.api.cli.histories.remarks:app",
        "Comment on a thread, or on one of its events.",
        "Judge and change",
        words=("comment",),
    ),
    "label": Command(
        "agentlog.api.cli.histories.remarks:app",
        "Give a thread labels or take some away, and print all of it.",
        "Judge and change",
        words=("tag",),
    ),
    "verdict": Command(
        "agentlog.api.cli.histories.remarks:app",
        "Judge a thread, or one of its events; a later judgement by that criterion replaces it.",
        "Judge and change",
        words=("judge", "score"),
    ),
    "rules": Command(
        "agentlog.api.cli.operations.definitions:app",
        "Rules: what success is, which tools are shells, what is erased when.",
        "Judge and change",
    ),
    "fork": Command(
        "agentlog.api.cli.histories.forks:app",
        "Start a thread with a copy of another's messages up to a point.",
        "Judge and change",
    ),
    "verify": Command(
        "agentlog.api.cli.proofs.audit:app",
        "Check that nothing was changed: exit code 0 says whole, 1 broken, 2 neither.",
        "Prove and keep",
        words=("audit", "check"),
    ),
    "checkpoint": Command(
        "agentlog.api.cli.proofs.audit:app",
        "Sign the log as it is, and print the note: keep it on another machine.",
        "Prove and keep",
    ),
    "evidence": Command(
        "agentlog.api.cli.proofs.audit:app",
        "Write a thread with its chain, proof, checkpoint and public key, to check anywhere.",
        "Prove and keep",
    ),
    "backup": Command(
        "agentlog.api.cli.operations.backup:app",
        "Write the whole log of all tenants to a folder, as of one moment; services may go on.",
        "Prove and keep",
    ),
    "restore": Command(
        "agentlog.api.cli.operations.backup:app",
        "Bring a backup back into a new data folder or an empty database, and verify all of it.",
        "Prove and keep",
    ),
    "redact": Command(
        "agentlog.api.cli.operations.erasure:app",
        "Erase contents for ever; their place, type, ids and hash stay, and the act is on record.",
        "Erase",
        words=("delete", "erase", "rm"),
    ),
    "retention": Command(
        "agentlog.api.cli.operations.erasure:app",
        "List the threads whose contents are due to go by the rules; with --apply erase those.",
        "Erase",
    ),
    "vacuum": Command(
        "agentlog.api.cli.operations.erasure:app",
        "Take what was erased out of all tables now, as their owner: PostgreSQL does it in time.",
        "Erase",
    ),
    "keys": Command(
        "agentlog.api.cli.operations.keys:app",
        "Keys: who may ask the service, and for what.",
        "Tenants and keys",
        words=("token",),
    ),
    "accesses": Command(
        "agentlog.api.cli.operations.keys:app",
        "List who read what over HTTP, the latest first (see AGENTLOG_READ_AUDIT).",
        "Tenants and keys",
    ),
}
