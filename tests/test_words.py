"""Names that say nothing: `each` and `found` hold something that has a name of its own.

A reader has to look up what they hold: a `row`, a `call`, a `finding`.
"""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
WORDS = {"each", "found"}


def _names(path: Path) -> set[str]:
    """Return the names of variables, parameters and functions in a module."""
    names = set[str]()
    for node in ast.walk(ast.parse(path.read_bytes())):
        match node:
            case (
                ast.Name(id=name)
                | ast.arg(arg=name)
                | ast.FunctionDef(name=name)
                | ast.AsyncFunctionDef(name=name)
            ):
                names.add(name)
            case _:
                pass
    return names


@pytest.mark.parametrize(
    "folder", ["domain", "projections", "infrastructure", "api", "tests", "benchmarks"]
)
def test_no_name_says_nothing(folder: str) -> None:
    named = {path: _names(path) & WORDS for path in (ROOT / folder).rglob("*.py")}
    assert named
    assert {path: words for path, words in named.items() if words} == {}
