"""Golden files: what is stored and what is shown stay as they were, byte for byte."""

import itertools
import os
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from agentlog.domain.catalogue import FACT_TYPES, MESSAGE_TYPES, read_stored
from agentlog.domain.drafts import Prepared, prepare, prepare_fact
from agentlog.domain.events import Event
from agentlog.domain.identifiers import derived_message_id
from agentlog.domain.json.numbers import WrittenFloat
from agentlog.domain.json.text import parse_stored, print_bytes
from agentlog.infrastructure.transfer.documents import Plan
from agentlog.infrastructure.transfer.files.records import read_records
from agentlog.infrastructure.transfer.files.sources import find_sources
from agentlog.infrastructure.transfer.threads import threads_of
from agentlog.projections.readers.wires.kernel import FORMAT
from agentlog.projections.registry import VIEWS, AnyView, choose_view, option_values
from agentlog.projections.view import StateView, render

GOLDEN = Path(__file__).parent / "golden"
ADD = os.environ.get("AGENTLOG_ADD_GOLDEN") == "1"

STARTED = datetime(2026, 1, 5, 8, tzinfo=UTC)
TIMESTAMP = 1_767_600_000_000


def check_golden(path: Path, content: bytes) -> None:
    """Compare with the golden file; a missing one is written if that was asked for."""
    if ADD and not path.exists():
        path.write_bytes(content)
    assert path.exists(), f"{path.name} is missing: AGENTLOG_ADD_GOLDEN=1 adds what is missing"
    assert content == path.read_bytes()


# --- events -------------------------------------------------------------------------------------

EVENTS: dict[str, dict[str, Any]] = {
    "input": {
        "text": "Müller & Söhne\x00 — 東京 \u2028 \U0001f600",
        "files": [{"data": "aGVsbG8=", "filename": "hello.txt", "mimeType": "text/plain"}],
    },
    "input-files": {"files": [{"data": "/9j/4A=="}]},
    "reply": {"text": 'quote " backslash \\ slash / newline \n tab \t'},
    "reasoning": {"title": "Plan", "summary": "look first"},
    "tool_calls": {
        "calls": [
            {
                "id": "a",
                "name": "refund",
                "args": {"amount": WrittenFloat("59.90"), "order": 10**40},
            },
            {"id": "b", "name": "refund", "args": {}, "argumentsText": '{ "amount": 59.90 }'},
            {"id": "c", "name": "refund", "argumentsText": "{not json"},
            {"id": "d", "name": "now"},
        ]
    },
    "tool_results": {
        "results": [
            {"callId": "a", "name": "refund", "output": {"ok": True, "left": None}},
            {"callId": "b", "output": None, "error": "no such order"},
            {
                "callId": "c",
                "output": "",
                "error": {"name": "ParseError", "message": "not JSON", "stack": "at line 1"},
            },
            {
                "name": "now",
                "output": {
                    "id": "01KE6Q4Z8N2V7X3B5C9D1F0G2H",
                    "type": "clock",
                    "status": "suspended",
                    "state": [1.5],
                },
                "error": None,
            },
        ]
    },
    "system": {"text": "Be kind."},
    "log": {"text": "retrying"},
    "approval_request": {
        "callId": "a",
        "tool": "refund",
        "args": {"amount": WrittenFloat("5.990e1")},
        "reason": "money moves",
    },
    "approval_response": {"callId": "a", "approved": True, "reason": "go on"},
    "approval_response-denied": {"callId": "a", "approved": False},
    "worker_spawned": {
        "workerId": "1",
        "objective": "collect prices",
        "context": "this year",
        "maxIterations": 12,
        "canDelegate": False,
        "allowedTools": ["search", "fetch"],
        "model": "gpt-4o-mini",
        "threadId": "research-worker-1",
    },
    "worker_result": {"workerId": "1", "output": {"prices": [1, 2.5]}},
    "worker_result-error": {"workerId": "1", "error": {"message": "login", "code": "E_LOGIN"}},
    "llm_request": {
        "model": "gpt-4o",
        "maxTokens": 1024,
        "temperature": 0.2,
        "responseFormat": {"type": "json_object"},
        "stream": True,
    },
    "llm_response": {
        "model": "gpt-4o",
        "provider": "openai",
        "finishReason": "stop",
        "usage": {
            "inputTokens": 412,
            "outputTokens": 38,
            "totalTokens": 450,
            "cachedInputTokens": 256,
            "reasoningTokens": 0,
        },
        "costUsd": 0.00141,
        "latencyMs": 1850.4,
    },
    "scratchpad": {"text": "ask again on Monday", "mode": "append"},
    "scratchpad-replace": {"text": "", "mode": "replace"},
    "runtime_error": {"error": "the connection closed"},
    "tick": {},
    "shutdown": {"reason": "end of the day"},
    "exit": {"reason": "step_limit", "message": "50 steps"},
    "vendor.citation": {"payload": {"url": "https://example.org/", "pages": [1, None, True]}},
    "thread.started": {
        "goal": "Refund order 1042",
        "parent": "support",
        "limits": {"maxSteps": 30, "maxDelegations": 3, "maxRejections": 1},
        "policy": "record",
        "metadata": {"customer": "c-77", "vip": None},
    },
    "thread.closed": {"reason": "resolved"},
    "thread.annotated": {"metadata": {"reward": 0.5, "customer": None}},
    "thread.hidden": {"importId": "01KE6Q4Z8N2V7X3B5C9D1F0G2H", "reason": "wrong folder"},
    "thread.hidden-bare": {},
    "thread.shown": {"importId": "01KE6Q4Z8N2V7X3B5C9D1F0G2H"},
    "thread.shown-bare": {},
    "thread.redacted": {
        "messages": ["01KE6Q4Z8N2V7X3B5C9D1F0G2H"],
        "blob": "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824",
        "reason": "erasure request 2026-118",
    },
    "thread.redacted-all": {"all": True, "reason": "kept for 90 days"},
    "thread.redacted-left": {
        "messages": ["01KE6Q4Z8N2V7X3B5C9D1F0G2H"],
        "left": ["5feceb66ffc86f38d952786c6d696c79c2dbc239dd4e91b46729d73a27fb57e9"],
        "reason": "erasure request 2026-119",
    },
    "thread.forked": {
        "goal": "Refund order 1042 at once",
        "parent": "support",
        "limits": {"maxSteps": 30, "maxDelegations": 3, "maxRejections": 1},
        "policy": "record",
        "forkedFrom": {"thread": "refund", "version": 7, "link": "ab" * 32},
    },
    "thread.forked-edits": {
        "metadata": {"by": "a person"},
        "forkedFrom": {
            "thread": "refund",
            "version": 7,
            "link": "ab" * 32,
            "edits": [
                {"kind": "drop", "version": 2},
                {"kind": "insert", "version": 0, "sha256": "cd" * 32},
            ],
        },
    },
    "thread.redacted-follows": {
        "messages": ["01KE6Q4Z8N2V7X3B5C9D1F0G2H"],
        "left": ["5feceb66ffc86f38d952786c6d696c79c2dbc239dd4e91b46729d73a27fb57e9"],
        "follows": {"thread": "refund", "version": 9},
        "reason": "erasure request 2026-120",
    },
    "thread.noted": {"text": "Müller's order\nis another one", "on": 4},
    "thread.noted-changed": {"text": "it was right", "replaces": 9},
    "thread.noted-back": {"replaces": 9},
    "thread.labelled": {"add": ["flaky", "to do: Müller"], "remove": ["new"]},
    "thread.judged": {
        "criterion": "policy kept",
        "verdict": "fail",
        "score": 0.25,
        "comment": "paid twice",
        "on": 4,
    },
    "thread.judged-back": {"verdict": None},
    "thread.redacted-alone": {"all": True, "alone": True, "reason": "kept for 90 days"},
}
"""A message of every type, all of its fields given; a variant's name follows a hyphen."""


def _prepared(name: str) -> Prepared:
    kind = name.partition("-")[0]
    body = {"type": kind, **EVENTS[name]}
    message_id = derived_message_id("golden", name)
    make = prepare_fact if kind in FACT_TYPES else prepare
    return make(body, message_id=message_id, timestamp=TIMESTAMP)


def test_every_type_of_the_catalogue_has_a_golden_event() -> None:
    given = {name.partition("-")[0] for name in EVENTS}
    assert given == {*MESSAGE_TYPES, *FACT_TYPES, "vendor.citation"}


@pytest.mark.parametrize("kind", [*MESSAGE_TYPES, *FACT_TYPES])
def test_the_goldens_of_a_type_have_all_of_its_fields(kind: str) -> None:
    model = {**MESSAGE_TYPES, **FACT_TYPES}[kind]
    fields = {field.alias or name for name, field in model.model_fields.items()}
    given = {key for name, body in EVENTS.items() if name.partition("-")[0] == kind for key in body}
    assert given | {"id", "timestamp", "type"} == fields


@pytest.mark.parametrize("name", EVENTS)
def test_an_event_is_stored_as_ever(name: str) -> None:
    check_golden(GOLDEN / "events" / f"{name}.json", _prepared(name).body)


def test_what_a_redaction_may_leave_of_an_event_is_bound_as_ever() -> None:
    lines = [f"{name} {_prepared(name).left.hex()}\n" for name in EVENTS]
    check_golden(GOLDEN / "left.txt", "".join(lines).encode())


@pytest.mark.parametrize("path", sorted((GOLDEN / "events").iterdir()), ids=lambda path: path.stem)
def test_what_was_stored_can_still_be_read(path: Path) -> None:
    stored = path.read_bytes()
    raw = parse_stored(stored)
    message = read_stored(path.stem.partition("-")[0], raw)
    assert message is not None
    told = message.model_dump(by_alias=True, exclude_unset=True)
    assert print_bytes(told, sort_keys=True) == print_bytes(raw, sort_keys=True)
    assert print_bytes(raw) == stored


# --- views --------------------------------------------------------------------------------------


def _golden_events(path: Path) -> list[Event]:
    """Return the events of a thread, as an import would write them at a known time."""
    (record,) = read_records(find_sources([path]).files[0])
    (thread,) = threads_of(Plan(), FORMAT, record, record.value)
    facts = [fact for fact in (thread.started, thread.closed) if fact is not None]
    prepared = [
        *(_fact(thread.thread_id, fact) for fact in facts[:1]),
        *(prepare(draft, message_id="", timestamp=0) for draft in thread.drafts),
        *(_fact(thread.thread_id, fact) for fact in facts[1:]),
    ]
    return [
        Event(
            originator_id=thread.thread_id,
            originator_version=version,
            type=read.message.type,
            body=read.body,
            message_id=read.message.id,
            position=version,
            recorded_at=STARTED + timedelta(seconds=version),
            metadata={} if read.metadata is None else parse_stored(read.metadata),
        )
        for version, read in enumerate(prepared, 1)
    ]


def _fact(thread_id: str, fact: dict[str, Any]) -> Prepared:
    message_id = derived_message_id("golden", thread_id, fact["type"])
    return prepare_fact(fact, message_id=message_id, timestamp=TIMESTAMP)


THREADS = {path.stem: _golden_events(path) for path in sorted((GOLDEN / "threads").iterdir())}


def _choices() -> Iterator[tuple[str, dict[str, str]]]:
    """Yield every view as it is by default, and with each option by itself otherwise."""
    for name, view in VIEWS.items():
        yield name, {}
        for option, values in option_values(view).items():
            default = str(view.options_type.model_fields[option].default).lower()
            yield from ((name, {option: value}) for value in values if value != default)


CHOICES = {
    "-".join([name, *itertools.chain(*options.items())]): choose_view(name, options)
    for name, options in _choices()
}


def _shown(view: AnyView) -> bytes:
    """Return what a view makes of every golden thread: JSON, an item a line."""
    threads = [
        b'"%s": %s' % (thread_id.encode(), _printed(view, events))
        for thread_id, events in THREADS.items()
    ]
    return b"{\n%s\n}\n" % b",\n\n".join(threads)


def _printed(view: AnyView, events: list[Event]) -> bytes:
    rendering = render(view, events)
    if isinstance(view, StateView):
        return print_bytes(view.state(rendering.carry))
    items = [
        b"[%s, %s]" % (print_bytes(placed.key), print_bytes(placed.item))
        for placed in rendering.items
    ]
    return b"[\n%s\n]" % b",\n".join(items)


def test_the_golden_threads_are_the_six_of_the_beginning() -> None:
    expected = ["deploy", "invoice", "refund", "research", "research-worker-1", "unruly"]
    assert sorted(THREADS) == expected
    assert {event.type for events in THREADS.values() for event in events} >= set(MESSAGE_TYPES)


@pytest.mark.parametrize("name", CHOICES)
def test_a_view_shows_what_it_always_showed(name: str) -> None:
    check_golden(GOLDEN / "views" / f"{name}.json", _shown(CHOICES[name]))


def test_no_golden_view_is_left_over() -> None:
    assert {path.stem for path in (GOLDEN / "views").iterdir()} == CHOICES.keys()
