"""The outcome of a run: as it was judged, else by a rule, its scores, or how it ended."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlog.projections.filters.grammar import parse_filter
from agentlog.projections.outcomes.outcome import Judgement, Outcome, judgement_of, outcome_of
from tests.histories import json_values


@pytest.mark.parametrize(
    ("metadata", "verdict"),
    [
        ({"reward": 0.0}, "failed"),
        ({"reward": 1.0, "task": 46}, "succeeded"),
        ({"reward": 0.5}, "unknown"),
        ({"reward": -1}, "failed"),
        ({"resolved": False}, "failed"),
        ({"success": True}, "succeeded"),
        ({"score.match": "C"}, "succeeded"),
        ({"score.match": "I"}, "failed"),
        ({"score.match": "P"}, "unknown"),
        ({"score.a": 1, "score.b": True}, "succeeded"),
        ({"score.a": 1, "score.b": 0}, "unknown"),
    ],
)
def test_a_score_decides_whatever_the_end(metadata: dict[str, Any], verdict: str) -> None:
    assert outcome_of(metadata, "complete").verdict == verdict
    assert outcome_of(metadata, None).verdict == verdict


@pytest.mark.parametrize(
    ("end", "verdict"),
    [
        ("complete", "succeeded"),
        ("error", "failed"),
        ("step_limit", "failed"),
        ("user_request", "unknown"),
        ("closed", "unknown"),
        (None, "unknown"),
    ],
)
def test_without_a_score_the_end_decides(end: str | None, verdict: str) -> None:
    metadata = {"scores": 0, "user": "ada", "reward": None, "score": {"value": 0}}
    assert outcome_of(metadata, end) == Outcome(verdict, {}, end)


def test_the_scores_that_decide_are_named() -> None:
    outcome = outcome_of({"task": 46, "score.match": "I", "reward": 0}, "complete")
    assert outcome == Outcome("failed", {"score.match": "I", "reward": 0}, "complete", "scores")


@pytest.mark.parametrize(
    ("word", "score", "verdict"),
    [
        ("pass", None, "succeeded"),
        ("Fail", 1, "failed"),
        ("flaky", 0, "failed"),
        (None, 1.0, "succeeded"),
        (None, 0.2, None),
        ("flaky", None, None),
    ],
)
def test_a_judgement_goes_by_its_word_or_else_its_score(
    word: str | None, score: float | None, verdict: str | None
) -> None:
    judged = judgement_of(word, score, "sam")
    assert (judged and judged.verdict) == verdict


def test_a_judgement_goes_before_rule_scores_and_end() -> None:
    rule = parse_filter("metadata.reward>=1", "success")
    judged = Judgement("succeeded", "sam")
    outcome = outcome_of({"reward": 0}, "error", rule, judged=judged)
    assert outcome == Outcome("succeeded", {"reward": 0}, "error", "judgement", "sam")
    assert outcome_of({"reward": 0}, "complete", rule).basis == "rule"


@given(st.dictionaries(st.sampled_from(["reward", "score", "score.x", "y"]), json_values))
def test_no_metadata_is_too_odd(metadata: dict[str, Any]) -> None:
    outcome_of(metadata, None)
