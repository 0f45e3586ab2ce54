"""The service as OpenAI's client asks models through it: before a real gateway and a provider."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from openai import AsyncOpenAI, OpenAI
from openai.types.responses import ResponseInputParam
from pydantic import TypeAdapter

from tests.command_line import agentlog, started
from tests.gateways import Gateway, gateway, settings_for
from tests.providers.server import ScriptedProvider
from tests.typed_dicts import check_typed
from tests.waiting import WAIT_SECONDS

PROVIDERS_KEY = "sk-secret-0123456789"


class Place(NamedTuple):
    """A service that asks models through a gateway, and the provider behind both."""

    address: str
    gateway: Gateway
    provider: ScriptedProvider

    def client(self, key: str, **options: Any) -> OpenAI:
        """Return a client that has a key of ours, or none where it is empty."""
        return OpenAI(**self._options(key), _strict_response_validation=True, **options)

    def async_client(self, key: str) -> AsyncOpenAI:
        """Return the asynchronous client."""
        return AsyncOpenAI(**self._options(key))

    def _options(self, key: str) -> dict[str, Any]:
        return {
            "base_url": f"{self.address}/openai/v1",
            "api_key": PROVIDERS_KEY,
            "default_headers": {"x-agentlog-key": key} if key else {},
            "max_retries": 0,
        }

    def sent_input(self) -> Any:
        """Return the input of the last request, which is of the client's own types for it."""
        items = self.provider.requests[-1].json["input"]
        check_typed(TypeAdapter(ResponseInputParam), items)
        return items

    def make_key(self, tenant: str, *scopes: str) -> str:
        """Return a new key of ours."""
        wanted = [word for scope in scopes for word in ("--scope", scope)]
        words = ("keys", "create", "--name", "of", *wanted, "--tenant", tenant)
        outcome = agentlog(*words, url=self.gateway.database_url)
        assert outcome.code == 0, outcome.err
        return outcome.out.strip()


@contextmanager
def served(url: str, gateway_url: str) -> Iterator[str]:
    """Run the service before a gateway; yield its address."""
    settings = {"AGENTLOG_GATEWAY_URL": gateway_url}
    with started("serve", "--port", "0", url=url, **settings) as process:
        assert process.stdout is not None
        match = re.search(r"http://\S+?(?=,)", process.stdout.readline())
        assert match is not None, process.communicate()
        yield match[0]
        process.terminate()
        _, logged = process.communicate(timeout=WAIT_SECONDS)
        assert "Traceback" not in logged
        assert PROVIDERS_KEY not in logged


@contextmanager
def placed(url: str, folder: Path) -> Iterator[Place]:
    with (
        ScriptedProvider() as provider,
        gateway(url, settings_for(provider, folder)) as running,
        served(url, f"{running.address}/openai/v1") as address,
    ):
        yield Place(address, running, provider)
