"""The rule of a tenant: what it takes, what it refuses, and that it changes contents alone."""

import json
import time
from collections import Counter
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlog.domain.catalogue import read_stored
from agentlog.domain.json.text import print_text
from agentlog.projections.exchanges.exchange import Exchange
from agentlog.projections.exchanges.masking import masked_exchange, masked_message
from agentlog.projections.masking.rule import InvalidMask, parse_mask
from tests.histories import histories
from tests.planted import RULE, Planted

ALL = f"""{RULE}
keys = ["ssn", "Customer-Name"]
words = ["Falcon"]
patterns = ["EMP-[0-9]{{6}}"]
"""
STRUCTURE = 'mode = "structure"'
STREAM = {"content-type": "text/event-stream"}


def masked(rule: str, body: Any) -> Any:
    return masked_message(parse_mask(rule), body, Counter())


def note(payload: Any) -> dict[str, Any]:
    return {"type": "acme.note", "payload": payload}


@given(planted=st.integers().map(Random).map(Planted), rule=st.sampled_from([ALL, STRUCTURE]))
def test_what_is_planted_goes_wherever_it_stands(planted: Planted, rule: str) -> None:
    nested = json.dumps({"a": [json.dumps(planted.arguments)], "text": planted.text})
    body = note([planted.text, planted.arguments, nested, {"deep": [{"er": planted.text}]}])
    body["metadata"] = {"note": planted.text}
    kept = masked(rule, body)
    assert [*planted.leaks(print_text(kept).encode())] == []
    assert masked(rule, kept) == kept


@given(history=histories(), rule=st.sampled_from([ALL, STRUCTURE]))
def test_a_message_keeps_its_structure_and_stays_one(history: Any, rule: str) -> None:
    for event in history:
        body = event.raw
        if read_stored(event.type, body) is None:
            continue  # as an older version may have written
        kept = masked(rule, body)
        assert structure(kept) == structure(body)
        assert read_stored(event.type, kept) is not None
        assert masked(rule, kept) == kept


def structure(value: Any) -> Any:
    match value:
        case {"type": str(kind), **fields} if "." not in kind:
            names = ("id", "timestamp", "callId", "workerId", "usage", "model", "name", "tool")
            inner = {key: structure(fields[key]) for key in ("calls", "results") if key in fields}
            return kind, {name: fields[name] for name in names if name in fields}, inner
        case list():
            return [(item.get("id"), item.get("callId"), item.get("name")) for item in value]
        case _:
            return None


def test_keys_words_and_patterns_of_the_tenant() -> None:
    kept = masked(
        ALL, note({"ssn": 7, "customer_name": {"first": "Ada"}, "x": "FALCON EMP-123456"})
    )
    assert kept["payload"] == {
        "ssn": "[masked: ssn, 1]",
        "customer_name": {"first": "[masked: customername, 3]"},
        "x": "[masked: word, 6] [masked: pattern, 10]",
    }


def test_a_schema_of_a_field_is_no_secret() -> None:
    tools = {"properties": {"password": {"type": "string", "description": "of the user"}}}
    assert masked(RULE, note(tools)) == note(tools)


@pytest.mark.parametrize(
    "text",
    [
        "it ran on 2026-11-29 for 1767268800000 ms, at 0.4111111111111111",
        "550e8400-e29b-41d4-a716-446655440000 and 4111111111111112",
        "version 1.2.3, ticket 4711, +1 and 5 of them, 12-34-5678",
        "[masked: email, 15]",
    ],
)
def test_other_texts_stay(text: str) -> None:
    assert masked(RULE, note(text)) == note(text)


def test_an_exchange_keeps_ids_roles_names_and_usage() -> None:
    call = {"name": "send", "arguments": json.dumps({"password": "hunter2hunter2"})}
    calls = [{"id": "call_1", "type": "function", "function": call}]
    message = {"role": "assistant", "content": "to ann@example.com", "tool_calls": calls}
    answer = {
        "id": "chatcmpl-4111111111111111",
        "model": "m",
        "choices": [{"index": 0, "finish_reason": "tool_calls", "message": message}],
        "usage": {"prompt_tokens": 4111111111111111},
    }
    text = json.dumps(answer).encode()
    asked = b'{"model": "m", "messages": [{"role": "user", "content": "hello"}]}'
    path = "/v1/chat/completions"
    sent = Exchange(1, "POST", path, asked, "complete", 1, 2.0, 200, response=text)
    for rule, said in ((RULE, "to [masked: email, 15]"), (STRUCTURE, "[masked: text, 18]")):
        kept = masked_exchange(parse_mask(rule), sent)
        shown = json.loads(kept.response)
        message["content"] = said
        name = "password" if rule == RULE else "text"
        call["arguments"] = f'{{"password":"[masked: {name}, 14]"}}'
        assert shown == answer
        assert kept.mask == parse_mask(rule).rule
        if rule == RULE:
            assert kept.request == asked


@given(planted=st.integers().map(Random).map(Planted), size=st.integers(1, 40))
def test_a_stream_in_pieces_holds_no_part_of_a_secret(planted: Planted, size: int) -> None:
    said = planted.text
    pieces = [said[place : place + size] for place in range(0, len(said), size)]
    lines = [{"choices": [{"index": 0, "delta": {"content": piece}}]} for piece in pieces]
    stream = "".join(f"data: {json.dumps(line)}\n\n" for line in lines).encode()
    chunks = [(place, 1.0) for place in range(0, len(stream), 100)]
    exchange = Exchange(
        *(1, "POST", "/v1/chat/completions", b"{}", "client_left", 1, 2.0, 200),
        headers=STREAM,
        response=stream,
        chunks=chunks,
    )
    kept = masked_exchange(parse_mask(RULE), exchange)
    joined = "".join(
        c["delta"]["content"] for c in (object_["choices"][0] for object_ in events(kept))
    )
    assert [*planted.leaks(kept.response + joined.encode())] == []
    offsets = [offset for offset, _ in kept.chunks]
    assert offsets == sorted(offsets)
    assert offsets[-1] <= len(kept.response)


def events(exchange: Exchange) -> list[Any]:
    lines = exchange.response.decode().splitlines()
    return [json.loads(line[6:]) for line in lines if line.startswith("data: ")]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "masks nothing"),
        ("x = 1", "x: "),
        ("keys = [", "Invalid"),
        ('detectors = ["all"]', "detectors.0"),
        ('patterns = ["(a+)+b"]', "more than a pattern may have"),
        ('patterns = ["aaa|b"]', "more than a pattern may have"),
        ('patterns = ["a*?bc"]', "more than a pattern may have"),
        ('patterns = ["[a-z]*"]', "everywhere"),
        ('patterns = ["[z-a]{3}"]', "bad character range"),
        ('patterns = ["[a-z]{900}[0-9]{900}"]', "at most 1024"),
        (f"keys = {['k' * 9] * 9000}", "65,536 bytes"),
        ('words = ["ab"]', "words.0"),
        ("[" * 10_000, "mask: "),
    ],
)
def test_what_is_no_rule_is_refused_with_its_reason(text: str, reason: str) -> None:
    with pytest.raises(InvalidMask, match=reason.replace("(", "\\(")):
        parse_mask(text)


def test_a_rule_on_a_tape_has_no_words() -> None:
    assert "alcon" not in parse_mask(ALL).rule
    assert parse_mask(parse_mask(ALL).rule).rule == parse_mask(ALL).rule


@pytest.mark.parametrize(
    "unit",
    [
        *("eyJaaaaaaaa-", "a", "a.", "password:", "4111-", "+1111111111111111", "AB12 ", "://a:b"),
        *("x@", "-----BEGIN ", "Bearer ", "EMP-12345", "[masked: ", '{"a":', '[\\"', "falcon"),
    ],
)
def test_time_is_linear(unit: str) -> None:
    mask = parse_mask(ALL)

    def seconds(size: int) -> float:
        text, best = (unit * size)[:size], 9.0
        for _ in range(3):
            began = time.process_time()
            mask.value(text, Counter())
            best = min(best, time.process_time() - began)
        return best

    assert seconds(200_000) < max(40 * seconds(20_000), 0.5)
