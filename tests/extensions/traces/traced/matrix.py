"""Which agents are traced, by which instrumentations, and what their spans lack."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

Item = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Traced:
    """A program of `programs`: what traces it, the API that it asks, and how that answers.

    `lacks` are keys of `LACKS`: in these the view differs from what the model was sent.
    """

    agent: str
    instrumentation: str
    api: str
    mode: str
    lacks: frozenset[str] = frozenset()

    @property
    def name(self) -> str:
        """The name of its recording."""
        return f"{self.agent}-{self.instrumentation}-{self.api}-{self.mode}".replace("_", "-")


def _spelling(messages: list[Item]) -> None:
    for call in _calls(messages):
        call["function"]["arguments"] = json.loads(call["function"]["arguments"])


def _ids(messages: list[Item]) -> None:
    names: dict[str, str] = {}
    for call in _calls(messages):
        call["id"] = names.setdefault(call["id"], f"call {len(names)}")
    for message in messages:
        if message["role"] == "tool":
            message["tool_call_id"] = names[message["tool_call_id"]]


def _thoughts(messages: list[Item]) -> None:
    for message in messages:
        if str(message["content"]).startswith("<think>"):
            message["content"] = None
    messages[:] = [message for message in messages if message["content"] or "tool_calls" in message]


def _order(messages: list[Item]) -> None:
    messages[:] = [
        message
        for is_result, run in groupby(messages, lambda message: bool(message["role"] == "tool"))
        for message in (
            sorted(run, key=lambda message: str(message["content"])) if is_result else run
        )
    ]


def _failures(messages: list[Item]) -> None:
    refunds = {call["id"] for call in _calls(messages) if call["function"]["name"] == "refund"}
    for message in messages:
        if message.get("tool_call_id") in refunds:
            message["content"] = "failed"


def _answers(messages: list[Item]) -> None:
    """Leave each message but the last answer once, in any order, with the failed result's text."""
    _failures(messages)
    texts = {
        (message["role"], message["content"]) for message in messages[:-1] if message["content"]
    }
    calls = {("call", json.dumps(call["function"], sort_keys=True)) for call in _calls(messages)}
    told = ("assistant", "4711 is in Hamburg; 4712 is lost.")
    messages[:] = [{"role": role, "content": text} for role, text in sorted(texts | calls - {told})]


def _calls(messages: list[Item]) -> Iterator[Item]:
    return (call for message in messages for call in message.get("tool_calls", ()))


@dataclass(frozen=True, slots=True)
class Lack:
    """What spans may not tell; `taken` takes it out of messages."""

    meaning: str
    taken: Callable[[list[Item]], None]


LACKS = {
    "spelling": Lack("arguments are values, not as the model wrote them", _spelling),
    "ids": Lack("a call has the id of its item, not its own", _ids),
    "thoughts": Lack("thoughts that are sent as text are thoughts", _thoughts),
    "order": Lack("results of tools that run at once come as they end", _order),
    "failures": Lack(
        "a failed result is its error, unless the next request is in the same batch", _failures
    ),
    "answers": Lack(
        "no model span has its answer: the next request tells it, none the last one, and runs of "
        "tools are there twice",
        _answers,
    ),
}
SPELLING, IDS, THOUGHTS, ORDER, FAILURES, ANSWERS = LACKS

_BY: Mapping[str, Sequence[str]] = {
    "openai_client": ("genai", "logfire", "openinference", "openllmetry"),
    "agents_sdk": ("genai", "logfire", "openinference", "openllmetry"),
    "langchain_agent": ("genai", "langfuse", "openinference", "openllmetry"),
    "pydantic_agent": ("own",),
}


def _lacks(agent: str, instrumentation: str, api: str) -> Iterator[str]:
    match agent, instrumentation, api:
        case "agents_sdk", "openllmetry", "chat":
            yield from (SPELLING, ANSWERS)
        case "openai_client", "openllmetry", "responses":
            yield from (SPELLING, IDS)
        case "pydantic_agent", _, _:
            yield from (SPELLING, ORDER, FAILURES)
            if api == "responses":
                yield THOUGHTS
        case "langchain_agent", "openinference", _:
            yield ORDER
        case "langchain_agent", "langfuse", "responses":
            yield ORDER
        case "langchain_agent", _, _:
            yield from (SPELLING, ORDER)
        case (_, "openinference", _) | ("agents_sdk", "logfire", _):
            pass
        case _:
            yield SPELLING


MATRIX = [
    Traced(agent, instrumentation, api, mode, frozenset(_lacks(agent, instrumentation, api)))
    for agent, instrumentations in _BY.items()
    for instrumentation in instrumentations
    for api in ("chat", "responses")
    for mode in ("plain", "streamed", "streamed-without-roles")
    if mode != "streamed-without-roles"
    or (agent, instrumentation, api) == ("openai_client", "openinference", "chat")
]
