"""Pydantic AI: message histories that are threads."""

from collections.abc import Sequence
from typing import Any

from pydantic_ai.messages import ModelMessage, ModelMessagesTypeAdapter

from agentlog_client import Client, NotThere
from agentlog_client.adapters.sessions import Batches, start_session
from agentlog_client.identifiers import thread_id
from agentlog_client.operation import Answer, Moment, Operation
from agentlog_client.operations.views import view


class AgentlogHistory:
    """Keeps the messages of a conversation in a thread, for `message_history` of the next run.

    The errors are those of the client. In asyncio, call it by `asyncio.to_thread`.
    """

    def __init__(self, name: str, client: Client | None = None) -> None:
        self._client = client or Client()
        self._thread_id = thread_id(name)
        self._metadata = {} if self._thread_id == name else {"source": name}
        self._batches = Batches(self._client, self._thread_id, "pydantic-ai")
        self._is_started = False

    def load(self, *, at: Moment | None = None) -> list[ModelMessage]:
        """Return the messages so far, or those at a point in time; none before the first."""
        source = view(self._thread_id, "source", at=at, bare=True)
        try:
            return self._client.send(Operation(source.request, _messages))
        except NotThere:
            if at is not None:
                raise
            return []

    def save(self, messages: Sequence[ModelMessage]) -> None:
        """Add the messages of a run, `result.new_messages()`: all or none."""
        items: list[dict[str, Any]] = ModelMessagesTypeAdapter.dump_python(
            list(messages), mode="json"
        )
        if not items:
            return
        if not self._is_started:
            start_session(self._client, self._thread_id, metadata=self._metadata)
            self._is_started = True
        self._batches.append(items)


def _messages(answer: Answer) -> list[ModelMessage]:
    # from the text itself: JSON that is parsed, printed and parsed again takes half as long again
    return ModelMessagesTypeAdapter.validate_json(answer.body)
