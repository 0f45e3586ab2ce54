"""Settings, read from environment variables with the prefix AGENTLOG_; nothing else reads them.

Of OpenTelemetry's own variables it reads only whether traces are enabled; its SDK reads the others.
"""

import os
import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Any, ClassVar, Literal
from urllib.parse import urlsplit

import platformdirs
import psycopg
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SecretStr,
    ValidationInfo,
    field_validator,
    model_validator,
)

from agentlog.domain.errors import AgentlogError
from agentlog.infrastructure.postgres.conninfo import read_conninfo

_PREFIX = "AGENTLOG_"
OF_TOOLS = frozenset(
    {"ADD_GOLDEN", "POSTGRES_PASSWORD", "SERVICE_PASSWORD", "TOOLS", "URL", "WRITE_DOCS"}
)
"""What compose and the tools of this project and of agents read, beside AGENTLOG_TEST_…"""
_REMOVED = frozenset(
    "ANALYST_QUERIES CLIENT_SECONDS FOLD_AHEAD LOCK_SECONDS MAX_HEADER_BYTES MAX_JSON_DEPTH "
    "MAX_JSON_PARTS MAX_STREAMS MOVE_TO RATE_BURST WEBHOOK_SECONDS".split()
)
"""Settings until 0.25."""
_HOST = re.compile(r"[a-z0-9]([a-z0-9._-]*[a-z0-9])?", re.IGNORECASE)


class UnknownSetting(AgentlogError):
    """A variable is named like a setting, and there is none of that name."""

    def __init__(self, name: str, *, nearest: str | None, is_removed: bool = False) -> None:
        way = "see docs/reference/settings.md" if nearest is None else f"the nearest is {nearest}"
        if is_removed:
            way = "it was one until 0.25, and CHANGELOG.md says what holds in its place"
        super().__init__(f"{name} is no setting: {way}; unset it if it is not meant for agentlog")


def default_data_dir() -> Path:
    """Return the default folder of the embedded PostgreSQL.

    For root a system folder: PostgreSQL does not run as root, and root's own folders are closed to
    the user that it runs as.
    """
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        return Path("/var/lib/agentlog")
    return platformdirs.user_data_path("agentlog")


class _Environment(BaseModel):
    """Reads each field that it is not given from the variable of its name, in either case.

    Variables begin with `prefix`. An empty or blank one is unset, as in OpenTelemetry's
    specification: compose's `${X:-}` makes such. pydantic-settings does the same; to import it
    takes a seventh of the start of `agentlog threads`, 0.05 of 0.38 s.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)
    prefix: ClassVar[str] = ""
    usual_names: ClassVar[Mapping[str, Sequence[str]]] = {}
    """Variables of other programs that are read where those with the prefix are unset."""

    @model_validator(mode="before")
    @classmethod
    def _read(cls, values: dict[str, Any]) -> dict[str, Any]:
        variables = {name.upper(): text for name, text in os.environ.items() if text.strip()}
        names = {
            name: [f"{cls.prefix}{name}".upper(), *cls.usual_names.get(name, ())]
            for name in cls.model_fields
        }
        texts = {name: [*filter(None, map(variables.get, names[name]))] for name in names}
        return {**{name: set_texts[0] for name, set_texts in texts.items() if set_texts}, **values}


class Settings(_Environment):
    """Settings of the service; every field is an environment variable AGENTLOG_FIELD."""

    prefix = _PREFIX
    usual_names: ClassVar = {"forwarded_allow_ips": ["FORWARDED_ALLOW_IPS"]}

    database_url: str | None = Field(default=None, repr=False)
    """PostgreSQL 15 or newer; without it agentlog runs its own."""
    data_dir: Path = Field(default_factory=default_data_dir)
    """Folder of the embedded PostgreSQL."""
    spool_dir: Path = Field(
        default_factory=lambda: platformdirs.user_state_path("agentlog") / "recordings"
    )
    """Folder of what `record` has not yet put into the log."""
    host: str = "127.0.0.1"
    port: int = Field(default=8080, ge=0, le=65535)
    tenant: str = Field(default="default", min_length=1)
    cell: str = Field(default="", pattern=r"^([a-z2-7]{1,4})?$")
    """Name of this cell, with which ids of keys made here begin; by default none."""
    key: SecretStr | None = None
    """Key that commands send to a service: `agentlog mcp --url`."""
    pool_size: int = Field(default=8, ge=1)
    """Most connections to the database."""
    anonymous: Literal["loopback", "allow"] = "loopback"
    """Clients served without a key before the first key is made: this machine only, or any."""
    allowed_hosts: str = ""
    """Names of the service, with commas, that clients without a key may use; addresses always."""
    read_only: Literal["auto", "on"] = "auto"
    """Whether sessions in the database may not write: `auto` only where it takes no writes."""
    writer_url: str | None = None
    """Address of the service that takes writes, for the answers of one that takes none."""
    read_audit: Literal["on", "off"] = "off"
    """Whether each read over HTTP is recorded before it is answered."""
    access_days: int | None = Field(default=None, ge=1, le=36_500)
    """Age in days from which `retention --apply` removes records of reads; by default never."""
    max_body_bytes: int = Field(default=16 * 2**20, ge=1)
    """The largest request body."""
    max_blob_bytes: int = Field(default=64 * 2**20, ge=1)
    """The largest file for `PUT /v1/blobs/{sha256}`, and the total of those one request names."""
    import_dir: Path | None = None
    """Folder of files that are being imported over HTTP; by default one in `data_dir`."""
    trial_dir: Path | None = None
    """Folder of databases that `restore --check` throws away; by default `data_dir`."""
    max_import_bytes: int = Field(default=4 * 2**30, ge=1)
    """Most bytes of the files of all imports of a tenant over HTTP."""
    max_import_file_bytes: int = Field(default=256 * 2**20, ge=1)
    """The largest file that is imported over HTTP, unpacked."""
    max_batch_messages: int = Field(default=10_000, ge=1)
    """Most messages of one append."""
    forwarded_allow_ips: str = ""
    """Proxies trusted for `X-Forwarded-For`: addresses, networks or `*`; by default none."""
    user_header: str = Field(default="", pattern=r"^[A-Za-z0-9-]*$")
    """Header by which those proxies name the user, as X-Auth-Request-Email; by default none."""
    gateway_url: str | None = Field(default=None, repr=False)
    """What `agentlog gateway` prints for OPENAI_BASE_URL: where `/openai/v1` asks models."""
    rate_per_second: float = Field(default=0, ge=0, le=1_000_000)
    """Requests a second of each key, or of each address without a key; 0 is no limit."""
    max_streams_per_key: int = Field(default=5_000, ge=0)
    """Most streams of each key, or of each address without a key."""
    search_days: int | None = Field(default=None, ge=1, le=36_500)
    """Age in days from which events are left out of the index of words when that is built."""
    statement_seconds: float = Field(default=60, ge=0.001, le=86_400)
    """Timeout of the service's statements in the database."""
    log_format: Literal["auto", "json", "text"] = "auto"
    """Format of log lines on standard error: `auto` is text on a terminal and JSON elsewhere."""
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    """Lowest level that is logged; of libraries at least warnings."""
    access_log: Literal["on", "off"] = "off"
    """Whether each request is logged, at level info."""
    analyst_url: str | None = Field(default=None, repr=False)
    """The database's URL with the analysts' login; not needed for the embedded PostgreSQL."""
    analyst_queries_in_all: int = Field(default=16, ge=1)
    """Most concurrent queries of all tenants' analysts; a tenant's are a quarter of them."""
    analyst_seconds: float = Field(default=30, gt=0, le=3600)
    """Timeout of an analyst's query."""
    signing_key: Path | None = None
    """File of the Ed25519 key that signs checkpoints; made for the embedded PostgreSQL."""
    snapshot_key: Path | None = None
    """File of the secret that seals snapshots of views; by default one in `data_dir`."""
    projections: Literal["on", "off"] = "on"
    """Whether `serve` runs the projections, in a process beside it."""

    webhook_networks: str = ""
    """Private networks that webhooks may go to, with commas, as 10.0.0.0/8; by default none."""

    @model_validator(mode="before")
    @classmethod
    def _refuse_unknown(cls, values: Any) -> Any:  # noqa: ANN401 - as pydantic passes it on
        """Raise `UnknownSetting` for the first variable that no field reads."""
        known = [field.upper() for field in cls.model_fields]
        for name in sorted(os.environ):
            prefix, field = name[: len(_PREFIX)].upper(), name[len(_PREFIX) :].upper()
            is_of_tools = field in OF_TOOLS or field.startswith("TEST_")
            if prefix == _PREFIX and field not in known and not is_of_tools:
                nearest = get_close_matches(field, known, n=1)
                raise UnknownSetting(
                    name,
                    nearest=f"{_PREFIX}{nearest[0]}" if nearest else None,
                    is_removed=field in _REMOVED,
                )
        return values

    @field_validator("forwarded_allow_ips", "webhook_networks")
    @classmethod
    def _see_networks(cls, text: str, info: ValidationInfo) -> str:
        or_any = info.field_name == "forwarded_allow_ips"
        for part in filter(None, map(str.strip, text.split(","))):
            if part != "*" or not or_any:
                try:
                    ip_network(part)
                except ValueError as error:
                    reason = f"{part!r} is no address, and no network as 10.0.0.0/8"
                    raise ValueError(f"{reason}, and not *" if or_any else reason) from error
        return text

    @field_validator("user_header")
    @classmethod
    def _see_who_names_users(cls, text: str, info: ValidationInfo) -> str:
        trusted = {part.strip() for part in info.data.get("forwarded_allow_ips", "").split(",")}
        if text and (trusted == {""} or "*" in trusted):
            raise ValueError(
                "name the proxies that set it in AGENTLOG_FORWARDED_ALLOW_IPS, by addresses"
            )
        return text

    @field_validator(
        "data_dir", "spool_dir", "import_dir", "trial_dir", "signing_key", "snapshot_key"
    )
    @classmethod
    def _see_path(cls, path: Path | None) -> Path | None:
        try:
            return None if path is None else path.expanduser()
        except RuntimeError as error:
            raise ValueError("there is no home folder of that user") from error

    @field_validator("database_url", "analyst_url")
    @classmethod
    def _see_database(cls, text: str | None) -> str | None:
        try:
            read_conninfo(text or "")
        except psycopg.ProgrammingError as error:
            raise ValueError(f"the URL does not parse: {error}") from None
        return text

    @field_validator("host")
    @classmethod
    def _see_host(cls, text: str) -> str:
        address = text.partition("%")[0]  # before the zone of an IPv6 address
        if ":" in address:
            ip_address(address)
        elif not _HOST.fullmatch(text):
            raise ValueError(f"{text!r} is no address and no host name")
        return text

    @field_validator("gateway_url", "writer_url")
    @classmethod
    def _see_url(cls, text: str | None) -> str | None:
        parts = urlsplit(text or "http://none")
        if parts.scheme not in {"http", "https"} or not parts.hostname or parts.query:
            raise ValueError("it is no address: give http:// or https://, a host and the path")
        if parts.port == 0:  # reading it raises an error for what is none
            raise ValueError("it has no port")
        if "agentlog_" in parts.path:  # it would lead all tenants to its own
            raise ValueError("leave the key out: each client sends its own")
        return text or None

    @field_validator("allowed_hosts")
    @classmethod
    def _see_names(cls, text: str) -> str:
        for part in filter(None, map(str.strip, text.split(","))):
            if not _HOST.fullmatch(part):
                raise ValueError(f"{part!r} is no host name: leave scheme and port out")
        return text

    @property
    def hosts(self) -> frozenset[str]:
        """The names in `allowed_hosts`."""
        return frozenset(part.strip().lower() for part in self.allowed_hosts.split(",")) - {""}


class TraceSettings(_Environment):
    """Trace settings, from OpenTelemetry's standard variables."""

    prefix = "OTEL_"

    sdk_disabled: str = ""
    traces_exporter: str = ""
    exporter_otlp_endpoint: str = ""
    exporter_otlp_traces_endpoint: str = ""

    @property
    def exporters(self) -> frozenset[str]:
        """The exporters named; an endpoint alone implies `otlp`."""
        if self.sdk_disabled.strip().lower() == "true":
            return frozenset()
        named = {name.strip() for name in self.traces_exporter.split(",")} - {""}
        if not named and (self.exporter_otlp_endpoint or self.exporter_otlp_traces_endpoint):
            return frozenset({"otlp"})
        return frozenset(named - {"none"})


class ProviderSettings(_Environment):
    """Addresses and keys of model providers, from the variables that their own clients read."""

    openai_base_url: str = "https://api.openai.com/v1"
    openai_api_base: str | None = None
    """What older clients read in place of the variable above."""
    openai_api_key: SecretStr | None = None
    anthropic_base_url: str = "https://api.anthropic.com"
    anthropic_api_key: SecretStr | None = None
    google_gemini_base_url: str = "https://generativelanguage.googleapis.com"
