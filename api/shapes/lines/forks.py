"""Trees of forks as lines for a terminal."""

from collections.abc import Iterator

from agentlog.api.shapes.forks import Tree, TreeNode


def tree_lines(tree: Tree) -> Iterator[str]:
    """Yield a line a thread, each before its forks, whose rules are longer."""
    for node in tree["items"]:
        origin = node["forkedFrom"]
        place = "" if origin is None else f" @{origin['version']} {_changes(node)}→ "
        stands = ", ".join([f"version {node['version']}", node["status"], *_outcome(node)])
        yield f"{'──' * node['depth']}{place}{node['threadId']}  {stands}"
    if tree["truncated"]:
        yield "… there are more"


def _changes(node: TreeNode) -> str:
    origin, replay = node["forkedFrom"], node["replay"]
    edits = () if origin is None else origin["edits"]
    changes = [f"{edit['kind']} {edit['version']}" for edit in edits]
    if replay is not None and replay["changes"] is not None:
        changes.append(replay["changes"])
    return "".join(f"{change} " for change in changes)


def _outcome(node: TreeNode) -> Iterator[str]:
    """Yield what came of a replay, as far as it is known."""
    replay = node["replay"]
    if replay is None:
        return
    if replay["liveCalls"] is not None:
        yield f"live calls: {replay['liveCalls']}"
    if replay["unmet"]:
        yield f"unmet changes: {replay['unmet']}"
    if replay["check"] is not None:
        yield f"check {replay['check']}"
