"""Outlines as lines of text for a terminal."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from agentlog.projections.comparison.rows import visible
from agentlog.projections.outcomes.words import WordCounts
from agentlog.projections.outline.groups import Group
from agentlog.projections.outline.step import Called, Step

_LEAST_WIDTH = 40
_WIDTH_OF_FIGURES = 100
_MOST_CALLS = 4
_LONGEST_HINT = 32
"""Characters of arguments, in all hints of a line."""

_TIMES = "\u00d7"
_ORDINALS = {1: "st", 2: "nd", 3: "rd"}


def outline_lines(
    steps: Sequence[Step], groups: Sequence[Group] = (), *, width: int | None
) -> Iterator[str]:
    """Yield a line for each step, of at most `width` characters (40 or more); None cuts nothing.

    Step, version, time since the start, what happened and its marks, how long it took; tokens and
    cost where there is room. A group has a line before those of its steps, which are indented.
    """
    lines = [*_placed(steps, groups)]
    texts = [(visible("  " * depth + what), visible(marks)) for depth, what, marks, _ in lines]
    steps = [step for *_, step in lines]
    most = None if width is None else max(width, _LEAST_WIDTH)
    longest = max((len(what) + len(marks) for what, marks in texts), default=0)
    for step, (what, marks) in zip(steps, texts, strict=True):
        number = step.step or ""
        place = f"{number:<5} {'v' + str(step.version):>6} {duration_text(step.after_ms):>6}  "
        figures = f" {duration_text(step.elapsed_ms):>6}"
        if most is None or most >= _WIDTH_OF_FIGURES:
            cost = cost_text(step.cost_usd, is_computed=step.computed_calls > 0)
            figures += f" {_tokens(step):>15} {cost:>10}"
        room = longest + 1 if most is None else max(most - len(place) - len(figures), 0)
        text = _cut(what, max(room - len(marks), 0)).rstrip() + marks
        yield f"{place}{_cut(text, room):<{room}}{figures}"[:most].rstrip()


def _placed(steps: Sequence[Step], groups: Sequence[Group]) -> Iterator[tuple[int, str, str, Step]]:
    """Yield depth, text, marks and figures of each line."""
    around: list[Group] = []
    following = [*reversed(groups)]
    for step in [*steps, None]:
        while following and (step is None or following[-1].version <= step.version):
            group = following.pop()
            around = [outer for outer in around if outer.end_version >= group.version]
            about = f"{group.name}, {group.events} events to v{group.end_version}"
            words = ", ".join(words_counted(group.words))
            yield (
                group.depth,
                about,
                f" [{words}]" if words else "",
                replace(group.total, version=group.version),
            )
            around.append(group)
        if step is not None:
            around = [outer for outer in around if outer.end_version >= step.version]
            yield len(around) + step.depth, _what(step), _marks(step) + _others(step), step


def _what(step: Step) -> str:
    match step.kind:
        case "model" | "result":
            shown = step.calls[:_MOST_CALLS]
            done = [_call(called, _LONGEST_HINT // len(shown)) for called in shown]
            if len(step.calls) > _MOST_CALLS:
                done.append(f"{len(step.calls) - _MOST_CALLS} more")
            if step.replied:
                done.append("reply")
            head = "result without a call" if step.kind == "result" else step.name or "agent"
            text = f"{head}: {', '.join(done)}" if done else head
        case kind:
            text = kind if step.name is None else f"{kind} {step.name}"
    return text if step.times == 1 else f"{text} {_TIMES}{step.times}"


def _call(called: Called, most: int) -> str:
    """Return a call with at most so many characters of its argument."""
    words = " ".join((called.hint or "").split())
    hint = words if len(words) <= most else f"{words[: most - 1].rstrip()}…"
    text = f"{called.name} {hint}".rstrip()
    if called.times > 1:
        text += f" {_TIMES}{called.times}"
    notes = words_counted(WordCounts(called.failed, called.told))
    if called.attempt is not None and called.attempt > 1:
        notes.insert(0, f"{ordinal(called.attempt)} of {called.attempts}")
    return f"{text} ({', '.join(notes)})" if notes else text


def ordinal(number: int) -> str:
    """Return 1st, 2nd, 3rd, 4th, …, 11th."""
    is_teen = number // 10 % 10 == 1
    return f"{number}{'th' if is_teen else _ORDINALS.get(number % 10, 'th')}"


def _marks(step: Step) -> str:
    marks = [] if step.outcome in {None, "succeeded"} else [str(step.outcome)]
    if step.open:
        marks.append("open")
    marks += [f"{rule}?" for rule in step.suspected]
    return f" [{', '.join(marks)}]" if marks else ""


def _others(step: Step) -> str:
    others = ", ".join(f"{count} {kind}" for kind, count in step.others.items())
    return f" (+ {others})" if others else ""


def words_counted(words: WordCounts) -> list[str]:
    """Return how much failed, is told and is suspected; nothing of what is not there."""
    counts = {"failed": words.failures, "told": words.told, "suspected": words.suspected}
    return [f"{count:,} {word}" for word, count in counts.items() if count]


def duration_text(ms: float | None) -> str:
    """Return 4.2s, 1m35s, 2h05m or 5d; nothing where it was not measured."""
    if ms is None:
        return ""
    seconds = ms / 1000
    if seconds < 60:  # noqa: PLR2004 - of a minute
        return f"{seconds:.1f}s"
    minutes, seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours >= 100:  # noqa: PLR2004 - no more digits
        return f"{hours // 24}d"
    return f"{hours}h{minutes:02}m" if hours else f"{minutes}m{seconds:02}s"


def _tokens(step: Step) -> str:
    if step.input_tokens is None and step.output_tokens is None:
        return ""
    shown = (
        "?" if tokens is None else str(tokens) for tokens in (step.input_tokens, step.output_tokens)
    )
    return " → ".join(shown)


def cost_text(usd: float | None, *, is_computed: bool) -> str:
    """Return a cost, `~` before one that is computed; nothing where none is known."""
    return "" if usd is None else f"{'~' if is_computed else ''}${usd:.4f}"


def _cut(text: str, room: int) -> str:
    """Return a text that fits."""
    return text if len(text) < room else f"{text[: max(room - 2, 0)]}… "
