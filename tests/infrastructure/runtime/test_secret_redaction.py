"""The last wall: secrets are cut out by their shapes, and nothing else is."""

import logging

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlog.infrastructure.runtime.secret_redaction import ConcealingFormatter, without_secrets

SECRET = "hunter2-0123456789abcdef"  # noqa: S105 - a shape
KEY = "agentlog_abcdefghijkl_" + "0f" * 32


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (f"postgresql://me:{SECRET}@host/db", "postgresql://me:***@host/db"),
        (f"at postgres://me:p@{SECRET}@host:5432/db?x=1", "at postgres://me:***@host:5432/db?x=1"),
        (f"http://:{SECRET}@proxy/", "http://:***@proxy/"),
        (f"host=h password={SECRET} user=me", "host=h password=*** user=me"),
        (f"password = 'it\\'s {SECRET}'", "password = ***"),
        (f"postgresql://h/db?user=me&password={SECRET}&x=1", "postgresql://h/db?user=me&password=***&x=1"),
        (f"PGPASSWORD={SECRET}", "PGPASSWORD=***"),
        (f"{{'password': '{SECRET}', 'user': 'me'}}", "{'password': ***, 'user': 'me'}"),
        (f'{{"client_secret": "{SECRET}"}}', '{"client_secret": ***}'),
        (f"the key {KEY} is off", "the key agentlog_abcdefghijkl_*** is off"),
        (f"Authorization: Bearer {SECRET}", "Authorization: Bearer ***"),
        (f"(b'authorization', b'Basic {SECRET}')", "(b'authorization', b'Basic ***')"),
        (f"sent bearer {SECRET}.", "sent bearer ***"),
        (f"-----BEGIN PRIVATE KEY-----\n{SECRET}\n-----END PRIVATE KEY-----\n", "***\n"),
    ],
)  # fmt: skip
def test_a_secret_is_cut_out_and_what_stands_around_it_stays(text: str, shown: str) -> None:
    assert without_secrets(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        'password authentication failed for user "me"',
        "connection to server at http://localhost:8080 failed",
        "postgresql://host:5432/db, as me@example.com",
        'role "agentlog_analyst_0123456789abcdef" does not exist',
        "relation agentlog.events: agentlog_service may not",
        "the secret garden",
    ],
)
def test_what_is_no_secret_stays(text: str) -> None:
    assert without_secrets(text) == text


@given(st.text())
def test_any_text_is_taken_and_what_was_concealed_once_stays_so(text: str) -> None:
    once = without_secrets(text)
    assert without_secrets(once) == once


def test_a_traceback_of_the_standard_librarys_form_is_without_secrets() -> None:
    error = RuntimeError(f"postgresql://me:{SECRET}@host/db")
    record = logging.makeLogRecord({"msg": "failed", "exc_info": (RuntimeError, error, None)})
    line = ConcealingFormatter().format(record)
    assert "RuntimeError: postgresql://me:***@host/db" in line
    assert SECRET not in line
