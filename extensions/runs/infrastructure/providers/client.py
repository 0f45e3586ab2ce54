"""Posts a request to a model provider, and returns its whole answer."""

import time
from dataclasses import dataclass, field
from typing import NamedTuple, Self

import httpx2

from agentlog.domain.errors import InvalidJson
from agentlog.domain.json.text import parse, print_bytes
from agentlog.domain.json.values import JsonValue, object_of, text_at
from agentlog.extensions.runs.infrastructure.providers.errors import (
    InvalidKey,
    InvalidUpstream,
    ProviderRefused,
    ProviderUnreachable,
    UnreadableAnswer,
)
from agentlog.extensions.runs.projections.provider_answers import Dialect
from agentlog.infrastructure.runtime.secret_redaction import HIDDEN, without_secrets
from agentlog.infrastructure.settings import ProviderSettings
from agentlog.projections.view import Item

_PATHS = {"openai": "/chat/completions", "anthropic": "/v1/messages"}
_KEYS = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY"}
_ANTHROPIC_VERSION = "2023-06-01"
_CONNECT_SECONDS, _ANSWER_SECONDS = 10, 600
_MOST_BYTES = 32 * 2**20
_MESSAGE_CHARACTERS = 500
_OK = 200


class Received(NamedTuple):
    """A provider's answer, and how long it took to come."""

    document: JsonValue
    latency_ms: float


@dataclass(frozen=True, slots=True)
class Provider:
    """Where requests of a dialect go, and the key that goes with them, if there is one."""

    dialect: Dialect
    url: str = field(repr=False)  # it may have a password
    key: str | None = field(repr=False)

    @classmethod
    def of(cls, dialect: Dialect, settings: ProviderSettings, *, upstream: str | None) -> Self:
        """Return the provider at a base URL, by default that of the settings.

        Raises:
            InvalidUpstream: the URL is no address of an API.
            InvalidKey: no header can have the key.
        """
        if dialect == "openai":
            base, secret = settings.openai_base_url, settings.openai_api_key
        else:
            base, secret = settings.anthropic_base_url, settings.anthropic_api_key
        base = (upstream or base).rstrip("/")
        try:
            parsed = httpx2.URL(base)
        except httpx2.InvalidURL as error:
            raise InvalidUpstream(without_secrets(base)) from error
        if parsed.scheme not in {"http", "https"} or not parsed.host:
            raise InvalidUpstream(without_secrets(base))
        key = secret.get_secret_value().strip() if secret is not None else None
        if key is not None and not (key.isascii() and key.isprintable()):
            raise InvalidKey(_KEYS[dialect])
        path = _PATHS[dialect]
        if base.endswith("/v1"):  # some clients of Anthropic's want it in the base URL
            path = path.removeprefix("/v1")
        return cls(dialect, base + path, key or None)

    def ask(self, body: Item) -> Received:
        """Return the answer to a request; there is no second attempt.

        Raises:
            ProviderError: there is none, with the reason.
        """
        status, text, latency_ms = self._post(print_bytes(body))
        try:
            document = parse(text)
        except InvalidJson as error:
            if status == _OK:
                raise UnreadableAnswer(str(error), dialect=self.dialect) from error
            document = text.decode(errors="replace")
        if status != _OK:
            raise ProviderRefused(status, self._shown(document), key=_KEYS[self.dialect])
        return Received(document, latency_ms)

    def _post(self, body: bytes) -> tuple[int, bytes, float]:
        """Return status, body and latency in ms."""
        timeout = httpx2.Timeout(_ANSWER_SECONDS, connect=_CONNECT_SECONDS)
        text = bytearray()
        try:
            with httpx2.Client(timeout=timeout, headers=self._headers) as client:
                begun = time.monotonic()  # not before: a client reads certificates first
                with client.stream("POST", self.url, content=body) as response:
                    for piece in response.iter_bytes():
                        text += piece
                        if len(text) > _MOST_BYTES:
                            reason = f"more than {_MOST_BYTES} bytes"
                            raise UnreadableAnswer(reason, dialect=self.dialect)
                latency_ms = round((time.monotonic() - begun) * 1000, 1)
                return response.status_code, bytes(text), latency_ms
        except httpx2.HTTPError as error:
            reason = str(error) or type(error).__name__
            raise ProviderUnreachable(without_secrets(self.url), self._hidden(reason)) from error

    @property
    def _headers(self) -> dict[str, str]:
        headers = {
            "content-type": "application/json",
            "accept-encoding": "identity",
            "user-agent": "agentlog",
        }
        if self.dialect == "anthropic":
            headers["anthropic-version"] = _ANTHROPIC_VERSION
        if self.key is None:
            return headers
        if self.dialect == "anthropic":
            return {**headers, "x-api-key": self.key}
        return {**headers, "authorization": f"Bearer {self.key}"}

    def _shown(self, document: JsonValue) -> str:
        """Return the message of an error in any provider's form, else the beginning of it all."""
        answer = object_of(document)
        error = answer.get("error")
        message = text_at(object_of(error), "message") or text_at(answer, "error", "message")
        if message is None:
            message = document if isinstance(document, str) else print_bytes(document).decode()
        return self._hidden(" ".join(message.split()))[:_MESSAGE_CHARACTERS]

    def _hidden(self, text: str) -> str:
        """Return a text without the key, should the provider repeat it."""
        return without_secrets(text if self.key is None else text.replace(self.key, HIDDEN))
