"""The three words for what is known of a failure, and their counts.

- *failed*: an outcome on record. A result, a worker or the runtime has an error; a run exited with
  one.
- *told*: nothing on record says whether a call failed, but its result says so itself, by its first
  words or a field: `Error: no such user`, `{"status": "failed"}`.
- *suspected*: a rule of `suspicion` finds a sign.

An item of view `timeline` has one word, the strongest. Lists, `why`, outlines, reports and the page
count these.
"""

from dataclasses import dataclass
from typing import Literal

from agentlog.domain.json.values import array_of
from agentlog.projections.outcomes.suspicion import RESULT_RULES
from agentlog.projections.view import Item

Word = Literal["failed", "told", "suspected"]
WORDS: tuple[Word, ...] = ("failed", "told", "suspected")
"""The words, the strongest first."""


def word_of(item: Item) -> Word | None:
    """Return the word for an item; None where nothing says that it failed.

    Of a model call that failed the error is an item of its own, which has the word.
    """
    kind, outcome = item["kind"], item.get("outcome")
    match outcome:
        case "error" if kind == "exit":
            return "failed"
        case "failed":
            return None if kind == "model" else "failed"
        case "told":
            return "told"
        case _:
            return "suspected" if item.get("suspected") else None


def may_have_failed(item: Item) -> bool:
    """Return whether a call failed: on record, as told, or as a rule over its result suspects."""
    rules = array_of(item.get("suspected"))
    return item.get("outcome") in {"failed", "told"} or any(rule in RESULT_RULES for rule in rules)


def worse(outcome: str | None, other: str | None) -> str | None:
    """Return the outcome of what has two: failed, else told, else the first."""
    return next((word for word in ("failed", "told") if word in (outcome, other)), outcome)


@dataclass(slots=True)
class WordCounts:
    """How many items have each word."""

    failures: int = 0
    told: int = 0
    suspected: int = 0

    def count(self, item: Item) -> Word | None:
        """Count an item in, and return its word."""
        word = word_of(item)
        self.failures += word == "failed"
        self.told += word == "told"
        self.suspected += word == "suspected"
        return word

    def add(self, other: "WordCounts") -> None:
        """Count in what others counted."""
        self.failures += other.failures
        self.told += other.told
        self.suspected += other.suspected
