"""What is refused of a source, and the options with which it is imported."""

from collections.abc import Mapping
from dataclasses import dataclass
from shlex import quote

from typing_extensions import override

from agentlog.domain.errors import InvalidInput


@dataclass(frozen=True, slots=True)
class Remedy:
    """Options with which `agentlog import` takes what it refused, `alone` without other files."""

    options: Mapping[str, str]
    alone: bool = False

    @override
    def __str__(self) -> str:
        """Return what to do."""
        options = " ".join(f"--{name} {quote(value)}" for name, value in self.options.items())
        return f"import {'this file by itself ' if self.alone else ''}with {options}"


class RefusedSource(InvalidInput):
    """A file or record that is not imported as it is; `remedy` is None where none is known."""

    def __init__(self, reason: str, remedy: Remedy | None) -> None:
        way_out = "`agentlog formats` lists those that are read" if remedy is None else remedy
        super().__init__(f"{reason}: {way_out}")
        self.remedy = remedy
