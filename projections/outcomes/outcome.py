"""Outcome of a run: whether it succeeded, as it was judged, else by a rule, scores or its end."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from agentlog.domain.json.values import JsonValue
from agentlog.projections.filters.expression import Expression
from agentlog.projections.filters.success import LastMessage, verdict_of

ThreadOutcome = Literal["complete", "step_limit", "user_request", "error", "closed"]
ThreadVerdict = Literal["succeeded", "failed"]
Verdict = Literal["succeeded", "failed", "unknown"]
Basis = Literal["judgement", "rule", "scores", "exit"]

_SCORES = ("reward", "score", "resolved", "success", "passed", "correct")
_SCORE = "score."
_LETTERS: Mapping[str, Verdict] = {"C": "succeeded", "I": "failed"}  # as inspect_ai grades
_WORDS: Mapping[str, ThreadVerdict] = {
    **dict.fromkeys(("pass", "passed", "succeeded", "success", "correct"), "succeeded"),
    **dict.fromkeys(("fail", "failed", "failure", "incorrect", "wrong"), "failed"),
}
_ENDS: Mapping[str, Verdict] = {"complete": "succeeded", "error": "failed", "step_limit": "failed"}


@dataclass(frozen=True, slots=True)
class Judgement:
    """What someone judged a run as a whole to be; `by` is who, where they named themselves."""

    verdict: ThreadVerdict
    by: str | None = None


def judgement_of(word: str | None, score: float | None, by: str | None) -> Judgement | None:
    """Return what a judgement without criterion says of a run: by its word, else by its score."""
    verdict = _WORDS.get((word or "").casefold()) or _verdict(score)
    return None if verdict == "unknown" else Judgement(verdict, by)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run came to.

    `scores` are the values of its metadata that are scores, by name; `end` is the reason of its
    exit, `closed` where it was closed without one, None while it is open. `basis` is what decides;
    `judged_by` is who judged it, where that is a judgement and they named themselves.
    """

    verdict: Verdict
    scores: Mapping[str, JsonValue] = field(default_factory=dict)
    end: str | None = None
    basis: Basis = "exit"
    judged_by: str | None = None


def outcome_of(
    metadata: Mapping[str, JsonValue],
    end: str | None,
    rule: Expression | None = None,
    last: LastMessage = lambda _: None,
    judged: Judgement | None = None,
) -> Outcome:
    """Return the outcome of a run by its metadata and how it ended.

    A judgement of the run as a whole goes before all else. Then a tenant's `rule` decides where
    there is one, which may ask for the last message of a type. Without it a score in the metadata
    does (`reward`, `score`, `resolved`, `success`, `passed`, `correct`, or any `score.NAME`): true,
    1 or more and `C` are a success; false, 0 or less and `I` a failure. The verdict is unknown
    where scores differ, or one is neither. Without a score the exit decides: `complete` is a
    success, `error` and `step_limit` are failures.
    """
    scores = {key: value for key, value in metadata.items() if _is_score(key, value)}
    if judged is not None:
        return Outcome(judged.verdict, scores, end, "judgement", judged.by)
    if rule is not None:
        return Outcome(verdict_of(rule, metadata, end, last), scores, end, "rule")
    if not scores:
        return Outcome(_ENDS.get(end or "", "unknown"), scores, end)
    verdicts = {_verdict(value) for value in scores.values()}
    verdict = verdicts.pop() if len(verdicts) == 1 else "unknown"
    return Outcome(verdict, scores, end, "scores")


def _is_score(key: str, value: JsonValue) -> bool:
    is_named = key in _SCORES or key.startswith(_SCORE)
    return is_named and isinstance(value, bool | int | float | str)


def _verdict(value: JsonValue) -> Verdict:
    if isinstance(value, str):
        return _LETTERS.get(value, "unknown")
    if isinstance(value, int | float) and (value >= 1 or value <= 0):
        return "succeeded" if value >= 1 else "failed"
    return "unknown"
