"""Rules of retention: all that one says has to be so."""

from contextlib import suppress
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis.strategies import text
from pydantic import ValidationError

from agentlog.domain.json.values import JsonValue
from agentlog.domain.retention import InvalidRules, RetentionRule, age_of, parse_rules

NOW = datetime(2026, 6, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "age"),
    [("12h", timedelta(hours=12)), ("90d", timedelta(days=90)), ("4w", timedelta(weeks=4))],
)
def test_ages_are_read(text: str, age: timedelta) -> None:
    assert age_of(text) == age


@pytest.mark.parametrize(
    "text", ["", "90", "0d", "-1d", "1.5d", "90 d", "9999999d", "1y", "d", "1d "]
)
def test_what_is_no_age_is_refused(text: str) -> None:
    with pytest.raises(ValidationError):
        RetentionRule(older_than=text, reason="x")


def _covers(last: datetime, **asked: object) -> bool:
    rule = RetentionRule.model_validate({"older_than": "90d", "reason": "x", **asked})
    metadata: dict[str, JsonValue] = {"team": "a", "vip": True, "score": 1, "list": [1]}
    return rule.covers("support-1", "closed", metadata, last=last, now=NOW)


def test_a_thread_is_due_once_it_is_older() -> None:
    edge = NOW - timedelta(days=90)
    assert not _covers(edge)
    assert _covers(edge - timedelta(microseconds=1))


@pytest.mark.parametrize(
    ("asked", "covered"),
    [
        ({}, True),
        ({"status": "closed"}, True),
        ({"status": "open"}, False),
        ({"threads": "support-"}, True),
        ({"threads": "sales-"}, False),
        ({"metadata": {"team": "a"}}, True),
        ({"metadata": {"team": "a", "vip": True, "score": 1.0}}, True),
        ({"metadata": {"team": "b"}}, False),
        ({"metadata": {"vip": 1}}, False),
        ({"metadata": {"score": True}}, False),
        ({"metadata": {"none": "a"}}, False),
        ({"metadata": {"list": "a"}}, False),
    ],
)
def test_all_that_a_rule_says_has_to_be_so(asked: dict[str, object], *, covered: bool) -> None:
    assert _covers(NOW - timedelta(days=365), **asked) == covered


def test_no_age_is_longer_than_time_goes_back() -> None:
    assert not _covers(datetime(1, 1, 1, tzinfo=UTC), older_than="999999w")


def test_rules_are_toml_or_json() -> None:
    toml = '[[rules]]\nolder_than = "90d"\nreason = "x"\nmetadata = {team = "a"}\n'
    json = ' {"rules": [{"older_than": "90d", "reason": "x", "metadata": {"team": "a"}}]}'
    assert parse_rules(toml) == parse_rules(json)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "90d",
        "{",
        "[]",
        '{"rules": 1}',
        '{"rules": [], "rules": []}',
        "a = " + "[" * 30_000,
        '{"a": ' + "[" * 30_000,
        "a" * 2**17,
        "[[rules]]\nolder_than = 2020-01-01\nreason = 'x'",
        "[[rules]]\nolder_than = '1d'\nreason = 'x'\n" * 101,
        "\ud800",
    ],
)
def test_what_says_no_rules_is_refused(text: str) -> None:
    with pytest.raises(InvalidRules, match="rules are TOML or JSON"):
        parse_rules(text)


@given(text())
def test_any_text_has_rules_or_is_refused(given_text: str) -> None:
    with suppress(InvalidRules):
        parse_rules(given_text)
