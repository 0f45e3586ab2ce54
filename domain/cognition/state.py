"""The agent's state between steps: mylm's AgentState, field by field."""

from dataclasses import dataclass
from typing import Literal, Self

from agentlog.domain.json.values import JsonValue

Role = Literal["user", "assistant", "system", "tool"]

MAX_STEPS = 50
MAX_DELEGATIONS = 10
MAX_REJECTIONS = 2


@dataclass(frozen=True, slots=True)
class Message:
    """A message of the conversation, as sent to the model."""

    role: Role
    content: str

    @classmethod
    def of_success(cls, tool: str, output: str) -> Self:
        """Return the message for a tool that succeeded."""
        return cls("tool", f"Tool '{tool}' succeeded: {output}")

    @classmethod
    def of_failure(cls, tool: str, reason: str) -> Self:
        """Return the message for a tool that failed."""
        return cls("tool", f"Tool '{tool}' failed: {reason}")


@dataclass(frozen=True)
class AgentState:
    """An immutable state; each `with_*` returns a changed copy."""

    history: tuple[Message, ...] = ()
    step_count: int = 0
    max_steps: int = MAX_STEPS
    delegation_count: int = 0
    max_delegations: int = MAX_DELEGATIONS
    rejection_count: int = 0
    max_rejections: int = MAX_REJECTIONS
    scratchpad: str = ""
    shutdown_requested: bool = False
    pending_llm: bool = False
    pending_approval: bool = False

    @classmethod
    def new(cls, max_steps: int = MAX_STEPS) -> Self:
        """Return the initial state."""
        return cls(max_steps=max_steps)

    def increment_step(self, *, pending_llm: bool | None = None) -> Self:
        """Return the state with one more step; resets delegations and rejections to 0.

        `pending_llm`: whether it then waits for the model; None leaves that unchanged.
        """
        after = self._with()
        fields = after.__dict__
        fields["step_count"] += 1
        fields["delegation_count"] = fields["rejection_count"] = 0
        if pending_llm is not None:
            fields["pending_llm"] = pending_llm
        return after

    def with_message(self, message: Message) -> Self:
        """Return the state with `message` at the end of its history; copies the history."""
        return self._with(history=(*self.history, message))

    def with_rejection(self) -> Self:
        """Return the state with one more rejection."""
        return self._with(rejection_count=self.rejection_count + 1)

    def with_delegation(self) -> Self:
        """Return the state with one more delegation."""
        return self._with(delegation_count=self.delegation_count + 1)

    def with_scratchpad(self, text: str) -> Self:
        """Return the state with a note at the end of its scratchpad, on a line of its own."""
        notes = f"{self.scratchpad}\n{text}" if self.scratchpad else text
        return self._with(scratchpad=notes)

    def with_pending_llm(self, *, pending: bool) -> Self:
        """Return the state with `pending_llm` set to `pending`."""
        return self._with(pending_llm=pending)

    def with_pending_approval(self, *, pending: bool) -> Self:
        """Return the state with `pending_approval` set to `pending`."""
        return self._with(pending_approval=pending)

    def with_shutdown_requested(self) -> Self:
        """Return the state with shutdown requested."""
        return self._with(shutdown_requested=True)

    def with_limits(
        self,
        *,
        max_steps: int | None = None,
        max_delegations: int | None = None,
        max_rejections: int | None = None,
    ) -> Self:
        """Return the state with these limits; None leaves a limit unchanged."""
        return self._with(
            max_steps=self.max_steps if max_steps is None else max_steps,
            max_delegations=self.max_delegations if max_delegations is None else max_delegations,
            max_rejections=self.max_rejections if max_rejections is None else max_rejections,
        )

    def _with(self, **changes: object) -> Self:
        """Return the state with these fields changed."""
        # not `replace`: a fifth of its time, once for each message of a view
        after = object.__new__(type(self))
        after.__dict__.update(self.__dict__)
        after.__dict__.update(changes)
        return after

    @property
    def at_limit(self) -> bool:
        """Whether the step limit is reached."""
        return self.step_count >= self.max_steps

    @property
    def too_many_rejections(self) -> bool:
        """Whether the limit of rejections is reached."""
        return self.rejection_count >= self.max_rejections

    @property
    def can_continue(self) -> bool:
        """Whether no shutdown was requested and no limit is reached."""
        return not (self.shutdown_requested or self.at_limit or self.too_many_rejections)

    def to_json(self) -> dict[str, JsonValue]:
        """Return the state as a JSON object, with the names of mylm's Rust fields, in its order."""
        history = [{"role": message.role, "content": message.content} for message in self.history]
        return {**vars(self), "history": [*history]}
