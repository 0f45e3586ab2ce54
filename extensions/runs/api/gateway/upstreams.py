"""The providers that a proxy stands before, and the variables by which clients find it."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from agentlog.extensions.runs.infrastructure.providers.errors import InvalidUpstream
from agentlog.infrastructure.runtime.secret_redaction import without_secrets
from agentlog.infrastructure.settings import ProviderSettings

_LOOPBACK = "127.0.0.1"


@dataclass(frozen=True, slots=True)
class Upstream:
    """A provider: its name in paths, its base URL, and the variable that clients read."""

    name: str
    url: str
    variable: str

    @property
    def origin(self) -> str:
        """Scheme and host: what stands before the path of a request."""
        parts = urlsplit(self.url)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise InvalidUpstream(without_secrets(self.url))
        return f"{parts.scheme}://{parts.netloc}"

    @property
    def path(self) -> str:
        """The path that its base URL has, without a slash at the end."""
        return urlsplit(self.url).path.rstrip("/")


def upstreams_of(settings: ProviderSettings) -> list[Upstream]:
    """Return the providers of the settings, which are the variables as they were before."""
    older = settings.openai_api_base or settings.openai_base_url
    return [
        Upstream("openai", settings.openai_base_url, "OPENAI_BASE_URL"),
        Upstream("openai-base", older, "OPENAI_API_BASE"),
        Upstream("anthropic", settings.anthropic_base_url, "ANTHROPIC_BASE_URL"),
        Upstream("gemini", settings.google_gemini_base_url, "GOOGLE_GEMINI_BASE_URL"),
    ]


def base_urls(gateway: str, upstreams: Sequence[Upstream]) -> dict[str, str]:
    """Return the variables that have clients ask a gateway at a URL."""
    return {
        upstream.variable: f"{gateway}/{upstream.name}{upstream.path}" for upstream in upstreams
    }


def environment_with(urls: Mapping[str, str]) -> dict[str, str]:
    """Return this process's environment with variables, and no proxy before loopback."""
    environment = {**os.environ, **urls}
    for name in ("NO_PROXY", "no_proxy"):
        hosts = [host for host in (os.environ.get(name), _LOOPBACK) if host]
        environment[name] = ",".join(hosts)
    return environment
