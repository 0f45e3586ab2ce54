"""Coding agents as programs: where `make coding-agents` puts them, and what they are told."""

from pathlib import Path

PROGRAMS = Path(__file__).parents[1] / "extensions/runs/agents/coding/node_modules/.bin"
SETTINGS = {
    "IS_SANDBOX": "1",
    "OPENCODE_DISABLE_MODELS_FETCH": "1",
    "OPENCODE_DISABLE_AUTOUPDATE": "1",
    "DISABLE_AUTOUPDATER": "1",
}
