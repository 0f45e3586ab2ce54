"""The one place that reads settings: environment variables with the prefix AGENTLOG_."""

import os
from pathlib import Path

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
