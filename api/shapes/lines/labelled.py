"""A line of text with a name and a version before it."""

from agentlog.projections.comparison.rows import visible
from agentlog.projections.why.calls import beginning

LONGEST = 200
"""Characters of the text of a line."""


def labelled_line(name: str, version: int | None, text: str) -> str:
    """Return a line: a name, the version to look at, and the beginning of a text."""
    shown = beginning(" ".join(text.split()), LONGEST)
    return visible(f"{name:<10}{'' if version is None else f'v{version}':>6}  {shown}".rstrip())


def counted(number: int, noun: str) -> str:
    """Return a number with its noun, as `1 call` and `2,000 calls`."""
    return f"{number:,} {noun}{'s' * (number != 1)}"
