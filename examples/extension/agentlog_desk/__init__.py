"""What this package adds to agentlog, by reference: nothing else is imported at its start."""

from agentlog.extension import Command, Extension

EXTENSION = Extension(
    "Histories of the agent Desk.",
    formats={"desk": "agentlog_desk.history:FORMAT"},
    views={"words": "agentlog_desk.words:Words"},
    commands={"words": Command("agentlog_desk.commands:app", "Say how many words a thread has.")},
)
