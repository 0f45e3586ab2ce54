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

    model_config = SettingsConfigDict(
        env_prefix="AGENTLOG_", frozen=True, hide_input_in_errors=True
    )

    database_url: str | None = Field(default=None, repr=False)
    """PostgreSQL 15 or newer; without it agentlog runs its own."""
    data_dir: Path = Field(default_factory=default_data_dir)
    """Folder of the embedded PostgreSQL."""
    host: str = "127.0.0.1"
    port: int = Field(default=8080, ge=0, le=65535)
    tenant: str = Field(default="default", min_length=1)
    pool_size: int = Field(default=8, ge=1)
    """Connections to the database, at most."""
    anonymous: Literal["loopback", "allow"] = "loopback"
    """Whom the service answers without a key while none was ever made: this machine, or anybody."""
    read_audit: Literal["on", "off"] = "off"
    """Whether each read over HTTP is put on record before it is answered."""
    max_body_bytes: int = Field(default=16 * 2**20, ge=1)
    """The largest request body."""
    max_blob_bytes: int = Field(default=64 * 2**20, ge=1)
    """The largest file that `PUT /v1/blobs/{sha256}` takes, and all that one request may name."""
    max_batch_messages: int = Field(default=10_000, ge=1)
    """Messages of one append, at most."""
    max_json_depth: int = Field(default=128, ge=1, le=128)
    """Levels of objects and arrays in a body, at most; the log itself holds 128."""
    max_json_parts: int = Field(default=500_000, ge=1000)
    """Brackets, colons, commas and strings in the JSON of a body or line, at most."""
    max_header_bytes: int = Field(default=64 * 2**10, ge=1024)
    """A request's first line and headers together, at most."""
    client_seconds: float = Field(default=30, gt=0, le=3600)
    """How long a client may take for the headers of a request, and for each piece of its body."""
    forwarded_allow_ips: str = Field(default="", validation_alias="FORWARDED_ALLOW_IPS")
    """Proxies whose `X-Forwarded-For` says who asks: addresses, networks or `*`; none: nobody's."""
    rate_per_second: float = Field(default=0, ge=0, le=1_000_000)
    """Requests a second of each key, or of each address where there is none; 0: no limit."""
    rate_burst: int | None = Field(default=None, ge=1)
    """Requests at once within that; without it, those of two seconds."""
    max_streams: int = Field(default=10_000, ge=0)
    """Streams open at once, at most."""
    max_streams_per_key: int = Field(default=5_000, ge=0)
    """Those of each key, or of each address where there is none."""
    statement_seconds: float = Field(default=60, ge=0.001, le=86_400)
    """How long a statement of the service may take in the database."""
    lock_seconds: float = Field(default=10, ge=0.001, le=86_400)
    """How long a statement of the service may wait for a lock."""
    log_format: Literal["auto", "json", "text"] = "auto"
    """Lines of the log on standard error: `auto` is text on a terminal and JSON elsewhere."""
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    """What the log is about, at least; of what others log, only what is a warning at least."""
    access_log: Literal["on", "off"] = "off"
    """Whether each request gets a line in the log, at level info."""
    analyst_url: str | None = Field(default=None, repr=False)
    """The database once more, by the login of analysts; not needed for our own PostgreSQL."""
    analyst_queries: int = Field(default=4, ge=1)
    """Queries of a tenant's analysts at once, at most."""
    analyst_queries_in_all: int = Field(default=16, ge=1)
    """Those of all tenants."""
    analyst_seconds: float = Field(default=30, gt=0, le=3600)
    """How long a query of an analyst's may take."""
    signing_key: Path | None = None
    """File of the Ed25519 key that signs checkpoints; for our own PostgreSQL it is made."""
    snapshot_key: Path | None = None
    """File of the secret by which snapshots of views are sealed; without it, one in `data_dir`."""
    projections: Literal["on", "off"] = "on"
    """Whether `serve` keeps the read models up, in a process beside it."""
    fold_ahead: Literal["on", "off"] = "on"
    """Whether `serve` folds long threads ahead as they grow, so that no reader has to."""


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
