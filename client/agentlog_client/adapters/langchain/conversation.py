"""Which messages of a model call are new: each call brings all that was said before again."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from hashlib import blake2b

from langchain_core.messages import AIMessage, BaseMessage, ToolMessage

from agentlog_client.adapters.langchain.messages import Draft, drafts_of
from agentlog_client.identifiers import derived_id
from agentlog_client.json_text import printed


class Conversation:
    """The messages of a thread that were recorded.

    A message is known by its LangChain id, a result by the call that it answers. Without an id it
    is as many times new as it is said more often than before.
    """

    def __init__(self) -> None:
        self._ids_by_content: defaultdict[str, list[str | None]] = defaultdict(list)
        self._answered: set[str] = set()

    def new_in(self, messages: Sequence[BaseMessage]) -> Iterator[Draft]:
        """Yield the kernel messages of those that are new; they are known then."""
        used: defaultdict[str, set[int]] = defaultdict(set)
        for message in messages:
            drafts = [draft for draft in drafts_of(message) if draft["type"] != "llm_response"]
            content = _digest(drafts)
            ids, taken = self._ids_by_content[content], used[content]
            place = _place(message.id, ids, taken)
            if place is None:
                yield from self._added(message, drafts, content)
                place = len(ids) - 1
            elif message.id is not None:
                ids[place] = message.id
            taken.add(place)

    def answer(self, message: AIMessage, *, latency_ms: float) -> list[Draft]:
        """Return the kernel messages of a model's answer; it is known then."""
        drafts = drafts_of(message)
        others = [draft for draft in drafts if draft["type"] != "llm_response"]
        figures = next((draft for draft in drafts if draft["type"] == "llm_response"), {})
        response = {"type": "llm_response", **figures, "latencyMs": round(latency_ms, 1)}
        added = self._added(message, [response, *others], _digest(others))
        together = {"responseId": added[-1]["id"]}
        return [{**draft, "metadata": together} for draft in added]

    def result(self, call_id: str, result: Draft) -> list[Draft]:
        """Return the message of a tool's result, unless the call is answered; it is then."""
        if call_id in self._answered:
            return []
        self._answered.add(call_id)
        draft = {"type": "tool_results", "results": [{"callId": call_id, **result}]}
        return [{"id": derived_id("result", call_id), **draft}]

    def _added(self, message: BaseMessage, drafts: list[Draft], content: str) -> list[Draft]:
        ids = self._ids_by_content[content]
        ids.append(message.id)
        if isinstance(message, ToolMessage) and message.tool_call_id:
            return self.result(message.tool_call_id, drafts[0]["results"][0])
        name = message.id or derived_id(content, len(ids))
        # from the end: figures stand first, where they are known
        ids_of = [derived_id(name, n) for n in range(len(drafts))][::-1]
        return [{"id": id_of, **draft} for id_of, draft in zip(ids_of, drafts, strict=True)]


def _digest(drafts: Sequence[Draft]) -> str:
    return blake2b(printed(drafts), digest_size=16).hexdigest()


def _place(message_id: str | None, ids: Sequence[str | None], taken: set[int]) -> int | None:
    """Return the place of a message among those of its content; None if it is new."""
    if message_id in ids and message_id is not None:
        return ids.index(message_id)
    fitting = (
        place
        for place, known in enumerate(ids)
        if place not in taken and (message_id is None or known is None)
    )
    return next(fitting, None)
