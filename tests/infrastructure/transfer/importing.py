"""Imports as tests run them, and histories of each of the first formats."""

import json
from pathlib import Path
from typing import Any

import pytest

from agentlog.infrastructure.threads import Threads
from agentlog.infrastructure.transfer.documents import Plan
from agentlog.infrastructure.transfer.files.sources import find_sources
from agentlog.infrastructure.transfer.importer import Importer
from agentlog.infrastructure.transfer.report import ImportReport
from agentlog.infrastructure.views.results import Page
from agentlog.infrastructure.views.views import Views
from agentlog.projections.readers.registry import choose_format
from agentlog.projections.registry import choose_view

EXAMPLES = Path(__file__).parents[3] / "examples"

USER = {"role": "user", "content": "hi"}
ASKED = {
    "role": "assistant",
    "content": None,
    "tool_calls": [
        {"id": "a", "type": "function", "function": {"name": "f", "arguments": '{"x": 1.0 }'}}
    ],
}
TOLD = {"role": "tool", "tool_call_id": "a", "name": "f", "content": "ok"}

LETTA = {"id": "message-1", "date": "2026-01-02T03:04:05+00:00"}
HISTORIES: dict[str, list[dict[str, Any]]] = {
    "kernel": [
        {
            "id": f"{number:026d}",
            "timestamp": 5,
            "type": "reply",
            "text": "hi",
            "metadata": {"a": number},
        }
        for number in (1, 2)
    ],
    "openai": [USER, ASKED, TOLD, {"role": "assistant", "content": "done"}],
    "letta": [
        {**LETTA, "message_type": "user_message", "content": "hi"},
        {**LETTA, "message_type": "assistant_message", "content": "done", "otid": "x"},
    ],
    "openletta": [
        {"message_type": "user_message", "content": "hi", "timestamp": "2026-02-17T10:30:00Z"},
        {"message_type": "assistant_message", "content": "done"},
    ],
    "maria": [
        {"msg": "MessageAdded", "message": USER, "id": "5f0c1b1e-0000-4000-8000-000000000000"},
        {
            "msg": "RequestCompleted",
            "usage": None,
            "message": {"role": "assistant", "content": "done", "tool_calls": []},
        },
    ],
}
SAME_VIEW: dict[str, dict[str, object]] = {
    "kernel": {"metadata": True},
    "openai": {"foreign": True},
    "letta": {},
    "openletta": {},
    "maria": {},
}
every_format = pytest.mark.parametrize("wire", HISTORIES)


def run(threads: Threads, *paths: Path, wire: str | None = "kernel", **fields: Any) -> ImportReport:
    """Import what is in `paths`; return the report."""
    plan = Plan(None if wire is None else choose_format(wire), **fields)
    importer = Importer(threads, plan, progress=lambda _: None)
    importer.import_sources(find_sources(paths))
    return importer.report


def written(folder: Path, name: str, value: Any) -> Path:
    path = folder / name
    if path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(line) + "\n" for line in value))
    else:
        path.write_text(json.dumps(value))
    return path


def shown(views: Views, thread_id: str, view: str, **options: object) -> list[Any]:
    page = views.view(thread_id, choose_view(view, options))
    assert isinstance(page, Page)
    return [placed.item for placed in page.items]


def texts(views: Views, thread_id: str) -> list[str]:
    return [item["text"] for item in shown(views, thread_id, "kernel")]


def position(threads: Threads) -> int:
    log = threads.log()
    return (log[-1].position or 0) if log else 0
