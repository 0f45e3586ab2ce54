"""What a model was given and gave back, by the shape of values, whatever attributes they stand in.

A tracer names its attributes as it likes, but what it puts there are messages of an API that our
readers know, as JSON or as text, or the parts of an answer. So names say only of which side a
value is. Attributes of a span's events stand under the name of the event and their own.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal

from agentlog.domain.json.values import JsonValue, object_at, objects_of, text_at, texts_of
from agentlog.extensions.traces.projections.nested_messages import defines_tool, messages_in
from agentlog.extensions.traces.projections.readers.dialects.events import beside_messages
from agentlog.extensions.traces.projections.readers.dialects.words import words_of
from agentlog.projections.call_texts import value_text
from agentlog.projections.readers.fields import text_of, unpacked
from agentlog.projections.readers.messages import ai_sdk
from agentlog.projections.readers.messages.calls import call_of
from agentlog.projections.view import Item

_Side = Literal["input", "output", "system", ""]

_INPUT = frozenset("input inputs prompt prompts query question request".split())
_OUTPUT = frozenset(
    """
    answer candidates choice choices completion completions final generation generations output
    outputs reply response responses result results
    """.split()
)
_THOUGHTS = frozenset({"reasoning", "thinking", "thoughts"})
_TEXTS = frozenset({*_INPUT, *_OUTPUT, "content", "message", "object", "text", "value"}) - {
    "candidates",
    "choice",  # of tools, mostly: a setting
    "choices",
}
_SETTINGS = frozenset(
    """
    agent cwd date description format functions headers host hostname id instrumentation metadata
    model name parameters path schema scope settings stacktrace tags template time timestamp tools
    type url version
    """.split()
)
"""How attributes end that say nothing of a conversation."""
_NO_WORDS = (
    *("ai.request.headers", "ai.telemetry.", "client.", "code.", "db.", "error.", "exception."),
    *("gen_ai.tool.definitions", "gen_ai.tool.description", "host.", "http.", "logfire.", "net."),
    *("os.", "otel.", "process.", "rpc.", "server.", "service.", "thread.", "user_agent."),
)
"""How attributes begin that say nothing of a conversation."""


@dataclass(frozen=True, slots=True)
class Contents:
    """What a model was given and gave back, and the names of the attributes that say so.

    `beside` are the texts of those attributes that stand beside the messages.
    """

    inputs: Sequence[Item] = ()
    outputs: Sequence[Item] = ()
    names: frozenset[str] = frozenset()
    beside: Mapping[str, JsonValue] = field(default_factory=dict)


@dataclass(slots=True)
class _Values:
    """The values of a side by the names of their attributes: messages, or parts of one."""

    messages: dict[str, list[Item]] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    thoughts: dict[str, str] = field(default_factory=dict)
    calls: dict[str, list[Item]] = field(default_factory=dict)

    def add(self, name: str, words: Sequence[str], value: JsonValue, text: str) -> None:
        """Add a value; `text` is it as text."""
        ends = words[-1] if words else ""
        messages = messages_in(value) if isinstance(value, dict | list) else None
        if ends == "calls" and (calls := _calls(value)):
            self.calls[name] = calls
        elif messages is not None:
            self.messages[name] = [message for message in messages if not defines_tool(message)]
        elif _THOUGHTS & {*words[-2:]}:
            self.thoughts[name] = text_of(value) or text
        elif ends in _TEXTS and text:
            texts = texts_of(value)
            if texts and texts == value:
                self.messages[name] = [{"content": item} for item in texts]
            else:
                self.texts[name] = text

    def longest(self) -> tuple[list[Item], set[str]]:
        """Return the most messages, and the attribute that they stand in."""
        name = max(self.messages, key=lambda name: (len(self.messages[name]), name), default="")
        return self.messages.get(name, []), {name}

    def spoken(self, role: str) -> list[Item]:
        """Return the texts as messages of a role, and the messages in that role."""
        texts: list[Item] = [
            {"role": role, "content": text} for text in dict.fromkeys(self.texts.values())
        ]
        messages = [message for messages in self.messages.values() for message in messages]
        return [*texts, *({**message, "role": role} for message in messages)]

    def answer(self) -> tuple[list[Item], set[str]]:
        """Return the answer in parts, and the attributes that they stand in."""
        thoughts = dict.fromkeys(self.thoughts.values())
        texts = dict.fromkeys(self.texts.values())
        content: list[JsonValue] = [{"type": "thinking", "thinking": text} for text in thoughts]
        content += [{"type": "text", "text": text} for text in texts]
        calls = [call for calls in self.calls.values() for call in calls]
        content += [call for call in calls if ai_sdk.is_call(call)]
        message: Item = {"role": "assistant", "content": content}
        if others := [call for call in calls if not ai_sdk.is_call(call)]:
            message["tool_calls"] = [*others]
        names = {*self.thoughts, *self.texts, *self.calls}
        return ([message] if names else []), names


def contents_in(values: Mapping[str, JsonValue]) -> Contents:
    """Return what is said by values under these names."""
    given, gave, prompts, history = _Values(), _Values(), _Values(), _Values()
    sides = {"input": given, "output": gave, "system": prompts, "": history}
    opened: Item = {}
    for name, value in values.items():
        if isinstance(value, str | list | dict) and not name.startswith(_NO_WORDS):
            words = words_of(name)
            text = value if isinstance(value, str) else value_text(value)
            opened[name] = unpacked(value)
            sides[_side_of(words)].add(name, words, opened[name], text)
    inputs, names = given.longest()
    if inputs:
        answers: list[Item] = []
    elif history.messages:
        inputs, names = history.longest()
        inputs, answers = _split(inputs)
    else:
        inputs, answers = given.spoken("user"), []
        names = {*given.texts}
    outputs, of_outputs = gave.longest()
    if not outputs:
        outputs, of_outputs = gave.answer()
    if inputs and not any(message.get("role") == "system" for message in inputs):
        inputs = [*prompts.spoken("system"), *inputs]
        names |= {*prompts.texts, *prompts.messages}
    outputs = answers or outputs
    names |= of_outputs
    messages = {id(message) for message in (*inputs, *outputs)}
    beside: Item = {
        name: [*texts]
        for name in sorted(names)
        if isinstance(opened.get(name), dict | list) and (texts := words_in(opened[name], messages))
    }
    return Contents(inputs, outputs, frozenset(names), beside)


def _has_words(name: str, value: JsonValue) -> bool:
    """Return whether an attribute may say something of a conversation: words, not a setting."""
    is_text = isinstance(value, str) and " " in value
    if not (is_text or isinstance(value, list | dict)) or name.startswith(_NO_WORDS):
        return False
    return not _is_setting(name)


@lru_cache(maxsize=4096)
def _is_setting(name: str) -> bool:
    words = words_of(name)
    return "usage" in words or (bool(words) and words[-1] in _SETTINGS)


def left_of(values: Item, names: Collection[str] = ()) -> Item:
    """Return the values with words but those under names that were read."""
    return {
        name: value
        for name, value in values.items()
        if name not in names and _has_words(name, value)
    }


def words_in(value: JsonValue, without: Collection[int] = ()) -> list[str]:
    """Return the texts of several words in a value, in JSON in texts too, in any order.

    Those of settings are left out, and of values whose `id` is in `without`.
    """
    words: list[str] = []
    values = [value]
    while values:  # of each span: `match` in a recursion takes 3x as long
        inner = values.pop()
        if id(inner) in without:
            continue
        if isinstance(inner, str):
            if " " in inner or inner[:1] in {"{", "["}:
                opened = unpacked(inner)
                if isinstance(opened, str):
                    words += [inner] if " " in inner else []
                else:
                    values.append(opened)
        elif isinstance(inner, list):
            values += inner
        elif isinstance(inner, dict):
            values += [inner[key] for key in inner if not _is_setting(key)]
    return words


def values_of(span: Item) -> Item:
    """Return the attributes of a span, and those of its events under the names of both.

    Of events of the conventions only what stands beside their messages: these are read by names.
    """
    values = dict(object_at(span, "attributes"))
    for event in objects_of(span.get("events")):
        name = text_at(event, "name") or "event"
        for key, value in beside_messages(event).items():
            place, n = f"{name}.{key}", 1
            while place in values:
                n += 1
                place = f"{name}.{n}.{key}"
            values[place] = value
    return values


def _side_of(words: Sequence[str]) -> _Side:
    if words[-1:] == ("instructions",) or {"system", "developer"} & {*words[-2:-1]}:
        return "system"
    for word in reversed(words):
        if word in _OUTPUT:
            return "output"
        if word in _INPUT:
            return "input"
    return ""


def _calls(value: JsonValue) -> list[Item]:
    return [call for call in objects_of(value) if call_of(call) or ai_sdk.is_call(call)]


def _split(messages: Sequence[Item]) -> tuple[list[Item], list[Item]]:
    """Return a history before its answer, and the answer: what the assistant said last."""
    end = len(messages)
    while end and text_at(messages[end - 1], "role") in {"assistant", "model", "ai"}:
        end -= 1
    return [*messages[:end]], [*messages[end:]]
