"""The one place that reads settings: environment variables with the prefix AGENTLOG_.

Of OpenTelemetry's own, only what says whether there are traces at all; its SDK reads the others.
"""

import os
from pathlib import Path
from typing import Literal

import platformdirs
from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict


def default_data_dir() -> Path:
    """Return where the embedded PostgreSQL keeps its data when nobody says otherwise.

    For root a system folder: PostgreSQL does not run as root, and root's own folders are closed to
    the user that it runs as.
    """
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        return Path("/var/lib/agentlog")
    return platformdirs.user_data_path("agentlog")


class Settings(BaseSettings):
    """What can be set; every field is an environment variable AGENTLOG_FIELD."""

    model_config = SettingsConfigDict(env_prefix="AGENTLOG_", frozen=True)

    database_url: str | None = None
    """PostgreSQL 15 or newer; without it agentlog runs its own."""
    data_dir: Path = Field(default_factory=default_data_dir)
    """Folder of the embedded PostgreSQL."""
    host: str = "127.0.0.1"
    port: int = Field(default=8080, ge=0, le=65535)
    tenant: str = Field(default="default", min_length=1)
    pool_size: int = Field(default=8, ge=1)
    """Connections to the database, at most."""
    max_body_bytes: int = Field(default=16 * 2**20, ge=1)
    """The largest request body."""
    max_blob_bytes: int = Field(default=64 * 2**20, ge=1)
    """The largest file that `PUT /v1/blobs/{sha256}` takes, and all that one request may name."""
    analyst_url: str | None = None
    """The database once more, by the login of analysts; not needed for our own PostgreSQL."""
    analyst_queries: int = Field(default=4, ge=1)
    """Queries of analysts at once, at most."""
    analyst_seconds: float = Field(default=30, gt=0, le=3600)
    """How long a query of an analyst's may take."""
    signing_key: Path | None = None
    """File of the Ed25519 key that signs checkpoints; for our own PostgreSQL it is made."""
    projections: Literal["on", "off"] = "on"
    """Whether `serve` keeps the read models up, in a process beside it."""


class TraceSettings(BaseSettings):
    """Whether to trace, as OpenTelemetry's standard variables say it."""

    model_config = SettingsConfigDict(env_prefix="OTEL_", frozen=True)

    sdk_disabled: str = ""
    traces_exporter: str = ""
    exporter_otlp_endpoint: str = ""
    exporter_otlp_traces_endpoint: str = ""

    @property
    def exporters(self) -> frozenset[str]:
        """The exporters asked for by name; an endpoint alone asks for `otlp`."""
        if self.sdk_disabled.strip().lower() == "true":
            return frozenset()
        named = {each.strip() for each in self.traces_exporter.split(",")} - {""}
        if not named and (self.exporter_otlp_endpoint or self.exporter_otlp_traces_endpoint):
            return frozenset({"otlp"})
        return frozenset(named - {"none"})
