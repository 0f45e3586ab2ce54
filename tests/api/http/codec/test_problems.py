"""Problems: every error has a status of its own kind, a type that is only its, and a title."""

import importlib
import pkgutil
import re
from collections import Counter
from collections.abc import Iterator

import pytest

import agentlog
from agentlog.api.http.codec.problems import headers_of, problem_of
from agentlog.api.http.codec.statuses import status_of
from agentlog.domain.errors import (
    AgentlogError,
    EmptyAppend,
    FutureMoment,
    InvalidMessage,
    NotThere,
    Refused,
    UnknownThread,
)
from agentlog.infrastructure.postgres.errors import DatabaseUnavailable

for _module in pkgutil.walk_packages(agentlog.__path__, "agentlog."):
    if _module.name != "agentlog.testing":  # names of an extension, which is there or not
        getattr(importlib.import_module(_module.name), "any", None)  # runs a lazy one


def _below(cls: type[AgentlogError]) -> Iterator[type[AgentlogError]]:
    for subclass in cls.__subclasses__():
        yield subclass
        yield from _below(subclass)


ERRORS = [cls for cls in _below(AgentlogError) if cls.__module__.split(".")[0] != "tests"]
AT_THE_START = {"UnknownSetting", "BrokenExtension"}
"""Those that end a command before it serves anything."""
OF_COMMANDS = (
    "agentlog.api.cli.",
    "agentlog.extensions.runs.api.",
    "agentlog.extensions.runs.infrastructure.exchanges.tool_calls",
    "agentlog.extensions.runs.infrastructure.providers.",
    "agentlog.extensions.runs.projections.tapes.",
    "agentlog.extensions.traces.api.collector",
)
"""Where errors are that only commands show, and what stands before providers and tools."""
OVER_HTTP = [
    cls
    for cls in ERRORS
    if not (cls.__module__.startswith(OF_COMMANDS) or cls.__name__ in AT_THE_START)
]


def _raised(cls: type[AgentlogError]) -> AgentlogError:
    """Return an error of that class; its own arguments do not matter here."""
    return cls.__new__(cls)


@pytest.mark.parametrize("cls", OVER_HTTP, ids=lambda cls: cls.__name__)
def test_every_error_has_a_status_that_is_no_defects(cls: type[AgentlogError]) -> None:
    assert 400 <= status_of(_raised(cls)) < 600
    assert status_of(_raised(cls)) != 500


def test_an_error_that_nobody_thought_of_is_a_defect() -> None:
    class Unforeseen(AgentlogError):
        pass

    assert status_of(Unforeseen()) == 500
    assert Unforeseen not in ERRORS


@pytest.mark.parametrize(("family", "status"), [(NotThere, 404), (Refused, 409)])
def test_an_error_that_is_added_to_a_family_inherits_its_status(
    family: type[AgentlogError], status: int
) -> None:
    later = type("Later", (family,), {"__module__": "tests.later"})
    assert status_of(later()) == status


def test_types_and_titles_are_each_ones_own() -> None:
    problems = [problem_of(AgentlogError.__new__(cls)) for cls in _plain()]
    for key in ("type", "title"):
        counts = Counter(problem[key] for problem in problems)
        assert [problem_type for problem_type, count in counts.items() if count > 1] == []
    assert all(re.fullmatch(r"urn:agentlog:problem:[a-z]+(-[a-z]+)*", p["type"]) for p in problems)
    assert all(problem["title"] and problem["title"][0].isupper() for problem in problems)


def _plain() -> list[type[AgentlogError]]:
    """The errors as classes of the same names and docstrings, which need no arguments."""
    return [
        type(cls.__name__, (AgentlogError,), {"__doc__": cls.__doc__, "__module__": "tests.plain"})
        for cls in ERRORS
    ]


def test_a_problem_says_what_where_and_the_way_out() -> None:
    problem = problem_of(InvalidMessage.at("messages[0].text", "missing"))
    assert problem == {
        "type": "urn:agentlog:problem:invalid-message",
        "title": "JSON, but not a message of the catalogue",
        "status": 422,
        "detail": "messages[0].text: missing",
        "errors": [{"place": "messages[0].text", "reason": "missing"}],
    }


@pytest.mark.parametrize(
    "error",
    [EmptyAppend(), UnknownThread("t"), FutureMoment("version 3", present="it is at version 2")],
)
def test_a_detail_is_the_errors_own_words(error: AgentlogError) -> None:
    assert problem_of(error)["detail"] == str(error)
    assert headers_of(error) == {}


def test_who_finds_no_database_is_told_when_to_ask_again() -> None:
    assert headers_of(DatabaseUnavailable("it sleeps")) == {"Retry-After": "1"}
