"""Exchanges as messages: nothing of them is lost but who asked."""

import json

from hypothesis import given
from hypothesis import strategies as st

from agentlog.domain.catalogue import validate_message
from agentlog.domain.json.text import parse, print_bytes
from agentlog.projections.exchanges.exchange import TYPE, Exchange, exchange_of, payload_of
from agentlog.projections.readers.draft import SAMPLE_ID

BODIES = st.binary(max_size=50) | st.text(max_size=50).map(
    lambda text: json.dumps({"messages": [text, {"a": text}], "model": text}).encode()
)
HEADERS = st.dictionaries(st.text(max_size=5), st.text(max_size=5), max_size=2)
EXCHANGES = st.builds(
    Exchange,
    attempt=st.integers(1, 9),
    method=st.sampled_from(["GET", "POST"]),
    path=st.sampled_from(["/v1/messages", "/v1/models", "/v1/chat/completions?beta=true"]),
    request=BODIES,
    end=st.sampled_from(["complete", "upstream_refused", "upstream_broke", "client_left"]),
    started_at=st.integers(0, 2**40),
    duration_ms=st.none() | st.floats(0, 1e6),
    status=st.none() | st.integers(100, 599),
    request_headers=HEADERS,
    headers=HEADERS,
    response=BODIES,
    chunks=st.lists(st.tuples(st.integers(0, 99), st.floats(0, 99)), max_size=3),
)


@given(EXCHANGES)
def test_an_exchange_is_read_from_its_message_as_it_was(exchange: Exchange) -> None:
    payload = parse(print_bytes(payload_of(exchange, "run")))
    message = {"type": TYPE, "id": SAMPLE_ID, "timestamp": 1, "payload": payload}
    assert exchange_of(validate_message(message).payload) == exchange


@given(
    st.recursive(
        st.none() | st.text() | st.integers(), lambda v: st.lists(v) | st.dictionaries(st.text(), v)
    )
)
def test_any_payload_is_read(payload: object) -> None:
    assert isinstance(exchange_of(payload), Exchange)


def test_who_asks_is_not_kept() -> None:
    body = b'{"model": "m", "metadata": {"user_id": "u-1"} , "messages": [{"role": "user"}]}'
    exchange = Exchange(1, "POST", "/v1/messages", body, "complete", 5)
    payload = payload_of(exchange, "run")
    request = b'{"model": "m", "metadata": null , "messages": [{"role": "user"}]}'
    assert exchange_of(payload).request == request
    assert payload["request"]["pieces"][1] == '{"role": "user"}'
