"""Contents that an agent may have met, and that must not harm who reads them."""

import json
from typing import Any, Final

import httpx2

HOSTILE: Final = "hostile"
"""The thread that has them."""

SCRIPTS: Final = (
    "<script>document.title = 'ran'</script>"
    "<img src=x onerror=\"document.title='ran'\">"
    "<a href=\"javascript:document.title='ran'\">press</a>"
    "[press](javascript:document.title='ran') ![x](http://192.0.2.1/pixel.png)"
    "<style>body{display:none}</style><iframe srcdoc='<script>top.document.title=1</script>'>"
)
BOMB: Final = "[" * 20_000 + "*a **b " * 5_000 + "> " * 5_000
LONG: Final = "A line of a long text. " * 900_000
DEEP: Final = "[" * 10_000 + "]" * 10_000
RIGHT_TO_LEFT: Final = "abc \u202egnp.exe \u202c שלום עולם مرحبا"
NUL: Final = "before\u0000after \u0001\u001b[31m"


def append_hostile(client: httpx2.Client) -> None:
    """Append a thread of them."""
    messages: list[dict[str, Any]] = [
        {"type": "input", "text": SCRIPTS},
        {"type": "reply", "text": BOMB},
        {
            "type": "tool_calls",
            "calls": [
                {"id": "c1", "name": "<b>read</b>", "argumentsText": DEEP},
                {"id": "c2", "name": "count", "args": {"n": 0, "__proto__": {"x": 1}}},
            ],
        },
        {"type": "tool_results", "results": [{"callId": "c1", "output": LONG}]},
        {"type": "tool_results", "results": [{"callId": "c2", "output": "12345678901234567890"}]},
        {"type": "reply", "text": RIGHT_TO_LEFT},
        {"type": "input", "text": NUL},
        {"type": "vendor.<i>odd</i>", "payload": {"big": 0}},
    ]
    messages[-1]["type"] = "vendor.odd"
    client.post(
        "/v1/threads",
        json={
            "threadId": HOSTILE,
            "goal": SCRIPTS,
            "policy": "record",
            "metadata": {"<b>k</b>": SCRIPTS},
        },
    ).raise_for_status()
    for message in messages:
        # numbers of any size, which JSON of this language would print in its own way
        body = json.dumps(message).replace('"big": 0', '"big": 12345678901234567890123.10')
        answer = client.post(f"/v1/threads/{HOSTILE}/messages", content=body)
        assert answer.status_code == 201, answer.text
