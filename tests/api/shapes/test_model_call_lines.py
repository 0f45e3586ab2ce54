"""A model call for a terminal: the parts of its request, its context, where it differs."""

from agentlog.api.shapes.lines.model_call import model_call_lines
from agentlog.projections.exchanges.exchange import TYPE, Exchange, payload_of
from agentlog.projections.exchanges.model_call import model_call
from tests.histories import history


def test_what_breaks_a_cache_is_shown_from_where_texts_part() -> None:
    def exchange(prompt: str, tool: str) -> dict[str, object]:
        body = (
            f'{{"model":"m","system":"{prompt}","tools":[{{"name":"{tool}"}}],'
            '"messages":[{"role":"user","content":"Hi"}]}'
        ).encode()
        sent = Exchange(1, "POST", "/v1/messages", body, "complete", 0, status=200)
        return {"type": TYPE, "payload": payload_of(sent, "run")}

    long = "You are kind. " * 20
    events = history(
        {"type": "input", "text": "Hi"},
        exchange(f"{long} It is 10:00.", "track"),
        {"type": "reply", "text": "One"},
        exchange(f"{long} It is 11:00.", "\x9btrack"),
        {"type": "reply", "text": "Two"},
    )
    lines = [" ".join(line.split()) for line in model_call_lines(model_call(events, 5))]
    assert lines == [
        "request v4 m: exactly as sent",
        "tools 1 tool, 19 characters (6%)",
        "system 295 characters (86%)",
        "user 1 message, 30 characters (9%)",
        "context size not known, input not reported",
        "before v3 differs from the request answered there: 1 of 1 messages come again, 0 follow",
        'differs tool 1: {"name":"track"} → {"name":"\ufffdtrack"}',
        'differs the prompt: …. It is 10:00." → …. It is 11:00."',
        "answer v5 m",
    ]
