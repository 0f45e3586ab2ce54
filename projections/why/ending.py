"""How a run ended: what it came to, what says so, and a text that it ended with."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from agentlog.domain.events import Event
from agentlog.domain.facts import Start, ThreadAnnotated, ThreadClosed
from agentlog.domain.json.values import JsonValue
from agentlog.domain.messages import ExitMessage
from agentlog.projections.filters.expression import Expression, terms_in
from agentlog.projections.filters.success import last_message
from agentlog.projections.filters.terms import METADATA
from agentlog.projections.outcome import Outcome, outcome_of
from agentlog.projections.readmodels.grounds import Grounds
from agentlog.projections.readmodels.values import held
from agentlog.projections.why.calls import beginning

ENDING_TYPES = ("thread.started", "thread.forked", "thread.annotated", "exit", "thread.closed")
"""Types of the events that say what a run came to, beside those that a rule asks for."""

LONGEST_TEXT = 600


@dataclass(frozen=True, slots=True)
class LastText:
    """What was said last: a reply, or where there is none what the run ended with."""

    version: int
    text: str


@dataclass(frozen=True, slots=True)
class Ending:
    """How a run ended; `version` is that of what says its outcome."""

    outcome: Outcome
    version: int | None
    last: LastText | None


def ending_of(
    events: Iterable[Event],
    rule: Expression | None = None,
    last: Mapping[str, Event] | None = None,
) -> Ending:
    """Return how a run ended, by its events of `ENDING_TYPES` and the tenant's rule of success.

    `last` has the last event of each type that the rule asks for.
    """
    grounds = Grounds()
    ended: int | None = None
    set_at: dict[str, int] = {}
    text: LastText | None = None
    known = last or {}
    for event in events:
        match event.message:
            case Start(metadata=metadata) | ThreadAnnotated(metadata=metadata):
                set_at |= dict.fromkeys(map(held, metadata), event.version)
            case ExitMessage(message=words) if grounds.end is None:
                ended, text = event.version, _text(event, words)
            case ThreadClosed(reason=words):
                ended, text = ended or event.version, text or _text(event, words)
            case _:
                pass
        grounds = grounds.after(event.message)

    def last_of(message_type: str) -> JsonValue:
        event = known.get(message_type)
        return None if event is None else event.raw

    outcome = outcome_of(grounds.metadata, grounds.end, rule, last_of)
    match outcome.basis:
        case "scores":
            versions = [set_at[name] for name in outcome.scores]
        case "exit":
            versions = [] if ended is None else [ended]
        case "rule":
            versions = list(_rule_versions(rule, set_at, ended, known))
    return Ending(outcome, max(versions, default=None), text)


def _rule_versions(
    rule: Expression | None,
    set_at: Mapping[str, int],
    ended: int | None,
    last: Mapping[str, Event],
) -> Iterator[int]:
    """Yield the versions of what a rule asks for, as far as it is there."""
    for term in () if rule is None else terms_in(rule):
        match term.name:
            case "exit":
                version = ended
            case name if name == METADATA:
                version = set_at.get(term.key or "")
            case _:
                event = last.get(last_message(term)[0])
                version = None if event is None else event.version
        if version is not None:
            yield version


def _text(event: Event, words: str | None) -> LastText | None:
    return LastText(event.version, beginning(words, LONGEST_TEXT)) if words else None
