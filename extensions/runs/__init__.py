"""Runs of agents: recorded, replayed from the log, forked, and asked for their causes.

Folders as the core's: `projections` are pure, `infrastructure` reads and writes, `api` is what
users call.
"""

from agentlog.extension import Command, Extension

_GROUP = "Record and run again"
_RECORDING = "agentlog.extensions.runs.api.cli.recording"
_REPLAYS = "agentlog.extensions.runs.api.cli.replays"

EXTENSION = Extension(
    about="Runs of agents recorded, replayed, and asked for their causes.",
    commands={
        "record": Command(
            f"{_RECORDING}.record:app",
            "Run an agent, and put every exchange with its model providers on record.",
            _GROUP,
            words=("run", "exec"),
        ),
        "gateway": Command(
            f"{_RECORDING}.gateway:app",
            "Pass on what many agents ask their providers, until Ctrl-C, and put it on record.",
            _GROUP,
            words=("proxy",),
        ),
        "mcp-proxy": Command(
            f"{_RECORDING}.mcp_proxy:app",
            "Stand before an MCP server (stdio), so that its tools are recorded and replayed.",
            _GROUP,
        ),
        "export cassette": Command(
            f"{_RECORDING}.cassette:app",
            "Export the last recorded run of a thread as a file that `replay` takes in place of "
            "the log.",
            _GROUP,
        ),
        "ask": Command(
            f"{_RECORDING}.ask:app",
            "Ask models again what a thread asked one, and show their answers beside the recorded "
            "one.",
            _GROUP,
        ),
        "replay": Command(
            f"{_REPLAYS}.replay:app",
            "Run an agent again, answered from the log: exit code 0 says as recorded, 1 diverges.",
            _GROUP,
            words=("rerun",),
        ),
        "fork-run": Command(
            f"{_REPLAYS}.forking:app",
            "Run an agent again from the log up to a point, then live, and keep it as a fork.",
            _GROUP,
            words=("resume", "reset", "branch"),
        ),
        "replay-engine": Command(
            f"{_REPLAYS}.engines:app",
            "Run a cognitive engine over recorded threads, and see where it decides otherwise.",
            _GROUP,
            words=("engine",),
        ),
        "cause": Command(
            f"{_REPLAYS}.cause:app",
            "Find the steps that caused that a run failed, by runs with and without a good run's.",
            _GROUP,
        ),
    },
    routes={"hazards": "agentlog.extensions.runs.api.routes:router"},
)
