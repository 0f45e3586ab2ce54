"""The view `run-state`: what a run keeps for itself, as its messages tell it, at any version.

One module a source: `task_state` (inspect_ai), `graph` (LangGraph), `memory` (Letta), `todos`, and
working files: `calls` reads calls of tools as operations on them, `files` applies these.
"""
