"""What routes and errors say is printed, so that a review sees it change.

AGENTLOG_WRITE_DOCS=1 prints it.
"""

import os
from collections.abc import Callable, Iterable
from pathlib import Path

from agentlog.api.http.codec.problems import problem_of
from agentlog.domain.errors import AgentlogError
from tests.api.http.codec.test_problems import ERRORS
from tests.api.routes import ROUTES

REFERENCE = Path(__file__).parents[3] / "docs" / "reference" / "api.md"
WRITE = os.environ.get("AGENTLOG_WRITE_DOCS") == "1"

Chosen = Callable[[str], bool]
"""Tells by its module whether a route or error is printed."""


def of_extension(module: str) -> bool:
    """Return whether a module is of an extension."""
    return module.startswith("agentlog.extensions.")


def of_core(module: str) -> bool:
    """Return whether a module is of the core."""
    return not of_extension(module)


def problem_name(cls: type[AgentlogError]) -> tuple[int, str]:
    """Return the status of an error, and the name of its problem."""
    problem = problem_of(cls.__new__(cls))
    return int(str(problem["status"])), str(problem["type"]).rpartition(":")[2]


def check_routes(header: str, chosen: Chosen) -> None:
    """Compare the table under a header of the reference, or print it."""
    rows = [
        f"| `{route.name}` | {_code(route.scopes or [route.need])} | {_code(route.threads)} |"
        for route in ROUTES
        if chosen(route.endpoint.__module__)
    ]
    before, begin, rest = REFERENCE.read_text().partition(f"{header}\n|---|---|---|\n")
    assert begin
    after = "".join(rest.partition("\n\n")[1:])
    _check(REFERENCE, "".join([before, begin, "\n".join(rows), after]))


def _code(words: Iterable[str]) -> str:
    return ", ".join(f"`{word}`" for word in words)


def check_errors(path: Path, chosen: Chosen) -> None:
    """Compare the statuses of errors with those printed in a file, or print them."""
    names = sorted(problem_name(cls) for cls in ERRORS if chosen(cls.__module__))
    _check(path, "".join(f"{status} {name}\n" for status, name in names))


def _check(path: Path, text: str) -> None:
    if WRITE:
        path.write_text(text)
    assert path.read_text() == text, "run this test with AGENTLOG_WRITE_DOCS=1"
