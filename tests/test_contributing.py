"""The map in CONTRIBUTING.md is whole: it names each room, and nothing that is not there."""

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
ROOMS = ("domain", "projections", "infrastructure", "api", "extensions", "client/agentlog_client")
"""Folders all of whose packages the map names, and those of packages below where it names one."""

_ENTRIES = re.compile(r"((?:[\w/]+(?:/|\.py),? +)*[\w/]+(?:/|\.py))(?:  |$)")
"""What a line of the map begins with: folders and modules; then what they are."""


def _places() -> Iterator[Path]:
    """Yield what the map names; a line that is indented further is in the folder above it."""
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    (lines,) = re.findall(r"\n\n((?:    \S.*\n {6,}.*\n)(?: {4}.*\n)+)", text)
    above: dict[int, Path] = {}
    for line in lines.splitlines():
        indent = len(line) - len(line.lstrip())
        entries = _ENTRIES.match(line.strip())
        if entries is None or indent > 10:
            continue
        outer = max((other for other in above if other < indent), default=None)
        folder = Path() if outer is None else above[outer]
        above = {other: path for other, path in above.items() if other < indent}
        for entry in re.split(r",? +", entries[1]):
            above[indent] = folder / entry
            yield folder / entry


def test_the_map_names_what_is_there() -> None:
    places = list(_places())
    assert len(places) > 100
    assert [str(place) for place in places if not (ROOT / place).exists()] == []


def test_the_map_names_every_room() -> None:
    places = set(_places())
    listed = {place.parent for place in places if (ROOT / place).is_dir()}
    inside = [folder for folder in listed if str(folder).startswith(ROOMS)]
    rooms = {
        package.parent.relative_to(ROOT)
        for folder in {*map(Path, ROOMS), *inside}
        for package in (ROOT / folder).glob("*/__init__.py")
    }
    assert {str(room) for room in rooms - places} == set()
