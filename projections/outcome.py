"""Outcome of a run: whether it succeeded, by its scores, or else by how it ended."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from agentlog.domain.json.values import JsonValue

Verdict = Literal["succeeded", "failed", "unknown"]

_SCORES = ("reward", "score", "resolved", "success", "passed", "correct")
_SCORE = "score."
_LETTERS: Mapping[str, Verdict] = {"C": "succeeded", "I": "failed"}  # as inspect_ai grades
_ENDS: Mapping[str, Verdict] = {"complete": "succeeded", "error": "failed", "step_limit": "failed"}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run came to.

    `scores` are the values of its metadata that say so, by name; `end` is the reason of its exit,
    `closed` where it was closed without one, None while it is open.
    """

    verdict: Verdict
    scores: Mapping[str, JsonValue] = field(default_factory=dict)
    end: str | None = None


def outcome_of(metadata: Mapping[str, JsonValue], end: str | None) -> Outcome:
    """Return the outcome of a run by its metadata and how it ended.

    A score in its metadata (`reward`, `score`, `resolved`, `success`, `passed`, `correct`, or any
    `score.NAME`) decides: true, 1 or more and `C` are a success; false, 0 or less and `I` a
    failure. The verdict is unknown where scores differ, or one is neither. Without a score the exit
    decides: `complete` is a success, `error` and `step_limit` are failures.
    """
    scores = {key: value for key, value in metadata.items() if _is_score(key, value)}
    if not scores:
        return Outcome(_ENDS.get(end or "", "unknown"), scores, end)
    verdicts = {_verdict(value) for value in scores.values()}
    return Outcome(verdicts.pop() if len(verdicts) == 1 else "unknown", scores, end)


def _is_score(key: str, value: JsonValue) -> bool:
    is_named = key in _SCORES or key.startswith(_SCORE)
    return is_named and isinstance(value, bool | int | float | str)


def _verdict(value: JsonValue) -> Verdict:
    if isinstance(value, str):
        return _LETTERS.get(value, "unknown")
    if isinstance(value, int | float) and (value >= 1 or value <= 0):
        return "succeeded" if value >= 1 else "failed"
    return "unknown"
