"""Print the test files that a change may break: `make test-changed` runs them.

The change is that of the working tree since BASE, by default origin/main. A test is chosen that
imports a changed module, by way of whatever others but hubs; that names a command, or reads a
registry, whose module is among them; that stands in the folder that mirrors a changed file's; and
that names a changed file.
"""

import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import grimp

from agentlog.api.cli.main import all_commands

ROOT = Path(__file__).parents[1]
FLOORS = ("domain", "projections", "infrastructure", "api", "extensions")
"""Folders that stand in the package `agentlog` by links."""
ALL = re.compile(r"pyproject\.toml|Makefile|requirements.*\.lock|tests/(conftest|databases)\.py")
"""What every test depends on."""
FOLDERS = {
    "web/": ("tests/browser",),
    "docs/": (
        "tests/test_docs.py",
        "tests/test_docs_operations.py",
        "tests/extensions/test_docs.py",
    ),
    "README.md": ("tests/test_docs.py",),
    "deploy/": ("tests/deploy", "tests/test_deployment.py"),
    "examples/": ("tests/test_examples.py", "examples"),
    "tests/golden/": ("tests/test_golden.py",),
}
"""What tests read without naming it."""
HUBS = ("agentlog.api.composition", "agentlog.api.cli.main", "agentlog.api.http.app")
"""What imports nearly all: what comes by way of it is left to `make test`."""
_REFERENCE = re.compile(r'"(agentlog(?:\.\w+)+):\w+"')
_LITERAL = re.compile(r'"([\w-]+)"')


def changed_files(base: str) -> list[str]:
    """Return the paths that differ from where the branch left `base`, new ones too."""
    since = _git("merge-base", "HEAD", base)[0]
    return sorted(
        {*_git("diff", "--name-only", since), *_git("ls-files", "-o", "--exclude-standard")}
    )


def choose_tests(paths: Iterable[str]) -> list[str]:
    """Return the test files, and folders of them, that depend on files of the repository."""
    paths = list(paths)
    if any(map(ALL.fullmatch, paths)):
        return ["tests", "examples"]
    graph = _graph()
    chosen = {test for path in paths for test in _by_folder(path)}
    for path in paths:
        for module in set(_modules(path)) & graph.modules:
            chosen |= {_file(name) for name in {module, *graph.find_downstream_modules(module)}}
    names = {Path(path).name for path in paths if not path.endswith(".py")}
    for test in ROOT.glob("tests/**/test_*.py"):
        if any(name in test.read_text("utf-8") for name in names):
            chosen.add(str(test.relative_to(ROOT)))
    return sorted(path for path in chosen if _is_test(path) and (ROOT / path).exists())


def _graph() -> grimp.ImportGraph:
    """Return who imports what; with what is imported by a reference once a test makes use of it."""
    graph = grimp.build_graph("agentlog", "agentlog_client", "tests", cache_dir=None)
    commands = {name: command.app.partition(":")[0] for name, command in all_commands().items()}
    references = {name: _references(name) for name in graph.modules}
    registries = {name for name, modules in references.items() if modules}
    parts = {module for modules in references.values() for module in modules}
    parts -= set(commands.values())
    for hub in HUBS:
        for name in graph.find_modules_directly_imported_by(hub):
            graph.remove_import(importer=hub, imported=name)
    for name in graph.modules:
        folder, _, module = name.rpartition(".")
        if folder.split(".")[0] == "tests":
            literals = set(_LITERAL.findall(_source(name)))
            imported = {commands[word] for word in literals & commands.keys()}
            if module.startswith("test_"):
                imported.add(f"{folder}.conftest")
                if registries & graph.find_modules_directly_imported_by(name):
                    imported |= parts
            for other in imported & graph.modules - {name}:
                graph.add_import(importer=name, imported=other)
    return graph


def _modules(path: str) -> Iterator[str]:
    """Yield the module of a file; those of the whole folder where it is no Python."""
    file = Path(path.removeprefix("client/"))
    file = Path("agentlog", file) if file.parts[0] in FLOORS else file
    folder = ".".join(file.parent.parts)
    if file.suffix == ".py":
        yield folder if file.stem == "__init__" else f"{folder}.{file.stem}"
    elif file.parts[0] in {"agentlog", "agentlog_client"}:
        yield folder
        yield from (f"{folder}.{other.stem}" for other in (ROOT / path).parent.glob("*.py"))


def _by_folder(path: str) -> Iterator[str]:
    mirror = Path("tests", path.replace("client/agentlog_client", "client")).parent
    if path.split("/", maxsplit=1)[0] in {*FLOORS, "client"}:
        yield from (str(test.relative_to(ROOT)) for test in (ROOT / mirror).glob("test_*.py"))
    for folder, tests in FOLDERS.items():
        if f"/{folder}" in f"/{path}":  # of an extension too
            yield from tests


def _is_test(path: str) -> bool:
    return not path.endswith(".py") or Path(path).name.startswith("test_")


def _file(module: str) -> str:
    return module.replace(".", "/") + ".py"


def _references(module: str) -> list[str]:
    return _REFERENCE.findall(_source(module).replace("{_HERE}", module))


def _source(module: str) -> str:
    file = ROOT / _file(module)
    client = ROOT / "client" / _file(module)
    packages = [file, client, file.with_suffix("") / "__init__.py"]
    return next((path.read_text("utf-8") for path in packages if path.exists()), "")


def _git(*words: str) -> list[str]:
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


if __name__ == "__main__":
    sys.stdout.write("\n".join(choose_tests(changed_files(sys.argv[1]))))
