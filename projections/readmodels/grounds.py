"""What decides the outcome of a run: its metadata, why it ended, and how it was judged."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from agentlog.domain.events import Event
from agentlog.domain.facts import Start, ThreadAnnotated, ThreadClosed, ThreadJudged
from agentlog.domain.json.text import print_text
from agentlog.domain.json.values import JsonValue
from agentlog.domain.messages import ExitMessage
from agentlog.projections.outcomes.outcome import Judgement, ThreadOutcome, judgement_of
from agentlog.projections.values import count_held, figure_held, held, shown, text_in

GROUNDS = (Start, ThreadAnnotated, ExitMessage, ThreadClosed, ThreadJudged)
"""The messages that change it."""


@dataclass(frozen=True, slots=True)
class Grounds:
    """What decides an outcome.

    `metadata` has the texts, numbers and booleans, adapted to a column. `end` is why the run
    exited, `closed` where it was closed before that, None while it is open. `judged` is the last
    judgement of the run as a whole: by no criterion.
    """

    metadata: Mapping[str, JsonValue] = field(default_factory=dict)
    end: ThreadOutcome | None = None
    judged: Judgement | None = None

    def after(self, event: Event) -> "Grounds":
        """Return what decides after an event: the first end counts."""
        match event.message:
            case Start(metadata=metadata):
                return replace(self, metadata=_with({}, metadata))
            case ThreadAnnotated(metadata=metadata):
                return replace(self, metadata=_with(self.metadata, metadata))
            case ExitMessage(reason=reason):
                return replace(self, end=self.end or reason)
            case ThreadClosed():
                return replace(self, end=self.end or "closed")
            case ThreadJudged(criterion=None, on=None, verdict=word, score=number):
                judged = judgement_of(held(word), number, text_in(event.metadata, "actor"))
                return replace(self, judged=judged)
            case _:
                return self


def _with(
    metadata: Mapping[str, JsonValue], added: Mapping[str, JsonValue]
) -> Mapping[str, JsonValue]:
    """Return metadata with additions: a null, list or object removes its key."""
    kept = {**metadata}
    for key, value in added.items():
        name = held(key)
        match value:
            case str():
                kept[name] = shown(held(value))
            case bool():
                kept[name] = value
            case int() | float():
                kept[name] = _number(value)
            case _:
                kept.pop(name, None)
    return kept


def _number(value: float) -> float | str:
    """Return a number of metadata, as a text where other JSON readers could not parse it."""
    figure = count_held(value) if isinstance(value, int) else figure_held(value)
    return shown(print_text(value)) if figure is None else figure
