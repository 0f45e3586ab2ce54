"""How a run ended: what it came to, what says so, and a text that it ended with."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from agentlog.domain.events import Event
from agentlog.domain.facts import Start, ThreadAnnotated, ThreadClosed, ThreadJudged
from agentlog.domain.json.answers import answer
from agentlog.domain.json.values import JsonValue
from agentlog.domain.messages import ExitMessage
from agentlog.projections.filters.expression import Expression, terms_in
from agentlog.projections.filters.success import last_message
from agentlog.projections.filters.terms import METADATA, PATH
from agentlog.projections.outcomes.outcome import Outcome, outcome_of
from agentlog.projections.readmodels.suspicions import Grounds
from agentlog.projections.readmodels.thread_sums import Stated, stated_in
from agentlog.projections.values import held
from agentlog.projections.why.calls import beginning

ENDING_TYPES = (
    "thread.started",
    "thread.forked",
    "thread.annotated",
    "exit",
    "thread.closed",
    "thread.judged",
)
"""Types of the events that say what a run came to, beside those that a rule asks for."""

LONGEST_TEXT = 600


@answer
@dataclass(frozen=True, slots=True)
class LastText:
    """What was said last: a reply, or where there is none what the run ended with."""

    version: int
    text: str


@dataclass(frozen=True, slots=True)
class Ending:
    """How a run ended; `version` is that of what says its outcome.

    `stated` are figures of the whole run that its metadata states.
    """

    outcome: Outcome
    version: int | None
    last: LastText | None
    stated: Stated | None = None


_Place = tuple[str, str]
"""What says an outcome: its kind, and of metadata the key, of a message (`$`) the type."""


def ending_of(
    events: Sequence[Event],
    rule: Expression | None = None,
    last: Mapping[str, Event] | None = None,
) -> Ending:
    """Return how a run ended, by its events of `ENDING_TYPES` and the tenant's rule of success.

    `last` has the last event of each type that the rule asks for.
    """
    grounds = Grounds()
    known = last or {}
    versions: dict[_Place, int] = {("$", name): event.version for name, event in known.items()}
    for event in events:
        versions |= dict.fromkeys(_outcomes_in(event, grounds), event.version)
        grounds = grounds.after(event)

    def last_of(message_type: str) -> JsonValue:
        event = known.get(message_type)
        return None if event is None else event.raw

    outcome = outcome_of(grounds.metadata, grounds.end, rule, last_of, grounds.judged)
    places = [versions[place] for place in _decisive(outcome, rule) if place in versions]
    stated = stated_in(grounds.metadata)
    return Ending(outcome, max(places, default=None), _text(events), stated)


def _outcomes_in(event: Event, before: Grounds) -> Iterator[_Place]:
    """Yield what an event says of the outcome."""
    match event.message:
        case Start(metadata=metadata) | ThreadAnnotated(metadata=metadata):
            for key in metadata:
                yield METADATA, held(key)
        case ExitMessage() | ThreadClosed() if before.end is None:
            yield "exit", ""
        case ThreadJudged(criterion=None, on=None):
            yield "judgement", ""
        case _:
            pass


def _decisive(outcome: Outcome, rule: Expression | None) -> Iterator[_Place]:
    """Yield what an outcome goes by."""
    match outcome.basis:
        case "scores":
            for name in outcome.scores:
                yield METADATA, name
        case "rule" if rule is not None:
            for term in terms_in(rule):
                is_path = term.name == PATH
                yield term.name, last_message(term)[0] if is_path else term.key or ""
        case basis:
            yield basis, ""


def _text(events: Iterable[Event]) -> LastText | None:
    """Return the first text that an end has."""
    for event in events:
        match event.message:
            case ExitMessage(message=str(text)) | ThreadClosed(reason=str(text)) if text:
                return LastText(event.version, beginning(text, LONGEST_TEXT))
            case _:
                pass
    return None
