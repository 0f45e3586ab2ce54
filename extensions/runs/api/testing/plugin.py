"""A plugin of pytest: tests of agents whose models answer as in a recorded run.

pytest loads it wherever agentlog is installed: what a marked test needs is imported by that test.
"""

import os
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import pytest

_MARKER = (
    "agentlog(source, *, tools='strict', allow_unused=False): answer the test's models from a "
    "cassette beside it, or from the thread with this id"
)
_RECORD = "--agentlog-record"


@dataclass(slots=True)
class _Case:
    """A test with the run that its fixture began, an `AgentRun`."""

    agent: Any
    allow_unused: bool
    passed: bool = False


_CASE = pytest.StashKey[_Case]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option by which cassettes are recorded."""
    parser.getgroup("agentlog").addoption(
        _RECORD,
        action="store_true",
        help="Run marked tests before their model providers, and write their cassettes anew.",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker."""
    config.addinivalue_line("markers", _MARKER)


@pytest.hookimpl(trylast=True)  # after -k and -m
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Refuse to record several tests into one cassette."""
    if not config.getoption(_RECORD):
        return
    tests: dict[Path, str] = {}
    for item in items:
        marker = item.get_closest_marker("agentlog")
        if marker is not None:
            path = item.path.parent / _asked_of(marker).source
            if path in tests:
                raise pytest.UsageError(f"{tests[path]} and {item.nodeid} both record {path}")
            tests[path] = item.nodeid


@pytest.fixture(autouse=True)
def _agentlog_of_marker(request: pytest.FixtureRequest) -> None:
    """Have a marker count without its fixture too: no request of the test may leave."""
    if request.node.get_closest_marker("agentlog") is not None:
        request.getfixturevalue("agentlog")


@pytest.fixture
def agentlog(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The agent's run: `base_url` by provider, `env` for a subprocess, and `recorded_tool`.

    An `agentlog.testing.AgentRun`. The test's own process has the variables of `env` too.
    """
    from agentlog.domain.errors import AgentlogError  # noqa: PLC0415 - only for marked tests

    try:  # the failure is raised outside: its report has no other error then
        yield from _run(request.node, monkeypatch)
    except AgentlogError as error:
        failure = str(error)
    else:
        return
    pytest.fail(f"agentlog: {failure}", pytrace=False)


def _run(item: pytest.Item, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    from agentlog.extensions.runs.api.testing.agent_run import replayed_agent  # noqa: PLC0415 - as above
    from agentlog.extensions.runs.api.testing.recording import recorded_agent  # noqa: PLC0415
    from agentlog.extensions.runs.api.testing.sources import run_of  # noqa: PLC0415

    marker = item.get_closest_marker("agentlog")
    if marker is None:
        pytest.fail("agentlog: name a run: @pytest.mark.agentlog('FILE.cassette')", pytrace=False)
    asked = _asked_of(marker)
    folder = item.path.parent
    if item.config.getoption(_RECORD):
        beginning = recorded_agent(folder / asked.source, is_kept=lambda: item.stash[_CASE].passed)
    else:
        beginning = replayed_agent(run_of(asked.source, folder), mode=asked.tools)
    with beginning as agent:
        item.stash[_CASE] = _Case(agent, allow_unused=asked.allow_unused)
        for name, value in agent.env.items():
            if os.environ.get(name) != value:
                monkeypatch.setenv(name, value)
        yield agent
    late = [*agent.late_problems()]
    if late:
        pytest.fail("\n".join(["agentlog: after the end of the test:", *late]), pytrace=False)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Fail a test whose requests and calls are not as recorded."""
    case = item.stash.get(_CASE, None)
    try:
        outcome = yield
    except BaseException:
        if case is not None:  # what is unused follows from the failure
            text = "\n".join(case.agent.problems(allow_unused=True))
            item.add_report_section("call", "agentlog", text)
        raise
    if case is not None:
        problems = [*case.agent.problems(allow_unused=case.allow_unused)]
        if problems:
            pytest.fail("\n".join(["agentlog: not as recorded:", *problems]), pytrace=False)
        case.passed = True
    return outcome


class _Asked(NamedTuple):
    """The arguments of a marker."""

    source: str | Path
    tools: Any = "strict"
    allow_unused: bool = False


def _asked_of(marker: pytest.Mark) -> _Asked:
    try:
        asked = _Asked(*marker.args, **marker.kwargs)
    except TypeError:
        asked = None
    if asked is None or asked.tools not in {"strict", "fifo"}:
        pytest.fail(f"agentlog: the marker is {_MARKER.partition(':')[0]}", pytrace=False)
    return asked
