"""Trees of forks as lines for a terminal."""

from collections.abc import Iterator, Sequence

from agentlog.api.shapes.forks import ForkEdit, Tree


def tree_lines(tree: Tree) -> Iterator[str]:
    """Yield a line a thread, each before its forks, whose rules are longer."""
    for node in tree["items"]:
        origin = node["forkedFrom"]
        place = "" if origin is None else f" @{origin['version']} {_edits(origin['edits'])}→ "
        stands = f"version {node['version']}, {node['status']}"
        yield f"{'──' * node['depth']}{place}{node['threadId']}  {stands}"
    if tree["truncated"]:
        yield "… there are more"


def _edits(edits: Sequence[ForkEdit]) -> str:
    return "".join(f"{edit['kind']} {edit['version']} " for edit in edits)
