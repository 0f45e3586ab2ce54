"""Branches of a conversation that is a tree: messages that were written or answered anew."""

from collections.abc import Iterator, Mapping

from agentlog.domain.json.values import JsonValue


def branches(parents: Mapping[str, str | None], current: JsonValue) -> Iterator[list[str]]:
    """Yield the messages from the root to the current one, then what each other branch adds.

    `parents` has the messages in the order of the source, each with the one before it; a circle of
    them ends where it began.
    """
    inner = set(parents.values())
    leaves = [current] if isinstance(current, str) and current in parents else []
    leaves += [key for key in parents if key not in inner]
    seen = set[str]()
    for leaf in (*leaves, *parents):
        branch: list[str] = []
        key: str | None = leaf
        while key is not None and key in parents and key not in seen:
            seen.add(key)
            branch.append(key)
            key = parents[key]
        if branch:
            yield branch[::-1]
