"""The terms of filters: their names, what each compares, and where it stands."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from agentlog.domain.threads import Status

Kind = Literal["flag", "name", "quantity", "duration", "words", "scalar"]
"""What a term compares: nothing, a name, a figure, milliseconds, a text, or any scalar of JSON."""

Place = Literal["list", "thread", "message", "log", "report", "success"]
"""Where a filter stands; `PLACES` says what it is of."""

PLACES: Mapping[Place, str] = {
    "list": "lists of threads",
    "thread": "messages of a thread",
    "message": "searches for messages",
    "log": "streams of the log",
    "report": "rows of some reports",
    "success": "the rule of success",
}

METADATA, PATH, WORDS = "metadata", "$", "words"


@dataclass(frozen=True, slots=True)
class TermKind:
    """A term; `values` are all that it takes, where they are few.

    `comment` says what matches, of a thread or of an event.
    """

    name: str
    kind: Kind
    places: frozenset[Place]
    comment: str
    values: tuple[str, ...] = ()


def _kind(name: str, kind: Kind, places: str, comment: str, *values: str) -> TermKind:
    by_letter: Mapping[str, Place] = {
        "l": "list",
        "t": "thread",
        "m": "message",
        "e": "log",
        "r": "report",
        "o": "success",
    }
    of = frozenset(by_letter[letter] for letter in places)
    return TermKind(name, kind, of, comment, values)


TERMS: Mapping[str, TermKind] = {
    term.name: term
    for term in (
        _kind(WORDS, "words", "lt", "words, in goal or id of a thread, in a message"),
        _kind("text", "words", "t", 'the same, as text:refund or text:"a phrase"'),
        _kind("type", "name", "tme", "type of a message"),
        _kind("role", "name", "m", "who says it", "system", "user", "assistant", "tool"),
        _kind("tool", "name", "ltmr", "tool that was called, or the command in a shell"),
        _kind("rule", "name", "ltr", "rule of suspicion that was met"),
        _kind("worker", "name", "t", "id of a worker"),
        _kind("thread", "name", "ler", "id of a thread"),
        _kind("parent", "name", "lr", "id of the parent thread"),
        _kind("status", "name", "lr", "status of a thread", *get_args(Status)),
        _kind("label", "name", "lr", "label of a thread"),
        _kind("judged", "name", "lr", "judgement of a thread, as judged:fail or judged:tone:fail"),
        _kind("exit", "name", "lo", "reason of the exit"),
        _kind("failed", "flag", "lt", "a thread whose verdict is failed; a call that failed"),
        _kind("succeeded", "flag", "lt", "the same, succeeded"),
        _kind("told", "flag", "lt", "a result whose own words alone tell of a failure"),
        _kind("suspected", "flag", "lt", "something that only a rule suspects"),
        _kind("has", "name", "l", "something failed, or is told to have", "error"),
        _kind("pending", "flag", "l", "an approval is waited for"),
        _kind("open", "flag", "lt", "a thread that has not ended; a call without a result"),
        _kind("took", "duration", "lt", "how long a thread or call took, as took>5s"),
        _kind("tokens", "quantity", "lt", "tokens in all, as tokens>10k"),
        _kind("cost", "quantity", "lt", "US dollars"),
        _kind("score", "quantity", "l", "score of a thread"),
        _kind("steps", "quantity", "l", "steps of a thread"),
        _kind("calls", "quantity", "l", "tool calls of a thread"),
        _kind("failures", "quantity", "l", "what failed in a thread, on record"),
        _kind("errors", "quantity", "l", "failures, and results that tell of one"),
        _kind("loops", "quantity", "l", "calls of a thread that repeat earlier ones"),
        _kind("anomalies", "quantity", "l", "broken rules of a thread"),
        _kind("version", "quantity", "t", "place in the thread"),
        _kind("action", "name", "r", "tool that was called, of a shell the command"),
        _kind("command", "name", "r", "first word of a shell's command"),
        _kind("outcome", "name", "r", "what came of a call, approval, worker or thread"),
        _kind("error_class", "name", "r", "kind of a tool's error"),
        _kind("error_code", "name", "r", "code of a worker's error"),
        _kind("model", "name", "r", "model that was called"),
        _kind("provider", "name", "r", "who served the model"),
        _kind("finish_reason", "name", "r", "why a model stopped"),
        _kind("actor", "name", "r", "who answered"),
        _kind("verdict", "name", "r", "verdict on a thread, or unknown"),
        _kind("policy", "name", "r", "policy of a thread"),
        _kind(METADATA, "scalar", "lero", "a value of metadata, as metadata.team:red"),
        _kind(PATH, "scalar", "tmo", "a JSONPath into a message, as $.args.amount>1000"),
    )
}
"""All terms by name."""


def terms_of(place: Place) -> Mapping[str, TermKind]:
    """Return the terms of a place."""
    return {name: term for name, term in TERMS.items() if place in term.places}


def shown(term: TermKind) -> str:
    """Return how a term is written."""
    match term.kind:
        case "flag":
            return term.name
        case "words":
            return "words" if term.name == WORDS else f'{term.name}:"…"'
        case "quantity" | "duration":
            return f"{term.name}>"
        case "name":
            return f"{term.name}:{'|'.join(term.values)}"
        case "scalar":
            return "metadata.KEY:" if term.name == METADATA else "$.PATH"
