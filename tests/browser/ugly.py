"""A history that tries the page's layout: many calls, long names, reversed texts, odd metadata."""

import json
from typing import Any, Final

import httpx2

UGLY: Final = "ugly-" + "a-thread-id-that-does-not-end-" * 4
OTHER: Final = "ugly-2"
CALLS: Final = 60
BIDI: Final = "\u202egnp.exe\u202c שלום עולם مرحبا بالعالم"
UNBROKEN: Final = "a_name_without_any_blank_in_it" * 13 + "_400_chars"
WORDY: Final = "a sentence that goes on and on without coming to its end, " * 7
LINES: Final = "\n".join(f"line {n}: {'x' * (n * 7 % 90)}" for n in range(60))
METADATA: Final = {
    "task": "seven",
    "reward": 0,
    UNBROKEN[:200]: UNBROKEN,
    BIDI: BIDI,
    **{f"key number {n}": f"value {n} {WORDY[: n * 20]}" for n in range(16)},
}
_ERROR: Final = {"name": UNBROKEN, "message": WORDY}
_START_MS = 1_767_600_000_000


def _messages(*, fails: bool) -> list[dict[str, Any]]:
    names = [UNBROKEN if n % 7 == 0 else BIDI if n % 7 == 1 else f"tool_{n}" for n in range(CALLS)]
    calls = [
        {"id": f"call_{n}", "name": name, "args": {"n": n, "query": WORDY, UNBROKEN: BIDI}}
        for n, name in enumerate(names)
    ]
    results = [
        {
            "callId": f"call_{n}",
            "name": name,
            "output": {"text": WORDY, "n": n},
            **({"error": _ERROR} if fails and n % 5 == 0 else {}),
        }
        for n, name in enumerate(names)
    ]
    response = {"responseId": "resp_1"}
    return [
        {"type": "system", "text": f"# {WORDY}\n\n{LINES}"},
        {
            "type": "input",
            "text": f"{WORDY}\n\n| {UNBROKEN} | b |\n|--|--|\n| {BIDI} | {WORDY} |",
            "files": [{"filename": f"{UNBROKEN}.bin", "mimeType": "text/plain", "data": "YWJj"}],
        },
        {"type": "llm_request", "model": UNBROKEN[:200], "maxTokens": 10**12, "temperature": 0.25},
        {
            "type": "llm_response",
            "model": UNBROKEN[:200],
            "provider": BIDI,
            "finishReason": "tool_calls",
            "usage": {"inputTokens": 10**12, "outputTokens": 10**9, "totalTokens": 10**12 + 10**9},
            "costUsd": 123456.789,
            "latencyMs": 10**9,
            "metadata": response,
        },
        {"type": "reasoning", "title": UNBROKEN, "summary": WORDY, "metadata": response},
        {"type": "tool_calls", "calls": calls, "metadata": response},
        {"type": "tool_results", "results": results},
        {
            "type": "approval_request",
            "callId": "call_1",
            "tool": UNBROKEN,
            "args": {UNBROKEN: WORDY},
            "reason": BIDI + WORDY,
        },
        {"type": "approval_response", "callId": "call_1", "approved": fails, "reason": WORDY},
        {"type": "scratchpad", "mode": "append", "text": LINES},
        {"type": "worker_spawned", "workerId": UNBROKEN, "objective": WORDY, "threadId": OTHER},
        {"type": "worker_result", "workerId": UNBROKEN, "error": {"code": BIDI, "message": WORDY}},
        {"type": "log", "text": UNBROKEN},
        {"type": "vendor.odd", "payload": {UNBROKEN: [BIDI, [[[[[[WORDY]]]]]]]}},
        {"type": "runtime_error", "error": f"{WORDY}\n{LINES}"},
        {"type": "reply", "text": f"{BIDI}\n\n```\n{UNBROKEN}\n```\n\n{WORDY}"},
        {"type": "exit", "reason": "error" if fails else "complete", "message": WORDY},
    ]


def append_ugly(client: httpx2.Client) -> None:
    """Append the two threads, by the same task; only one of them fails."""
    for thread_id, fails in ((OTHER, False), (UGLY, True)):
        answer = client.post(
            "/v1/threads",
            json={
                "threadId": thread_id,
                "goal": f"{BIDI} {WORDY}",
                "policy": "record",
                "metadata": METADATA | {"reward": int(not fails)},
            },
        )
        assert answer.status_code == 201, answer.text
        messages = [
            {**message, "id": f"01KE6Q{int(fails):010}{n:010}", "timestamp": _START_MS + 61_000 * n}
            for n, message in enumerate(_messages(fails=fails))
        ]
        answer = client.post(f"/v1/threads/{thread_id}/messages", json=messages)
        assert answer.status_code == 201, answer.text


EXCHANGES: Final = "exchanges"
REPLAYED: Final = "replayed"
CAUSE: Final = "cause"
_ARM: Final = {"passed": 9, "runs": 100, "low": 0.05, "high": 0.16, "passedForks": [UGLY, OTHER]}
_CAUSED: Final = {
    "good": UGLY,
    "check": f"{UNBROKEN} {WORDY}",
    "candidates": [{"kind": BIDI, "version": n} for n in range(1, 40)],
    "cause": [1, 2],
    "runs": 10**6,
    "budgetSpent": True,
    "experiments": [
        {
            "steps": [*range(1, steps)],
            "verdict": verdict,
            "changed": {**_ARM, "passed": 100, "low": 0.96, "high": 1.0},
            "control": _ARM,
        }
        for steps, verdict in ((4, "caused"), (40, "not_shown"), (3, UNBROKEN))
    ],
}


def append_forked(client: httpx2.Client) -> None:
    """Append the two threads, forks of one and of its forks, an exchange and a replay."""
    append_ugly(client)
    origin = UGLY
    for number in range(12):
        fork = f"{UGLY}-{number}"[-128:] if number % 2 else f"fork-{number}"
        edits = [{"drop": 14}, {"drop": 17}] if origin == UGLY else []
        body = {"threadId": fork, "goal": BIDI if number % 3 else WORDY, "edits": edits}
        answer = client.post(f"/v1/threads/{origin}/fork", json=body)
        assert answer.status_code == 201, answer.text
        origin = UGLY if number % 3 == 2 else fork
    exchange = {
        "method": "POST",
        "path": f"/v1/{UNBROKEN}",
        "api": "chat",
        "attempt": 12,
        "request": {"headers": {UNBROKEN: WORDY}, "pieces": ["[", json.dumps(WORDY), "]"]},
        "status": 529,
        "response": {"headers": {}, "body": f"{UNBROKEN} {LINES}", "chunks": [[0, 120.5]]},
        "end": "upstream_broke",
        "durationMs": 61_000,
    }
    _append(client, EXCHANGES, "agentlog.exchange", exchange)
    answer = client.post(f"/v1/threads/{EXCHANGES}/fork", json={"threadId": REPLAYED})
    assert answer.status_code == 201, answer.text
    difference = {"place": UNBROKEN, "recorded": f"{WORDY}one {BIDI}", "asked": f"{WORDY}{LINES}"}
    report = {
        "of": {"threadId": UGLY, "version": 12},
        "outputs": 10**6,
        "liveCalls": 3,
        "answers": [
            {"request": 1, "by": "outputs", "messages": [_id(EXCHANGES)], **difference},
            {"request": 2, "by": UNBROKEN, "messages": [], **difference},
        ],
        "unmatched": [{"path": UNBROKEN}],
        "unused": [1],
        "commandExitCode": 1,
    }
    _append(client, REPLAYED, "agentlog.replay", report)
    _append(client, CAUSE, "agentlog.cause", _CAUSED)


def _append(client: httpx2.Client, thread_id: str, type_name: str, payload: object) -> None:
    """Append a message of a custom type; it has the id of its thread's name."""
    draft = {"id": _id(thread_id), "timestamp": _START_MS, "type": type_name, "payload": payload}
    answer = client.post(f"/v1/threads/{thread_id}/messages", json=[draft])
    assert answer.status_code == 201, answer.text


def _id(thread_id: str) -> str:
    return f"01KE6Q{thread_id[:2].upper()}{0:018}"
