"""What the log has of a graph's thread: threads of ours, one a branch of each namespace.

The main branch of the empty namespace is the thread of the graph's id. A namespace of a subgraph
has threads of its own, and so has a branch that goes on from an earlier checkpoint: it is a fork.
Their metadata say which they are, so that another process finds them.
"""

import threading
from collections.abc import Iterator, Sequence
from functools import partial

from agentlog_client import Client
from agentlog_client.adapters.langchain.messages import Draft
from agentlog_client.adapters.langgraph.branch import Branch, Entry, Stored
from agentlog_client.adapters.langgraph.cut import Cut
from agentlog_client.adapters.langgraph.plan import deletion_draft
from agentlog_client.errors import Conflict
from agentlog_client.identifiers import derived_id, thread_id
from agentlog_client.models import Event, Thread
from agentlog_client.operation import Json, metadata_terms

_FRAMEWORK = "langgraph"
_PAGE = 1000
_LONGEST, _LONGEST_VALUE = 100, 1000
"""Characters of the id that another begins with; of metadata that are searched for."""


def families(client: Client) -> Iterator[str]:
    """Yield the ids of all threads of graphs, the last changed first."""
    heads = client.threads(filter=f"metadata.framework:{_FRAMEWORK}", limit=_PAGE)
    yield from dict.fromkeys(str(head.metadata.get("langgraphThreadId")) for head in heads)


class Family:
    """The branches of one thread of a graph; hold `lock` for every use."""

    def __init__(self, client: Client, graph_thread: str) -> None:
        self.lock = threading.RLock()
        self.graph_thread = graph_thread
        self._client = client
        self._branches: dict[str, Branch] = {}
        self._read: set[str | None] = set()

    def branches(self, namespace: str | None = None) -> Sequence[Branch]:
        """Return the branches of a namespace, or all, as far as they are read."""
        return [
            branch
            for branch in self._branches.values()
            if namespace is None or branch.namespace == namespace
        ]

    def refresh(self, namespace: str | None = None) -> Sequence[Branch]:
        """Read what is new; return the branches of a namespace, or all."""
        metadata: dict[str, Json] = {"langgraphThread": thread_id(self.graph_thread)}
        if namespace is not None and len(namespace) < _LONGEST_VALUE:
            metadata["langgraphNamespace"] = namespace
        for head in self._client.threads(filter=metadata_terms(metadata), limit=_PAGE):
            self._read_on(self._branch(head), head.version)
        self._read.add(namespace)
        return self.branches(namespace)

    def known(self, namespace: str) -> Sequence[Branch]:
        """Return the branches of a namespace; read them only if that was never done."""
        if self._read.isdisjoint({namespace, None}):
            self.refresh(namespace)
        return self.branches(namespace)

    def home(self, namespace: str, checkpoint: str) -> Branch | None:
        """Return the branch where a checkpoint was put, rather than one that copied it."""
        having = [b for b in self.known(namespace) if checkpoint in b.checkpoints]
        return min(
            having,
            key=lambda b: (b.checkpoints[checkpoint].is_copy, not self._is_main(b)),
            default=None,
        )

    def live(self, namespace: str | None) -> Iterator[tuple[Branch, Stored]]:
        """Yield the checkpoints that are there, each where it was put, not where it was copied."""
        for branch in self.branches(namespace):
            for stored in branch.live():
                if not stored.is_copy or self.home(branch.namespace, stored.id) is branch:
                    yield branch, stored

    def after(self, namespace: str, parent: str | None, checkpoint: str) -> Branch:
        """Return the branch that a new checkpoint is put at the end of; begin it if need be."""
        known = self.home(namespace, parent) if parent else None
        if known is not None and parent is not None:
            if known.tip == parent:
                return known
            return self._fork(known, known.checkpoints[parent].version, checkpoint)
        main = self._name(namespace)
        branch = self._branches.get(main) or self._begin(namespace, main)
        if branch.tip is None:
            return branch
        return self._begin(namespace, self._name(namespace, checkpoint))

    def append(self, branch: Branch, drafts: Sequence[Draft], *, expected_version: int) -> None:
        """Append to a branch what it has already, as it was at a version.

        Raises:
            AgentlogError: it is not appended, or not known to be; what the branch has is forgotten,
                and read again when it is needed.
        """
        appended = None
        try:
            appended = self._client.append(
                branch.thread_id, drafts, expected_version=expected_version
            )
        finally:
            if appended is None or appended.version != branch.version:
                self._branches.pop(branch.thread_id, None)
                self._read.clear()

    def delete(self, branch: Branch, checkpoints: Sequence[str] | None) -> None:
        """Append that checkpoints of a branch are deleted, all of them if None."""
        if checkpoints is None or checkpoints:
            draft = deletion_draft(branch, checkpoints)
            self._read_on(branch, self._client.append(branch.thread_id, [draft]).version)

    def copy(self, graph_thread: str) -> None:
        """Copy all branches into another thread of a graph: each copy is a fork."""
        other = Family(self._client, graph_thread)
        for branch in self.refresh():
            name = other._name(
                branch.namespace, *([] if self._is_main(branch) else [branch.thread_id])
            )
            self._client.fork(
                branch.thread_id,
                at=branch.version,
                as_thread=name,
                metadata=other._metadata(branch.namespace),
            )

    def _is_main(self, branch: Branch) -> bool:
        return branch.thread_id == self._name(branch.namespace)

    def _branch(self, head: Thread) -> Branch:
        namespace = str(head.metadata.get("langgraphNamespace", ""))
        return self._known(head.thread_id, namespace)

    def _known(self, name: str, namespace: str) -> Branch:
        """Return a branch, as far as it is read."""
        if name not in self._branches:
            self._branches[name] = Branch(
                name, namespace, partial(self._around, namespace), partial(self._of, namespace)
            )
        return self._branches[name]

    def _around(self, namespace: str, message_id: str) -> Cut | None:
        """Return a message of the namespaces around one, the next first."""
        while namespace:
            namespace = namespace.rpartition("|")[0]
            if pieces := self._of(namespace, message_id):
                return pieces
        return None

    def _of(self, namespace: str, message_id: str) -> Cut | None:
        having = (b.messages for b in self.known(namespace) if message_id in b.messages)
        return next((messages[message_id] for messages in having), None)

    def _read_on(self, branch: Branch, version: int) -> None:
        if version <= branch.version:
            return
        events = self._events(branch)
        if branch.version and any(event.type == "thread.redacted" for event in events):
            del self._branches[branch.thread_id]  # it has what is erased now
            branch = self._known(branch.thread_id, branch.namespace)
            events = self._events(branch)
        branch.apply(
            Entry(event.version, event.message, event.metadata, event.origin_version is not None)
            for event in events
        )

    def _events(self, branch: Branch) -> Sequence[Event]:
        return list(self._client.messages(branch.thread_id, after=branch.version, limit=_PAGE))

    def _begin(self, namespace: str, name: str) -> Branch:
        metadata = self._metadata(namespace)
        parent = self._name("") if namespace else None
        try:
            version = self._client.start_thread(
                name, policy="record", parent=parent, metadata=metadata
            ).version
        except Conflict:  # another process or client started it
            version = self._client.annotate_thread(name, metadata).version
        branch = self._known(name, namespace)
        self._read_on(branch, version)
        return branch

    def _fork(self, origin: Branch, version: int, checkpoint: str) -> Branch:
        fork = self._client.fork(
            origin.thread_id,
            at=version,
            as_thread=self._name(origin.namespace, checkpoint),
            metadata=self._metadata(origin.namespace),
        )
        branch = self._known(fork.thread_id, origin.namespace)
        self._read_on(branch, fork.version)
        return branch

    def _metadata(self, namespace: str) -> dict[str, Json]:
        return {
            "framework": _FRAMEWORK,
            "langgraphThread": thread_id(self.graph_thread),
            "langgraphThreadId": self.graph_thread,
            "langgraphNamespace": namespace,
        }

    def _name(self, namespace: str, *begins: str) -> str:
        """Return the id of a branch's thread; `begins` says with what it does, if not the main."""
        main = thread_id(self.graph_thread)
        if not namespace and not begins:
            return main
        own = derived_id("langgraph", repr((self.graph_thread, namespace, *begins)))
        return f"{main[:_LONGEST]}~{own}"
