"""Routes and errors of extensions are printed, problems of all named: see `api/http/printed.py`."""

import re
from pathlib import Path

from tests.api.http.codec.test_problems import ERRORS, OVER_HTTP
from tests.api.http.printed import (
    REFERENCE,
    check_errors,
    check_routes,
    of_extension,
    problem_name,
)

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


def test_the_reference_has_every_route_of_an_extension() -> None:
    check_routes("| route of an extension | scope | names threads by |", of_extension)


def test_the_status_of_every_error_of_an_extension_is_printed() -> None:
    check_errors(Path(__file__).parent / "errors.txt", of_extension)


def test_the_reference_names_the_problems_of_every_status() -> None:
    section = REFERENCE.read_text().partition("## Problems")[2]
    listed = {
        (int(status), name)
        for status, names in re.findall(r"^- (\d+): (.+(?:\n  .+)*)", section, re.MULTILINE)
        for name in re.findall(r"`([a-z-]+)`", names)
    }
    of_their_own = {problem_name(cls) for cls in OVER_HTTP if "kind" in vars(cls)}
    assert {(status, name) for status, name in of_their_own if name not in FAMILIES} <= listed
    assert listed <= {problem_name(cls) for cls in ERRORS} | NO_ERRORS
