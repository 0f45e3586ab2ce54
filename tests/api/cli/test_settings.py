"""Settings as commands meet them: what cannot be is refused by a line that names the variable."""

import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, get_args, get_origin

import pytest

from agentlog.infrastructure.settings import Settings
from tests.command_line import Outcome, agentlog, agentlog_on

NOWHERE = "postgresql:///nothing?host=/nowhere&connect_timeout=2"
FREE = {"key", "tenant"}
"""Settings that any text is."""
OTHER_TEXTS = {
    "allowed_hosts": ["a b", "http://a"],
    "cell": ["A1", "abcde"],
    "host": ["a b", "http://a", "1.2.3.4:80", "::x"],
    "user_header": ["X User", "X-User"],  # of no proxy that is named
    "forwarded_allow_ips": ["proxy", "10.0.0.1/8"],
    "webhook_networks": ["proxy", "*"],
    "database_url": ["nonsense", "mysql://a/b", "postgresql://me:a@b@c/d"],
    "analyst_url": ["nonsense", "mysql://a/b"],
    "gateway_url": ["nonsense", "ftp://a/b"],
    "writer_url": ["nonsense", "http://"],
}


def variable_of(field: str) -> str:
    """Return the variable of a setting."""
    return f"AGENTLOG_{field.upper()}"


def _wrong_values(field: str) -> list[str]:
    annotation = Settings.model_fields[field].annotation
    kinds = {annotation, *get_args(annotation)}
    if kinds & {int, float}:
        return ["x", "-1", "nan", "1e999", "8080;"]
    if get_origin(annotation) is Literal:
        return ["perhaps", "yes", "ON "]
    if Path in kinds:
        return ["~of_nobody/folder"]
    return OTHER_TEXTS[field]


def _misspelt(name: str) -> list[str]:
    """Return a name with a letter lost, doubled and swapped, and in other letters."""
    middle = len("AGENTLOG_") + 1
    swapped = name[: middle - 1] + name[middle] + name[middle - 1] + name[middle + 1 :]
    doubled = name[:middle] + name[middle - 1 :]
    return [name[:-1], doubled, swapped, f"{name}S".lower()]


def check_refusal(outcome: Outcome, name: str) -> None:
    """Check that a command was refused by one line that names a variable, and no traceback."""
    assert outcome.code == 2, outcome
    assert outcome.err.startswith("agentlog: "), outcome.err
    assert outcome.err.count("\n") == 1, outcome.err
    assert name in outcome.err


@pytest.fixture
def signals() -> Iterator[None]:
    """Give this process its way to end back, which `serve` changes."""
    before = signal.getsignal(signal.SIGTERM)
    yield
    signal.signal(signal.SIGTERM, before)


@pytest.mark.parametrize("field", sorted(Settings.model_fields.keys() - FREE))
@pytest.mark.parametrize("command", ["threads", "serve"])
@pytest.mark.usefixtures("signals")
def test_a_value_that_cannot_be_is_refused_by_name(
    field: str, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = variable_of(field)
    for value in _wrong_values(field):
        if field == "database_url":
            outcome = agentlog(command, url=value)
        else:
            monkeypatch.setenv(name, value)
            outcome = agentlog(command, url=NOWHERE)
        check_refusal(outcome, f"{name}: ")
        assert "unset it for its default" in outcome.err


@pytest.mark.parametrize("field", sorted(Settings.model_fields))
def test_a_misspelt_setting_is_refused_with_its_name(
    field: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for wrong in _misspelt(variable_of(field)):
        with monkeypatch.context() as patch:
            patch.setenv(wrong, "1")
            outcome = agentlog("threads", url=NOWHERE)
        known = wrong.upper() in map(variable_of, Settings.model_fields)
        if not known:
            check_refusal(outcome, f"{wrong} is no setting: ")


@pytest.mark.parametrize("field", sorted(Settings.model_fields))
@pytest.mark.parametrize("text", ["", " ", "\t "], ids=["empty", "blank", "tab"])
def test_an_empty_setting_is_unset(field: str, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(variable_of(field), raising=False)
    unset = Settings()
    monkeypatch.setenv(variable_of(field), text)
    assert Settings() == unset


def test_trusted_proxies_have_two_names_and_ours_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGENTLOG_FORWARDED_ALLOW_IPS", "10.0.0.1")
    assert Settings().forwarded_allow_ips == "10.0.0.1"
    monkeypatch.setenv("FORWARDED_ALLOW_IPS", "10.0.0.2")
    assert Settings().forwarded_allow_ips == "10.0.0.1"
    monkeypatch.setenv("AGENTLOG_FORWARDED_ALLOW_IPS", "")
    assert Settings().forwarded_allow_ips == "10.0.0.2"


UNUSABLE = ["/proc/nosuch/folder", "FILE", "FILE/below"]
"""Folders that cannot be made: in one that takes none, and where a file is."""


def _unusable(place: str, tmp_path: Path) -> str:
    (tmp_path / "file").write_text("x")
    return place.replace("FILE", str(tmp_path / "file"))


@pytest.mark.parametrize("place", UNUSABLE)
@pytest.mark.parametrize(
    "words",
    [["threads"], ["serve", "--port=0"], ["checkpoint"], ["migrate"], ["import", "FILE"]],
    ids=" ".join,
)
@pytest.mark.usefixtures("signals")
def test_a_data_folder_that_cannot_be_is_refused(
    words: list[str], place: str, tmp_path: Path
) -> None:
    folder = _unusable(place, tmp_path)
    words = [word.replace("FILE", str(tmp_path / "file")) for word in words]
    check_refusal(agentlog_on(Path(folder), *words), "AGENTLOG_DATA_DIR")


@pytest.mark.parametrize("place", UNUSABLE)
@pytest.mark.usefixtures("signals")
def test_a_folder_of_imports_that_cannot_be_ends_the_start(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AGENTLOG_IMPORT_DIR", _unusable(place, tmp_path))
    check_refusal(agentlog("serve", "--port=0", url=NOWHERE), "AGENTLOG_IMPORT_DIR: ")


@pytest.mark.parametrize("place", ["/nowhere/key", "FILE", "FILE/below", "."])
@pytest.mark.parametrize(
    "used",
    [
        ("signing_key", ["serve", "--port=0"]),
        ("signing_key", ["checkpoint"]),
        ("signing_key", ["checkpoint", "--public-key"]),
        ("snapshot_key", ["serve", "--port=0"]),
        ("snapshot_key", ["verify", "--derived"]),
    ],
    ids=str,
)
@pytest.mark.usefixtures("signals")
def test_a_key_that_cannot_be_read_is_refused(
    used: tuple[str, list[str]],
    place: str,
    tmp_path: Path,
    shared_database_url: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    field, words = used
    monkeypatch.setenv(variable_of(field), _unusable(place, tmp_path))
    check_refusal(agentlog(*words, url=shared_database_url), variable_of(field))


@pytest.mark.parametrize("option", ["--host", "--data-dir"])
@pytest.mark.usefixtures("signals")
def test_an_option_that_is_empty_is_refused(option: str) -> None:
    outcome = agentlog("serve", "--port=0", option, "", url=NOWHERE)
    assert outcome.code == 2
    assert option in outcome.err


@pytest.mark.usefixtures("signals")
def test_an_option_that_is_off_is_named_as_one() -> None:
    check_refusal(agentlog("serve", "--port", "70000", url=NOWHERE), "--port: ")
