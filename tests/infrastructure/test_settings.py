"""Settings: bounded, and shown without passwords."""

import pytest
from pydantic import ValidationError

from api.composition import Service
from domain.json.text import MAX_DEPTH
from infrastructure.settings import Settings

SECRET = "hunter2"  # noqa: S105 - to be looked for


def test_no_password_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AGENTLOG_DATABASE_URL", "AGENTLOG_ANALYST_URL"):
        monkeypatch.setenv(name, f"postgresql://me:{SECRET}@host/db")
    settings = Settings()
    assert settings.database_url is not None
    assert SECRET in settings.database_url
    assert SECRET not in f"{settings!r} {settings}"
    assert [each.repr for each in Service.__dataclass_fields__.values() if each.name == "url"] == [
        False
    ]


def test_an_error_does_not_repeat_what_it_was_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGENTLOG_PORT", SECRET)
    with pytest.raises(ValidationError) as refused:
        Settings()
    assert SECRET not in str(refused.value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("MAX_BATCH_MESSAGES", "0"),
        ("MAX_JSON_DEPTH", "0"),
        ("MAX_JSON_DEPTH", str(MAX_DEPTH + 1)),
        ("MAX_HEADER_BYTES", "10"),
        ("CLIENT_SECONDS", "0"),
        ("CLIENT_SECONDS", "inf"),
        ("RATE_PER_SECOND", "-1"),
        ("RATE_PER_SECOND", "nan"),
        ("RATE_PER_SECOND", "inf"),
        ("RATE_BURST", "0"),
        ("MAX_STREAMS", "-1"),
        ("STATEMENT_SECONDS", "0"),
        ("LOCK_SECONDS", "0"),
        ("LOG_FORMAT", "xml"),
        ("LOG_LEVEL", "loud"),
        ("ACCESS_LOG", "perhaps"),
    ],
)
def test_what_would_be_no_limit_is_refused(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(f"AGENTLOG_{name}", value)
    with pytest.raises(ValidationError):
        Settings()
