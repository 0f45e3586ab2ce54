"""Errors of facades.

NeedsModel                 a client asks for an answer, and no gateway is named
NoSession                  a client deletes from a thread that is no session
NotCancellable
UnknownItem
RunsNoAgent                a client asks for an agent or model at work
"""

from agentlog.domain.errors import AgentlogError, NotThere, Refused


class NeedsModel(AgentlogError, kind="unimplemented"):
    """Only a model can answer this."""

    def __init__(self) -> None:
        super().__init__(
            "agentlog asks no model: name a gateway in AGENTLOG_GATEWAY_URL, which passes this on "
            "and records it (`agentlog gateway`), or send it to the model's provider"
        )


class NoSession(Refused):
    """Items are deleted only from sessions."""

    def __init__(self, thread_id: str) -> None:
        super().__init__(
            f"thread {thread_id!r} is no session, from which clients may delete: it has no message "
            "of the type session.started"
        )
        self.thread_id = thread_id


class NotCancellable(Refused):
    """A response on record has ended."""

    def __init__(self) -> None:
        super().__init__("a response on record has ended: there is nothing to cancel")


class UnknownItem(NotThere):
    """There is no item or answer of that id."""

    def __init__(self, item_id: str) -> None:
        super().__init__(f"there is no {item_id[:140]!r}: it was deleted, or never was")
        self.item_id = item_id


class RunsNoAgent(AgentlogError, kind="unimplemented"):
    """The service keeps what agents did: it runs no agent and no model."""

    def __init__(self) -> None:
        super().__init__(
            "agentlog keeps messages, and runs no agent: send this to the agent's own service, "
            "and what comes of it here"
        )
