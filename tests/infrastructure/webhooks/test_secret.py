"""Signatures are those of Standard Webhooks."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from standardwebhooks import Webhook, WebhookVerificationError

from agentlog.domain.json.text import print_bytes
from agentlog.infrastructure.webhooks.payload import SECRET_BYTES, Secret


@given(
    st.binary(min_size=SECRET_BYTES, max_size=SECRET_BYTES).filter(any),
    st.dictionaries(st.text(), st.text() | st.integers()).map(print_bytes),
)
def test_a_receiver_verifies_what_is_signed_and_nothing_else(key: bytes, body: bytes) -> None:
    secret, now = Secret(key), int(datetime.now(UTC).timestamp())
    signature = secret.sign("msg_1", now, body)
    headers = {
        "webhook-id": "msg_1",
        "webhook-timestamp": str(now),
        "webhook-signature": signature,
    }
    receiver = Webhook(secret.reveal())
    receiver.verify(body, headers)
    for changed, of in (
        (body + b" ", headers),
        (body, {**headers, "webhook-id": "msg_2"}),
        (body, {**headers, "webhook-timestamp": str(now + 1)}),
    ):
        with pytest.raises(WebhookVerificationError):
            receiver.verify(changed, of)
    with pytest.raises(WebhookVerificationError):
        Webhook(Secret(bytes(SECRET_BYTES)).reveal()).verify(body, headers)


def test_a_secret_is_printed_by_request_alone() -> None:
    secret = Secret(b"k" * SECRET_BYTES)
    assert secret.reveal().startswith("whsec_")
    assert "kkk" not in repr(secret)
