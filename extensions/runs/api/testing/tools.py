"""Tools of an agent, answered from a recorded run."""

import inspect
from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any

from typing_extensions import override

from agentlog.domain.errors import InvalidInput, InvalidJson
from agentlog.domain.json.text import parse, print_checked
from agentlog.domain.json.values import JsonValue, array_of, text_at, texts_of
from agentlog.extensions.runs.api.testing.sources import Source, calls_of
from agentlog.extensions.runs.infrastructure.exchanges.tool_calls import (
    ToolCalls,
    calls_go_to,
    is_url,
)
from agentlog.extensions.runs.projections.tapes.recorded_tools import (
    CallNotRecorded,
    RecordedCall,
    RecordedTools,
    ToolMode,
)
from agentlog.extensions.runs.projections.tapes.tool_tape import CallRefused

Parse = Callable[[Any], Any]


class RecordedToolError(Exception):
    """What a tool raised in the recorded run: the text that the model got."""


class UnfitArguments(InvalidInput):
    """Arguments that no model can have given."""


class NoFunction(InvalidInput):
    """A tool that is to run has only a name."""


class ToolReplayer:
    """Makes tools that answer as in a recorded run, in place of an agent's own.

    `recorded` has the calls: those `unused`, `missed` and `drifted`.
    """

    def __init__(self, recorded: RecordedTools) -> None:
        self.recorded = recorded

    def __call__(
        self, tool: Callable[..., Any] | str, *, name: str | None = None, parse: Parse | None = None
    ) -> Callable[..., Any]:
        """Return a tool that answers in place of `tool`, a function or the name of one.

        `name` is what the model knows the tool by, if that is not the function's name. `parse`
        makes the tool's value from the output that the model got; without it the tool returns that.
        It raises `RecordedToolError` where the recorded tool failed, and `CallNotRecorded` where
        no recorded call fits.
        """
        if isinstance(tool, str):
            return self._replaced(tool, None, parse)
        replaced = self._replaced(name or tool.__name__, inspect.signature(tool), parse)
        if not inspect.iscoroutinefunction(tool):
            return wraps(tool)(replaced)

        @wraps(tool)
        async def answer(*args: object, **kwargs: object) -> object:
            return replaced(*args, **kwargs)

        return answer

    def answer(self, name: str, arguments: object) -> JsonValue:
        """Return the output of a recorded call, for programs that run tools by their names."""
        call = self.recorded.answer(name, _json(arguments))
        if call.error is not None:
            raise RecordedToolError(call.error)
        return call.output

    def check(self) -> None:
        """Raise `AssertionError` where calls were missed, or recorded ones not used."""
        problems = [*self.problems()]
        if problems:
            raise AssertionError("\n".join(problems))

    def problems(self) -> Iterator[str]:
        """Yield what is not as recorded, a line each."""
        for missed in self.recorded.missed:
            yield str(missed)
        for call in self.recorded.unused:
            yield f"recorded, and not called: {call}"

    def _replaced(
        self, name: str, signature: inspect.Signature | None, parse: Parse | None
    ) -> Callable[..., Any]:
        self.recorded.expect(name)

        def answer(*args: object, **kwargs: object) -> object:
            output = self.answer(name, self._arguments(name, signature, args, kwargs))
            return output if parse is None else parse(output)

        return answer

    def _arguments(
        self,
        name: str,
        signature: inspect.Signature | None,
        args: tuple[object, ...],
        kwargs: dict[str, object],
    ) -> object:
        """Return the arguments of a call as a model gives them.

        What no recorded call has is the program's own, as `self` or a context.
        """
        if signature is not None:
            fields = self.recorded.fields(name)
            bound = _by_name(signature.bind(*args, **kwargs))
            return {key: bound[key] for key in bound if fields is None or key in fields}
        if args:
            (only,) = args
            return only
        return kwargs


class LiveTools(ToolReplayer):
    """Tools that run."""

    def __init__(self) -> None:
        super().__init__(RecordedTools([]))

    @override
    def __call__(
        self, tool: Callable[..., Any] | str, *, name: str | None = None, parse: Parse | None = None
    ) -> Callable[..., Any]:
        if isinstance(tool, str):
            raise NoFunction(f"recorded_tool({tool!r}) has nothing to run: give it the function")
        return tool


class _ToolsOfReplay(RecordedTools):
    """Recorded calls that `agentlog replay` has, for all processes of its command."""

    def __init__(self, calls: ToolCalls) -> None:
        super().__init__([])
        self._calls = calls

    @override
    def expect(self, name: str) -> None:
        self.fields(name)

    @override
    def fields(self, name: str) -> frozenset[str] | None:
        fields = self._calls.ask({"tool": name}).get("fields")
        return None if fields is None else frozenset(texts_of(fields))

    @override
    def answer(self, name: str, arguments: JsonValue) -> RecordedCall:
        answer = self._calls.ask({"tool": name, "arguments": arguments})
        if "refused" in answer:
            raise CallRefused(name, arguments)
        if "nearest" in answer:
            free = [RecordedCall(name, nearest, None) for nearest in array_of(answer["nearest"])]
            raise CallNotRecorded(name, arguments, free)
        return RecordedCall(name, arguments, answer.get("output"), text_at(answer, "error"))


def recorded_tool(source: Source | None = None, *, mode: ToolMode = "strict") -> ToolReplayer:
    """Return what makes tools that answer as in the recorded run of a file or a thread.

    A call with other arguments than any recorded one raises `CallNotRecorded`; in mode `fifo` the
    next recorded call of the same tool answers it. Raises `AgentlogError` where there is no run.

    Without a source it is the run that `agentlog replay --tools recorded` replays; with `--tools
    refuse` each call raises `CallRefused`. Everywhere else the tools just run.
    """
    if source is not None:
        return ToolReplayer(RecordedTools(calls_of(source), mode=mode))
    place = calls_go_to()
    return ToolReplayer(_ToolsOfReplay(ToolCalls(place))) if is_url(place) else LiveTools()


def _by_name(bound: inspect.BoundArguments) -> dict[str, object]:
    """Return arguments by their names, those of `**kwargs` by their own."""
    named: dict[str, object] = {}
    for key, value in bound.arguments.items():
        if bound.signature.parameters[key].kind is inspect.Parameter.VAR_KEYWORD:
            named.update(value)
        else:
            named[key] = value
    return named


def _json(arguments: object) -> JsonValue:
    try:
        return parse(print_checked(arguments))
    except InvalidJson as error:
        raise UnfitArguments(f"arguments of a tool are no JSON: {error}") from error
