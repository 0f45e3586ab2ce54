"""Settings: bounded, and shown without passwords."""

from pathlib import Path

import pytest
from pydantic import ValidationError

from agentlog.api.composition import Service
from agentlog.infrastructure.settings import _REMOVED, Settings, UnknownSetting

SECRET = "hunter2"  # noqa: S105 - to be looked for


def test_no_password_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DATABASE_URL", "ANALYST_URL", "GATEWAY_URL"):
        scheme = "http" if name == "GATEWAY_URL" else "postgresql"
        monkeypatch.setenv(f"AGENTLOG_{name}", f"{scheme}://me:{SECRET}@host/db")
    settings = Settings()
    assert settings.database_url is not None
    assert SECRET in settings.database_url
    assert SECRET not in f"{settings!r} {settings}"
    assert Service.__repr__ is object.__repr__


def test_an_error_does_not_repeat_what_it_was_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGENTLOG_PORT", SECRET)
    with pytest.raises(ValidationError) as refused:
        Settings()
    assert SECRET not in str(refused.value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("CELL", "A"),
        ("CELL", "a1"),
        ("CELL", "abcde"),
        ("CELL", "a\n"),
        ("MAX_BATCH_MESSAGES", "0"),
        ("RATE_PER_SECOND", "-1"),
        ("RATE_PER_SECOND", "nan"),
        ("RATE_PER_SECOND", "inf"),
        ("MAX_STREAMS_PER_KEY", "-1"),
        ("STATEMENT_SECONDS", "0"),
        ("LOG_FORMAT", "xml"),
        ("LOG_LEVEL", "loud"),
        ("ACCESS_LOG", "perhaps"),
        ("ALLOWED_HOSTS", "logs.example, http://logs.example"),
        ("ALLOWED_HOSTS", "logs.example:8080"),
        ("GATEWAY_URL", "localhost:8090/openai/v1"),
        ("GATEWAY_URL", "http:///openai/v1"),
        ("GATEWAY_URL", "http://localhost:8090/agentlog_x_y/openai/v1"),
        ("GATEWAY_URL", "http://localhost:99999/openai/v1"),
        ("GATEWAY_URL", "http://localhost:8090/openai/v1?key=k"),
    ],
)
def test_what_would_be_no_limit_is_refused(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(f"AGENTLOG_{name}", value)
    with pytest.raises(ValidationError):
        Settings()


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("AGENTLOG_READ_AUDITT", "AGENTLOG_READ_AUDIT"),
        ("AGENTLOG_PROT", "AGENTLOG_PORT"),
        ("agentlog_snapshotkey", "AGENTLOG_SNAPSHOT_KEY"),
        ("AGENTLOG_", "docs/reference/settings.md"),
        ("AGENTLOG_XYZZY", "docs/reference/settings.md"),
    ],
)
def test_a_setting_that_does_not_exist_is_refused_with_the_nearest(
    monkeypatch: pytest.MonkeyPatch, name: str, nearest: str
) -> None:
    monkeypatch.setenv(name, "on")
    with pytest.raises(UnknownSetting, match=f"{name} is no setting.* {nearest};"):
        Settings()


@pytest.mark.parametrize("name", sorted(_REMOVED))
def test_a_setting_that_was_removed_is_refused_and_told_from_a_slip(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv(f"AGENTLOG_{name}", "1")
    with pytest.raises(UnknownSetting, match=f"AGENTLOG_{name} is no setting: it was one until"):
        Settings()
    changelog = Path(__file__).parents[2] / "CHANGELOG.md"
    assert f"AGENTLOG_{name}`" in changelog.read_text("utf-8").partition("## 0.25.0")[0]


def test_settings_in_any_case_and_variables_of_our_tools_are_none_of_those(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("agentlog_port", "81")
    for name in ("AGENTLOG_URL", "AGENTLOG_TEST_DATABASE_URL", "AGENTLOG_POSTGRES_PASSWORD"):
        monkeypatch.setenv(name, "x")
    assert Settings().port == 81


@pytest.mark.parametrize("text", ["foo", "10.0.0.1/8", "127.0.0.1,proxy", "10.0.0.1 10.0.0.2"])
def test_trusted_proxies_that_are_no_addresses_are_refused(
    monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    monkeypatch.setenv("FORWARDED_ALLOW_IPS", text)
    with pytest.raises(ValidationError):
        Settings()


def test_trusted_proxies_are_addresses_networks_or_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORWARDED_ALLOW_IPS", "127.0.0.1, 10.0.0.0/8, fd00::/8, *")
    monkeypatch.setenv("AGENTLOG_ALLOWED_HOSTS", " Logs.example,agentlog,")
    assert Settings().hosts == {"logs.example", "agentlog"}


@pytest.mark.parametrize(
    ("header", "trusted"),
    [("X-User", ""), ("X-User", "*"), ("X-User", "10.0.0.1, *"), ("X User", "10.0.0.1")],
)
def test_a_header_for_users_needs_proxies_that_are_named(
    monkeypatch: pytest.MonkeyPatch, header: str, trusted: str
) -> None:
    monkeypatch.setenv("AGENTLOG_USER_HEADER", "X-User")
    monkeypatch.setenv("FORWARDED_ALLOW_IPS", "10.0.0.0/8, 127.0.0.1")
    assert Settings().user_header == "X-User"
    monkeypatch.setenv("AGENTLOG_USER_HEADER", header)
    monkeypatch.setenv("FORWARDED_ALLOW_IPS", trusted)
    with pytest.raises(ValidationError):
        Settings()
