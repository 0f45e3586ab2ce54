"""Registries have the core's parts and those of extensions, and import each on first use."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from agentlog.extension import BrokenExtension, Registry, extensions
from agentlog.projections.readers.registry import FORMATS
from agentlog.projections.registry import VIEWS
from tests.command_line import agentlog

Install = Callable[[str], None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Installs a distribution with one module `stranger` and its entry point, for one test."""
    monkeypatch.syspath_prepend(tmp_path)

    def install_stranger(source: str) -> None:
        (tmp_path / "stranger.py").write_text(source)
        metadata = tmp_path / "stranger_formats-1.0.dist-info"
        metadata.mkdir()
        (metadata / "METADATA").write_text("Name: stranger-formats\nVersion: 1.0\n")
        (metadata / "entry_points.txt").write_text(
            "[agentlog.extensions]\nstranger = stranger:EXTENSION\n"
        )
        monkeypatch.delitem(sys.modules, "stranger", raising=False)
        extensions.cache_clear()

    yield install_stranger
    extensions.cache_clear()


def test_a_registry_has_the_parts_of_an_installed_extension(install: Install) -> None:
    install(
        "from agentlog.extension import Extension\n"
        "EXTENSION = Extension('for tests', formats={'notes': 'stranger:NOTES'})\n"
        "NOTES = 'a format'\n"
    )
    registry = Registry[str]("formats", {"own": "json:__name__"})

    assert next(iter(registry)) == "own"
    assert registry["own"] == "json"
    assert registry["notes"] == "a format"
    assert len(registry) == len(list(registry))
    assert "none" not in registry


def test_a_command_of_an_extension_is_listed_and_run(install: Install) -> None:
    install(
        "import typer\n"
        "from agentlog.extension import Command, Extension\n"
        "EXTENSION = Extension('for tests', commands={\n"
        "    'greet': Command('stranger:app', 'Greet.', 'Of strangers', words=('hello',)),\n"
        "})\n"
        "app = typer.Typer()\n"
        "@app.command()\n"
        "def greet(name: str) -> None:\n"
        "    print('good day,', name)\n"
    )
    help_, greeting, word = (
        agentlog(*words, url="none") for words in (["-h"], ["greet", "you"], ["hello"])
    )

    assert "─ Of strangers ─" in help_.out
    assert (greeting.code, greeting.out) == (0, "good day, you\n")
    assert "Did you mean greet?" in word.err


def test_help_names_an_extension_that_is_broken(install: Install) -> None:
    install("1 / 0")
    outcome = agentlog("--help", url="none")

    assert outcome.code == 2
    assert outcome.err.startswith("agentlog: the extension 'stranger' of stranger-formats does not")


def test_a_name_that_the_core_has_is_refused_with_the_extension_and_its_package(
    install: Install,
) -> None:
    install(
        "from agentlog.extension import Extension\n"
        "EXTENSION = Extension('for tests', formats={'own': 'stranger:NOTES'})\n"
    )

    with pytest.raises(
        BrokenExtension, match="'stranger' of stranger-formats adds to formats 'own'"
    ):
        list(Registry[str]("formats", {"own": "json:__name__"}))


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("1 / 0", "does not load (division by zero)"),
        ("from agentlog.extension import Extension", "does not load (module"),
        ("EXTENSION = 3", "is a int, no Extension"),
    ],
)
def test_an_extension_that_does_not_load_is_named(
    install: Install, source: str, reason: str
) -> None:
    install(source)

    with pytest.raises(BrokenExtension) as refused:
        list(Registry[str]("formats", {}))

    assert reason in str(refused.value)
    assert "stranger-formats" in str(refused.value)


def test_each_part_bears_the_name_that_it_is_registered_by() -> None:
    assert {name: part.name for name, part in FORMATS.items()} == {name: name for name in FORMATS}
    assert {name: part.name for name, part in VIEWS.items()} == {name: name for name in VIEWS}


def test_names_import_no_part() -> None:
    program = (
        "import sys\n"
        "from agentlog.projections.readers.registry import FORMATS\n"
        "from agentlog.projections.registry import VIEWS\n"
        "assert 'openai' in FORMATS and 'openai' in VIEWS\n"
        "print([name for name in sys.modules if '.views.' in name or '.messages.' in name])\n"
    )
    printed = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)

    assert printed.stdout.decode() == "[]\n"
