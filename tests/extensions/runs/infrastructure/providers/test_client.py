"""Requests to a model provider: where they go, what goes with them, and how they fail."""

import socket
from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import SecretStr

from agentlog.extensions.runs.infrastructure.providers.client import Provider
from agentlog.extensions.runs.infrastructure.providers.errors import (
    InvalidKey,
    InvalidUpstream,
    ProviderRefused,
    ProviderUnreachable,
    UnreadableAnswer,
)
from agentlog.infrastructure.settings import ProviderSettings
from tests.extensions.traces.traced.stand_in import served
from tests.providers.script import Answer
from tests.providers.server import Fault, ScriptedProvider

KEY = "sk-secret-0123456789"
BODY: Any = {"model": "m", "messages": [{"role": "user", "content": "é"}], "temperature": 0.5}


@pytest.fixture
def scripted() -> Iterator[ScriptedProvider]:
    with ScriptedProvider(lambda _: Answer("yes")) as provider:
        yield provider


def _settings(key: str | None = KEY) -> ProviderSettings:
    secret = None if key is None else SecretStr(key)
    return ProviderSettings(openai_api_key=secret, anthropic_api_key=secret)


def _provider(dialect: Any, upstream: str, *, key: str | None = KEY) -> Provider:
    return Provider.of(dialect, _settings(key), upstream=upstream)


@pytest.mark.parametrize(
    ("dialect", "base", "path"),
    [
        ("openai", "/v1", "/v1/chat/completions"),
        ("openai", "/v1/", "/v1/chat/completions"),
        ("openai", "", "/chat/completions"),
        ("anthropic", "", "/v1/messages"),
        ("anthropic", "/proxy/v1", "/proxy/v1/messages"),
    ],
)
def test_a_request_goes_to_the_path_of_its_api(
    scripted: ScriptedProvider, dialect: str, base: str, path: str
) -> None:
    received = _provider(dialect, scripted.url + base).ask(BODY)
    assert received.latency_ms > 0
    (request,) = scripted.requests
    assert (request.path, request.json) == (path, BODY)


def test_a_key_goes_in_the_header_of_its_api(scripted: ScriptedProvider) -> None:
    for dialect, key in [("openai", KEY), ("anthropic", KEY), ("openai", None), ("anthropic", " ")]:
        _provider(dialect, scripted.url, key=key).ask(BODY)
    names = ("authorization", "x-api-key")
    sent = [[request.headers.get(name) for name in names] for request in scripted.requests]
    assert sent == [[f"Bearer {KEY}", None], [None, KEY], [None, None], [None, None]]
    assert scripted.requests[1].headers["anthropic-version"] == "2023-06-01"


def test_addresses_and_keys_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY", "ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    provider = Provider.of("openai", ProviderSettings(), upstream=None)
    assert (provider.url, provider.key) == ("https://api.openai.com/v1/chat/completions", None)
    provider = Provider.of("anthropic", ProviderSettings(), upstream=None)
    assert provider.url == "https://api.anthropic.com/v1/messages"
    monkeypatch.setenv("OPENAI_BASE_URL", "http://gateway.example/v1")
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    provider = Provider.of("openai", ProviderSettings(), upstream=None)
    assert (provider.url, provider.key) == ("http://gateway.example/v1/chat/completions", KEY)
    assert KEY not in repr(provider)
    assert KEY not in repr(ProviderSettings())
    monkeypatch.setenv("OPENAI_BASE_URL", "")
    assert ProviderSettings().openai_base_url == "https://api.openai.com/v1"


@pytest.mark.parametrize("url", ["localhost:80", "ftp://a", "http://", "/v1", "http://a:b"])
def test_an_address_of_no_api_is_refused(url: str) -> None:
    with pytest.raises(InvalidUpstream, match="is no address of an API"):
        _provider("openai", url)


def test_a_key_that_no_header_can_have_is_refused_and_not_repeated() -> None:
    for key in ("sk-é", "sk-a\nb", "sk-\x00"):
        with pytest.raises(InvalidKey) as error:
            _provider("openai", "http://a", key=key)
        assert "OPENAI_API_KEY" in str(error.value)
        assert "sk-" not in str(error.value)


@pytest.mark.parametrize(
    ("status", "way"),
    [
        (400, "--set NAME=null"),
        (401, "check OPENAI_API_KEY"),
        (404, "check the model's name"),
        (422, "--set NAME=null"),
        (429, "there is no second attempt"),
        (500, "the provider failed"),
    ],
)
def test_an_error_has_the_status_the_providers_message_and_a_way_out(
    scripted: ScriptedProvider, status: int, way: str
) -> None:
    scripted.fail(Fault("err", status))
    with pytest.raises(ProviderRefused) as error:
        _provider("openai", scripted.url).ask(BODY)
    assert str(error.value).startswith(f"status {status}: scripted failure (")
    assert way in str(error.value)
    assert len(scripted.requests) == 1


def test_an_answer_that_is_cut_and_a_refused_connection_are_unreachable(
    scripted: ScriptedProvider,
) -> None:
    scripted.fail(Fault("cut", 0))
    with pytest.raises(ProviderUnreachable, match="check --upstream and the network"):
        _provider("openai", scripted.url).ask(BODY)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://user:{KEY}@127.0.0.1:{free.getsockname()[1]}"
        with pytest.raises(ProviderUnreachable, match=r"127\.0\.0\.1.*refused") as error:
            _provider("openai", url).ask(BODY)
    assert KEY not in str(error.value)


def _answers(kind: str, body: bytes) -> Any:
    return served(lambda _path, _body: (kind, body))


def test_an_answer_that_is_not_json_is_said_to_be_none() -> None:
    with _answers("text/html", b"<html>") as url, pytest.raises(UnreadableAnswer, match="upstream"):
        _provider("openai", url).ask(BODY)


def test_an_endless_answer_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "agentlog.extensions.runs.infrastructure.providers.client._MOST_BYTES", 1000
    )
    body = b'"' + b"x" * 2000 + b'"'
    with _answers("application/json", body) as url, pytest.raises(UnreadableAnswer, match="1000"):
        _provider("openai", url).ask(BODY)
