"""Count the structure: lines, modules a folder, imports between rooms, files a request passes.

`make structure` prints it. Imports are those of the code, by import-linter's own graph; files are
those of ours whose functions run for one request, in the service's process.
"""

import sys
import tempfile
import threading
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType

import grimp
from fastapi.testclient import TestClient

from agentlog.api.cli.operations.service import application_over
from agentlog.api.composition import open_service
from agentlog.infrastructure.settings import Settings

ROOT = Path(__file__).parents[1]
CORE = ("domain", "projections", "infrastructure", "api")
CONTAINERS = (
    "agentlog.infrastructure",
    "agentlog.api",
    "agentlog.api.http",
    "agentlog.projections",
    "agentlog.projections.readers",
)


def main() -> None:
    """Print all counts."""
    for name, lines in _lines_of_parts():
        print(f"{lines:7,} lines: {name}")
    folders = Counter(
        str(file.parent.relative_to(ROOT))
        for package in (*CORE, "extensions")
        for file in (ROOT / package).rglob("*.py")
        if file.name != "__init__.py"
    )
    print(f"modules: {sum(folders.values())}; the fullest folders:")
    for folder, count in folders.most_common(8):
        print(f"  {count:3} {folder}")
    for container in CONTAINERS:
        print(_rooms(container))
    passed = _Passed()
    with tempfile.TemporaryDirectory(prefix="agentlog-structure-") as folder:
        settings = Settings(data_dir=Path(folder), anonymous="allow", projections="off")
        with open_service(settings, new=True) as service:
            application = application_over(settings, service, "anywhere")
            client = TestClient(application, base_url="http://localhost")
            _print_passed(passed, client)


def _lines_of_parts() -> Iterator[tuple[str, int]]:
    """Yield the parts of the house with their lines: the core, its rooms, each extension, the rest.

    Python and SQL, and TypeScript of the page; empty lines and comments included.
    """
    sql = ("*.py", "*.sql")
    yield "core", sum(_lines(room, *sql) for room in CORE)
    for room in CORE:
        yield f"  {room}", _lines(room, *sql)
    extensions = sorted(path.name for path in (ROOT / "extensions").iterdir() if path.is_dir())
    names = [name for name in extensions if not name.startswith("_")]
    yield "extensions", sum(_lines(f"extensions/{name}", *sql) for name in names)
    for name in names:
        yield f"  {name}", _lines(f"extensions/{name}", *sql)
    yield "client", _lines("client", "*.py")
    pages = ("*.ts", "*.tsx")
    yield "page", _lines("web/src", *pages)
    yield "page, of extensions", _lines("extensions", *pages)
    yield "tests", _lines("tests", *sql)
    yield "benchmarks", _lines("benchmarks", "*.py")


def _lines(folder: str, *patterns: str) -> int:
    return sum(
        len(file.read_bytes().splitlines())
        for pattern in patterns
        for file in (ROOT / folder).rglob(pattern)
        if file.name != "schema.d.ts"  # made by `make web`
    )


def _rooms(container: str) -> str:
    graph = grimp.build_graph(container.partition(".")[0])
    depth = container.count(".") + 1
    uses: defaultdict[str, set[str]] = defaultdict(set)
    for module in graph.modules:
        for used in graph.find_modules_directly_imported_by(module):
            ours = [
                module_name.split(".")
                for module_name in (module, used)
                if module_name.startswith(f"{container}.")
            ]
            if len(ours) == 2 and ours[0][depth] != ours[1][depth]:
                uses[ours[0][depth]].add(ours[1][depth])
    rooms = {*uses, *(used for base in uses.values() for used in base)}
    floors = {room: _floor(room, uses, ()) for room in rooms}
    arrows = sum(map(len, uses.values()))
    upward = sum(floors[used] >= floors[room] for room, base in uses.items() for used in base)
    return (
        f"{container}: {len(rooms)} rooms, {arrows} arrows, {max(floors.values())} floors, "
        f"{upward} arrows upward"
    )


def _floor(room: str, uses: dict[str, set[str]], above: tuple[str, ...]) -> int:
    below = [lower for lower in uses.get(room, ()) if lower not in above]
    return 1 + max((_floor(lower, uses, (*above, room)) for lower in below), default=0)


class _Passed:
    """Collects the files of ours whose functions run, in threads that begin after it was made."""

    def __init__(self) -> None:
        self._files: set[str] | None = None
        threading.setprofile(self._note)
        sys.setprofile(self._note)

    def _note(self, frame: FrameType, event: str, _: object) -> None:
        if self._files is not None and event == "call":
            self._files.add(frame.f_code.co_filename)

    def by(self, act: Callable[[], None]) -> set[str]:
        """Return the files that are passed while something is done."""
        self._files = modules = set[str]()
        act()
        self._files = None
        return {module for module in modules if module.startswith(f"{ROOT / 'agentlog'}/")}


def _print_passed(passed: _Passed, client: TestClient) -> None:
    path = "/v1/threads/t/messages"

    def post() -> None:
        client.post(path, json={"type": "reply", "text": "hello"}).raise_for_status()

    def view() -> None:
        client.get("/v1/threads/t/views/openai").raise_for_status()

    for _ in range(3):  # what is made once is made
        post()
        view()
    for name, act in (("POST of a reply", post), ("GET of a view that was read before", view)):
        print(f"{name}: {len(passed.by(act))} files")


if __name__ == "__main__":
    main()
