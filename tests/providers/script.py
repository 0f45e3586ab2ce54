"""What a scripted provider answers: a request as far as it has read it, and scripts."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

Item = dict[str, Any]

_SHELLS = (
    "Bash bash exec_command shell_command shell local_shell run_command run_shell_command"
).split()


_SCHEMAS = ("parameters", "input_schema", "parametersJsonSchema", "parameters_json_schema")


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a tool that an answer asks for; the dialect gives it its id."""

    name: str
    arguments: Item


@dataclass(frozen=True, slots=True)
class Answer:
    """A model's answer in no dialect."""

    text: str | None = None
    calls: Sequence[Call] = ()
    input_tokens: int = 10
    output_tokens: int = 5


@dataclass(frozen=True, slots=True)
class Turn:
    """A request to a model: how many items and tool results its conversation has so far."""

    body: Item
    items: int
    results: int

    @property
    def model(self) -> str:
        """The model asked for."""
        return str(self.body["model"])

    @property
    def tools(self) -> dict[str, Item]:
        """The JSON schemas of the tools offered, by name."""
        return dict(_tools(self.body))


Script = Callable[[Turn], Answer]


@dataclass(frozen=True, slots=True)
class ShellCalls:
    """Calls the first shell-like tool offered, else the first tool, then says that it is done."""

    calls: int = 2

    def __call__(self, turn: Turn) -> Answer:
        tools, number = turn.tools, turn.results + 1
        name = next((name for name in _SHELLS if name in tools), next(iter(tools), None))
        if name is None or turn.results >= self.calls:
            return Answer(f"Done after {turn.results} calls.")
        return Answer(calls=[Call(name, _arguments(tools[name], number))])


@dataclass(slots=True)
class InOrder:
    """Gives these answers in the order of the requests, whatever they ask."""

    answers: Sequence[Answer]
    given: int = field(default=0, init=False)

    def __call__(self, _: Turn) -> Answer:
        answer = self.answers[self.given]
        self.given += 1
        return answer


def turn_of(body: Item, before: Turn | None) -> Turn:
    """Return what a request has; `before` is the turn that its `previous_response_id` names."""
    conversation = next(body[key] for key in ("input", "messages", "contents") if key in body)
    items = [conversation] if isinstance(conversation, str) else conversation
    results = sum(_results(item) for item in items if isinstance(item, dict))
    if before is None:
        return Turn(body, len(items), results)
    return Turn(body, before.items + len(items), before.results + results)


def _results(item: Item) -> int:
    if item.get("role") == "tool" or str(item.get("type", "")).endswith("_call_output"):
        return 1
    parts = item.get("parts", item.get("content"))
    if not isinstance(parts, list):
        return 0
    return sum(
        isinstance(part, dict) and ("functionResponse" in part or part.get("type") == "tool_result")
        for part in parts
    )


def _tools(body: Item) -> Iterator[tuple[str, Item]]:
    for tool in body.get("tools") or ():
        for function in tool.get("functionDeclarations", [tool.get("function", tool)]):
            schemas = (function.get(key) for key in _SCHEMAS)
            if "name" in function:
                yield function["name"], next(filter(None, schemas), {})


def _arguments(schema: Item, number: int) -> Item:
    """Return arguments that a tool's schema takes; a command prints its number."""
    properties: Item = schema.get("properties", {})
    arguments: Item = {}
    for name in schema.get("required") or list(properties)[:1]:
        kind = properties.get(name, {}).get("type", "string")
        kind = kind[0] if isinstance(kind, list) else kind
        values = {"integer": number, "number": number, "boolean": False, "array": [], "object": {}}
        arguments[name] = values.get(kind, f"value {number}")
    for name in {"command", "cmd"} & properties.keys():
        command = f"echo step-{number}"
        is_list = properties[name].get("type") == "array"
        arguments[name] = ["bash", "-lc", command] if is_list else command
    return arguments
