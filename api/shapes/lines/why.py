"""Why a run went as it went, as lines of text for a terminal."""

from collections.abc import Iterator

from agentlog.api.shapes.lines.outline import cost_text, duration_text, ordinal, words_counted
from agentlog.domain.json.text import print_text
from agentlog.projections.comparison.rows import visible
from agentlog.projections.outcomes.words import WordCounts
from agentlog.projections.why.calls import RunCall, beginning
from agentlog.projections.why.why import RunFailure, RunOutcome, Why

_LONGEST_IN_FAILURE = 60


def why_lines(why: Why) -> Iterator[str]:
    """Yield five lines: outcome, first failure, the call before it, effort and loops, last text.

    The line of a failure that is only told or suspected has that word as its name.
    """
    last = "nothing was said" if why.last is None else why.last.text
    yield labelled_line("outcome", why.outcome.version, _outcome(why))
    first = why.doubt if why.failure is None else why.failure
    name = "failure" if first is None or first.word == "failed" else first.word
    text = "none" if first is None else _failure(first)
    yield labelled_line(name, None if first is None else first.version, text)
    before = "none" if why.before is None else _call(why.before, LONGEST)
    label = "last call" if first is None else "before it"
    yield labelled_line(label, None if why.before is None else why.before.version, before)
    yield labelled_line("in all", None, _effort(why))
    yield labelled_line("last", None if why.last is None else why.last.version, last)


def _outcome(why: Why) -> str:
    scores = [f"{name} {print_text(value)}" for name, value in why.outcome.scores.items()]
    reasons = ", ".join([*scores, why.outcome.end or "no end on record"])
    return f"{why.outcome.verdict}{_basis(why.outcome)}: {reasons}"


def _basis(outcome: RunOutcome) -> str:
    match outcome.basis:
        case "judgement":
            return f" as {outcome.judged_by or 'someone'} judged"
        case "rule":
            return " by the rule"
        case "scores" | "exit":
            return ""


def _failure(failure: RunFailure) -> str:
    if failure.call is None:
        name = failure.kind if failure.name is None else f"{failure.kind} {failure.name}"
    else:
        name = _call(failure.call, _LONGEST_IN_FAILURE)
    rules = "".join(f" [{rule}?]" for rule in failure.rules)
    text = "" if failure.text is None else f": {failure.text}"
    return f"{name}{rules}{text}"


def _call(call: RunCall, most: int) -> str:
    arguments = beginning(" ".join((call.arguments or "").split()), most)
    text = f"{call.name} {arguments}".rstrip()
    attempt = call.attempt
    return text if attempt is None else f"{text} ({ordinal(attempt)} of {call.attempts})"


def _effort(why: Why) -> str:
    total = why.total
    parts = [
        counted(total.calls, "call"),
        *words_counted(WordCounts(why.failures, why.told, why.suspected)),
        duration_text(total.elapsed_ms),
        cost_text(total.cost_usd, is_computed=total.computed_calls > 0),
        _other_cost(why),
        *(
            f"{loop.name} {loop.times} times {'the same' if loop.equal else 'nearly the same'}"
            f" v{loop.version} to v{loop.last_version}"
            for loop in why.loops
        ),
    ]
    if why.loop_count > len(why.loops):
        parts.append(f"{why.loop_count - len(why.loops)} more loops")
    return ", ".join(filter(None, parts))


def _other_cost(why: Why) -> str:
    """Return the cost that stands against that of the run, where it states one of its own."""
    stated, of_calls = why.total.stated_cost_usd, why.total.calls_cost_usd
    if stated is None or of_calls is None or abs(stated - of_calls) < _LEAST_SHOWN:
        return ""
    if why.total.cost_usd == stated:
        return f"its model calls together ${of_calls:.4f}"
    return f"the run states ${stated:.4f}"


_LEAST_SHOWN = 0.00005
LONGEST = 200
"""Characters of the text of a line."""


def labelled_line(name: str, version: int | None, text: str) -> str:
    """Return a line: a name, the version to look at, and the beginning of a text."""
    shown = beginning(" ".join(text.split()), LONGEST)
    return visible(f"{name:<10}{'' if version is None else f'v{version}':>6}  {shown}".rstrip())


def counted(number: int, noun: str) -> str:
    """Return a number with its noun, as `1 call` and `2,000 calls`."""
    return f"{number:,} {noun}{'s' * (number != 1)}"
