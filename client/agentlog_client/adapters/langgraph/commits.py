"""Changes of a graph's thread on their way into the log: those that wait go in one append.

What appends first takes along all that came meanwhile; the others find theirs done. LangGraph saves
the writes of a step's last task and the checkpoint after it at about the same time, from two
threads.
"""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Event

from agentlog_client.adapters.langchain.messages import Draft
from agentlog_client.adapters.langgraph.branch import Branch, Entry
from agentlog_client.adapters.langgraph.family import Family
from agentlog_client.errors import VersionConflict

_PAUSE = 0.002
"""Seconds that a task's writes wait for the checkpoint after them: less than an append takes."""


@dataclass(slots=True, eq=False)
class Change:
    """A checkpoint, or what a task wrote after one; `plan` returns what to append to a branch."""

    namespace: str
    checkpoint: str
    plan: Callable[[Branch], list[Draft]]
    is_checkpoint: bool = False
    parent: str | None = None
    is_done: bool = False
    error: BaseException | None = None

    @property
    def key(self) -> tuple[str, str]:
        """What a family knows its checkpoint by."""
        return self.namespace, self.checkpoint

    def check(self) -> None:
        """Raise the error that it met."""
        if self.error is not None:
            raise self.error


class Commits:
    """Appends changes to the branches of a family."""

    def __init__(self, family: Family) -> None:
        self._family = family
        self._waiting: deque[Change] = deque()
        self._early: dict[tuple[str, str], list[Change]] = {}
        """Writes that came before their checkpoint."""
        self._checkpoint_came = Event()

    @property
    def is_idle(self) -> bool:
        """Whether nothing waits for a checkpoint."""
        return not self._early

    def commit(self, change: Change) -> None:
        """Return once the log has the change.

        The writes of a quick task may come before their checkpoint, which LangGraph saves in the
        background. Without it they are nothing, so they wait for it, and go with it.

        Raises:
            AgentlogError: the log does not have it, or it is not known whether it has.
        """
        self._waiting.append(change)
        if change.is_checkpoint:
            self._checkpoint_came.set()
        with self._family.lock:
            if not change.is_done:
                self._checkpoint_came.wait(_PAUSE)
                self._checkpoint_came.clear()
                changes = [self._waiting.popleft() for _ in range(len(self._waiting))]
                self._commit_all(_in_order(changes))
        change.check()

    def settle(self) -> None:
        """Append writes whose checkpoint another process put."""
        for changes in list(self._early.values()):
            if self._is_there(changes[0]):
                for change in self._early.pop(changes[0].key):
                    change.is_done = False
                self._commit_all(changes)
                for change in changes:
                    change.check()

    def _commit_all(self, changes: Sequence[Change]) -> None:
        try:
            new = [c for c in changes if c.is_checkpoint and not self._is_there(c)]
            while left := [change for change in changes if not change.is_done]:
                try:
                    self._commit_some(left)
                except VersionConflict:
                    self._family.refresh(left[0].namespace)
                    for change in new:  # one whose answer was lost is there
                        change.is_done = self._is_there(change)
        except BaseException as error:
            for change in changes:
                if not change.is_done:
                    change.is_done, change.error = True, error
            if not isinstance(error, Exception):
                raise

    def _commit_some(self, changes: Sequence[Change]) -> None:
        """Append the changes up to the first that belongs to another branch."""
        branch = self._target(changes[0])
        if branch is None:
            return
        version, drafts, planned = branch.version, list[Draft](), list[Change]()
        todo = deque(changes)
        while todo and (not planned or _goes_on(todo[0], branch)):
            planned.append(change := todo.popleft())
            try:
                of_change = change.plan(branch)
            except Exception as error:
                if change not in changes:
                    raise  # nothing waits for it any more: the error is that of its checkpoint
                change.is_done, change.error = True, error
                continue
            branch.apply(_entries(of_change, branch.version))
            drafts += of_change
            todo.extendleft(reversed(self._early.pop(change.key, [])))
        try:
            if drafts:
                self._family.append(branch, drafts, expected_version=version)
        except BaseException:
            for change in planned:
                if change not in changes:  # it waits for its checkpoint again
                    self._keep_for_checkpoint(change)
            raise
        for change in planned:
            change.is_done = True

    def _is_there(self, change: Change) -> bool:
        return self._family.home(change.namespace, change.checkpoint) is not None

    def _target(self, change: Change) -> Branch | None:
        """Return the branch that a change belongs to; None if there is nothing to append now."""
        home = self._family.home(change.namespace, change.checkpoint)
        if home is not None:
            return home
        if change.is_checkpoint:
            return self._family.after(change.namespace, change.parent, change.checkpoint)
        self._keep_for_checkpoint(change)
        change.is_done = True
        return None

    def _keep_for_checkpoint(self, change: Change) -> None:
        self._early.setdefault(change.key, []).append(change)


def _in_order(changes: Sequence[Change]) -> list[Change]:
    """Return changes with each task's writes after their checkpoint, if it is among them."""
    put = {change.key for change in changes if change.is_checkpoint}
    ordered: list[Change] = []
    for change in changes:
        if change.is_checkpoint:
            ordered += [
                change,
                *(c for c in changes if c.key == change.key and not c.is_checkpoint),
            ]
        elif change.key not in put:
            ordered.append(change)
    return ordered


def _goes_on(change: Change, branch: Branch) -> bool:
    """Return whether a change goes to the end of a branch."""
    if change.namespace != branch.namespace:
        return False
    if change.is_checkpoint:
        return branch.tip == change.parent and change.checkpoint not in branch.checkpoints
    return branch.tip == change.checkpoint


def _entries(drafts: Sequence[Draft], version: int) -> list[Entry]:
    return [
        Entry(
            version + n,
            {key: value for key, value in draft.items() if key != "metadata"},
            draft.get("metadata", {}),
        )
        for n, draft in enumerate(drafts, 1)
    ]
