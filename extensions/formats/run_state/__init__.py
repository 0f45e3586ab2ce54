"""The view `run-state`: what a run keeps for itself, as its messages tell it, at any version.

One module a source: `graph` (LangGraph), `lists`, and working files: `calls` reads calls of tools
as operations on them, `files` applies these. Those of one agent are in its folder:
`inspect_ai.task_state`, `letta.memory`, `codex.patch_texts`.
"""
