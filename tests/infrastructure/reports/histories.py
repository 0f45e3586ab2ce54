"""Histories with tools, models, approvals and workers, known item by item before they are appended.

Times are the producer's: the items of a thread are spread over three days.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from psycopg.sql import SQL, Identifier

from agentlog.infrastructure.appending.append_request import AppendRequest
from agentlog.infrastructure.appending.writer import Writer
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.readmodels import builds
from agentlog.infrastructure.readmodels.projection import Projection, StepResult
from agentlog.infrastructure.readmodels.tables import VIEWS
from agentlog.infrastructure.reports.catalogue import REPORTS
from agentlog.projections.filters.expression import Expression
from agentlog.projections.filters.grammar import parse_filter
from agentlog.projections.readmodels.registry import READ_MODELS
from tests.infrastructure.appends import NOON, TENANT, Clock, Ids, started

DAY = 86_400_000
HOUR = 3_600_000


@dataclass(frozen=True, slots=True)
class Item:
    """Something that began and, unless `took` is None, ended; its kind says what is in `about`."""

    kind: str
    thread: str
    facts: dict[str, Any]
    at: int
    took: int | None
    failed: bool
    about: dict[str, Any]


def some_items(seed: int = 1, *, threads: int = 8, per_thread: int = 12) -> list[Item]:
    """Return items of every kind, the same for the same seed."""
    random = Random(seed)  # noqa: S311 - the same at every run
    items = []
    for number in range(threads):
        facts: dict[str, Any] = {"metadata": {"team": ("red", "blue")[number % 2]}}
        if number % 3:
            facts["parent"] = f"boss-{number % 3}"
            facts["metadata"]["reward"] = 1.0 if number % 2 else 1
        for place in range(per_thread):
            kind = ("tool", "model", "tool", "approval", "tool", "worker")[place % 6]
            at = NOON + DAY * (place % 3) + HOUR * number + 60_000 * place
            took = None if random.random() < 0.15 else random.randint(1, 50_000)
            failed = took is not None and random.random() < 0.4
            about = _about(kind, random)
            items.append(Item(kind, f"run-{number}", facts, at, took, failed, about))
    return sorted(items, key=lambda item: (item.thread, item.at))


def append_items(database: Database, items: Sequence[Item], *, tenant: str = TENANT) -> None:
    """Append what the items come to, a thread after the other."""
    writer = Writer(database, clock=Clock(), new_id=Ids())
    for thread in sorted({item.thread for item in items}):
        chosen = [item for item in items if item.thread == thread]
        drafts = [draft for place, item in enumerate(chosen) for draft in _drafts(item, place)]
        facts = [started(policy="record", **chosen[0].facts)]
        writer.append(AppendRequest(tenant, thread, drafts, facts))


def build_all(database: Database, *names: str) -> None:
    """Bring read models up to the log, all where none is named."""
    with database.connect() as connection:
        for name in names or READ_MODELS:
            model = READ_MODELS[name]
            for number in builds.at_work(connection, model):
                while Projection(model, number).step(connection) is StepResult.MORE:
                    pass


def discard_all(database: Database) -> None:
    """Take the tables of all read models away, as they are before a first build."""
    with database.connect() as connection:
        known = builds.builds(connection)
        for build in known:
            connection.execute(SQL("DROP VIEW IF EXISTS {}").format(Identifier(VIEWS, build.name)))
        for build in known:
            builds.discard(connection, READ_MODELS[build.name], build.build)


def _about(kind: str, random: Random) -> dict[str, Any]:
    match kind:
        case "tool":
            return {"tool": random.choice(("search", "book", "mail")), "error_class": "Timeout"}
        case "model":
            tokens = random.choice((None, random.randint(1, 900)))
            cost = random.choice((None, random.randint(1, 10**6) / 10**6))
            return {"model": random.choice(("big", "small")), "tokens": tokens, "cost": cost}
        case "approval":
            return {"tool": random.choice(("shell", "mail"))}
        case _:
            return {"model": random.choice((None, "small"))}


def _drafts(item: Item, place: int) -> list[dict[str, Any]]:
    asked, answered = _ASKED[item.kind](item, f"{item.kind}-{place}")
    drafts = [{**asked, "timestamp": item.at}]
    if item.took is not None:
        drafts.append({**answered, "timestamp": item.at + item.took})
    return drafts


def _tool(item: Item, call: str) -> tuple[dict[str, Any], dict[str, Any]]:
    result: dict[str, Any] = {"callId": call, "output": "fine"}
    if item.about["tool"] == "mail":  # says that it did not fail; the others say so by silence
        result["error"] = None
    if item.failed:
        result |= {"error": {"name": item.about["error_class"], "message": f"no {call}"}}
    asked = {"type": "tool_calls", "calls": [{"id": call, "name": item.about["tool"]}]}
    return asked, {"type": "tool_results", "results": [result]}


def _model(item: Item, _: str) -> tuple[dict[str, Any], dict[str, Any]]:
    asked = {"type": "llm_request", "model": item.about["model"]}
    if item.failed:
        return asked, {"type": "runtime_error", "error": "overloaded"}
    tokens, cost = item.about["tokens"], item.about["cost"]
    usage = {} if tokens is None else {"usage": {"inputTokens": tokens, "outputTokens": 7}}
    priced = {} if cost is None else {"costUsd": cost}
    return asked, {"type": "llm_response", "finishReason": "stop", **usage, **priced}


def _approval(item: Item, call: str) -> tuple[dict[str, Any], dict[str, Any]]:
    asked = {"type": "approval_request", "callId": call, "tool": item.about["tool"]}
    return asked, {"type": "approval_response", "callId": call, "approved": not item.failed}


def _worker(item: Item, worker: str) -> tuple[dict[str, Any], dict[str, Any]]:
    model = item.about["model"]
    named = {} if model is None else {"model": model}
    asked = {"type": "worker_spawned", "workerId": worker, "objective": "dig", **named}
    came = {"error": {"message": "lost"}} if item.failed else {"output": "gold"}
    return asked, {"type": "worker_result", "workerId": worker, **came}


_ASKED = {"tool": _tool, "model": _model, "approval": _approval, "worker": _worker}


def filter_of(report: str, text: str) -> Expression:
    """Return a filter in the terms of a report."""
    return parse_filter(text, REPORTS[report].terms)
