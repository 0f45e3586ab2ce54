"""Names that say nothing: `each` and `found` hold something that has a name of its own.

A reader has to look up what they hold: a `row`, a `call`, a `finding`. In the product `said` and
`told` are such names too, but for a field `told` of a class: it counts by the word of that name.
"""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
WORDS = {"each", "found"}
OF_PRODUCT = {"domain", "projections", "infrastructure", "api", "client", "extensions"}


def _names(path: Path) -> set[str]:
    """Return the names of variables, parameters and functions in a module."""
    names = set[str]()
    tree = ast.parse(path.read_bytes())
    bodies = (node.body for node in ast.walk(tree) if isinstance(node, ast.ClassDef))
    fields = {node.target for body in bodies for node in body if isinstance(node, ast.AnnAssign)}
    for node in ast.walk(tree):
        match node:
            case ast.Name(id="told") if node in fields:
                pass
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


@pytest.mark.parametrize("folder", [*sorted(OF_PRODUCT), "tests", "benchmarks"])
def test_no_name_says_nothing(folder: str) -> None:
    words = WORDS | ({"said", "told"} if folder in OF_PRODUCT else set())
    ours = (path for path in (ROOT / folder).rglob("*.py") if "node_modules" not in path.parts)
    named = {path: _names(path) & words for path in ours}
    assert named
    assert {path: names for path, names in named.items() if names} == {}
