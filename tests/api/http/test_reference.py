"""What routes and errors say is printed, so that a review sees it change: AGENTLOG_WRITE_DOCS=1.

Routes are printed into the reference, errors beside this test; those of extensions into neither.
"""

import os
import re
from pathlib import Path

from agentlog.api.http.codec.problems import problem_of
from agentlog.domain.errors import AgentlogError
from tests.api.http.codec.test_problems import ERRORS, OVER_HTTP
from tests.api.routes import ROUTES, route_rows

REFERENCE = Path(__file__).parents[3] / "docs" / "reference" / "api.md"
PRINTED_ERRORS = Path(__file__).parent / "errors.txt"
WRITE = os.environ.get("AGENTLOG_WRITE_DOCS") == "1"
EXTENSIONS = "agentlog.extensions."

FAMILIES = {"cognitive-error", "embedded-server-error", "invalid-input", "migration-error"} | {
    "not-there",
    "refused",
    "refused-request",
}
"""Problems that occur only as one of those below them."""
NO_ERRORS = {
    (400, "invalid-body-framing"),
    (400, "invalid-host"),
    (400, "not-http"),
    (404, "no-such-route"),
    (422, "invalid-request"),
}
"""Problems that are no errors of ours."""


def check_printed(path: Path, text: str) -> None:
    """Compare a file with its text, or write it."""
    if WRITE:
        path.write_text(text)
    assert path.read_text() == text, "run this test with AGENTLOG_WRITE_DOCS=1"


def test_the_reference_has_every_route_with_its_scope_and_the_threads_that_it_names() -> None:
    core = [route for route in ROUTES if not route.endpoint.__module__.startswith(EXTENSIONS)]
    before, begin, rest = REFERENCE.read_text().partition("| route | scope | names threads by |\n")
    assert begin
    after = rest.partition("\n\n")[2]
    check_printed(REFERENCE, f"{before}{begin}|---|---|---|\n{route_rows(core)}\n{after}")


def _name(cls: type[AgentlogError]) -> tuple[int, str]:
    """Return the status of an error, and the name of its problem."""
    problem = problem_of(cls.__new__(cls))
    return int(str(problem["status"])), str(problem["type"]).rpartition(":")[2]


def test_the_status_of_every_error_is_printed() -> None:
    core = [cls for cls in ERRORS if not cls.__module__.startswith(EXTENSIONS)]
    lines = sorted(f"{status} {name}" for status, name in map(_name, core))
    check_printed(PRINTED_ERRORS, "\n".join(lines) + "\n")


def test_the_reference_names_the_problems_of_every_status() -> None:
    section = REFERENCE.read_text().partition("## Problems")[2]
    listed = {
        (int(status), name)
        for status, names in re.findall(r"^- (\d+): (.+(?:\n  .+)*)", section, re.MULTILINE)
        for name in re.findall(r"`([a-z-]+)`", names)
    }
    of_their_own = {_name(cls) for cls in OVER_HTTP if "kind" in vars(cls)}
    assert {(status, name) for status, name in of_their_own if name not in FAMILIES} <= listed
    assert listed <= {_name(cls) for cls in ERRORS} | NO_ERRORS
