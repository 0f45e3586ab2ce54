"""The thread's own facts: events of the same log that are not messages."""

from typing import Annotated, Literal

from pydantic import Field

from domain.messages import Count, Json, KernelMessage, Model, ThreadId

Policy = Literal["strict", "record"]
"""strict: what breaks a rule is refused. record: everything is kept, each breach an anomaly."""


class Limits(Model):
    """How far the agent may go; what is not given is the kernel's default."""

    max_steps: Count | None = None
    max_delegations: Count | None = None
    max_rejections: Count | None = None


class ThreadStarted(KernelMessage):
    """The thread was started, with what it is for."""

    type: Literal["thread.started"] = "thread.started"
    goal: str | None = None
    parent: ThreadId | None = None
    limits: Limits | None = None
    policy: Policy = "strict"
    metadata: dict[str, Json] = Field(default_factory=dict)


class ThreadClosed(KernelMessage):
    """The thread was closed: nothing follows."""

    type: Literal["thread.closed"] = "thread.closed"
    reason: str | None = None


class ThreadAnnotated(KernelMessage):
    """Someone added to the thread's metadata; a null takes a key away."""

    type: Literal["thread.annotated"] = "thread.annotated"
    metadata: Annotated[dict[str, Json], Field(min_length=1)]


Fact = ThreadStarted | ThreadClosed | ThreadAnnotated
