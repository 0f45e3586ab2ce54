"""Hazards: recorded calls of tools that may have effects, which a replayed agent runs again."""

from collections import Counter

from agentlog.domain.json.values import array_of, object_of, text_at
from agentlog.projections.exchanges.lanes import answer_drafts
from agentlog.projections.exchanges.tapes.cassette import RecordedRun

_READ_ONLY = frozenset(
    "Glob Grep LS NotebookRead Read TodoRead TodoWrite "  # Claude Code
    "update_plan view_image "  # Codex
    "glob grep_search list_background_processes list_directory read_background_output read_file "
    "read_many_files search_file_content update_topic write_todos "  # Gemini CLI
    "grep list read todoread todowrite".split()  # opencode
)
"""Tools of coding agents that only read, or write a list of their own."""


def hazards(run: RecordedRun) -> Counter[str]:
    """Return how often each tool was called that is not known to only read."""
    return Counter(
        name
        for stage in run.stages
        for exchange in stage.exchanges
        for draft in answer_drafts(exchange)
        if draft["type"] == "tool_calls"
        for call in array_of(draft.get("calls"))
        if (name := text_at(object_of(call), "name")) not in _READ_ONLY and name is not None
    )
