"""Spans of OpenTelemetry's GenAI conventions, and all that name their fields otherwise.

As sent by OpenTelemetry's own instrumentations, OpenLLMetry, Logfire, Pydantic AI, Vercel's AI SDK
and others: `names` has their names of fields. Messages are found by their shape where they do not
stand in the attributes of the conventions.
"""

from collections.abc import Mapping

from agentlog.domain.json.values import JsonValue, number_at, object_at, object_of, text_at
from agentlog.extensions.traces.projections.readers.dialects import events, names
from agentlog.extensions.traces.projections.readers.dialects.contents import (
    Contents,
    contents_in,
    left_of,
    values_of,
)
from agentlog.extensions.traces.projections.readers.dialects.events import messages_of
from agentlog.extensions.traces.projections.readers.dialects.figures import figures_in, model_in
from agentlog.extensions.traces.projections.readers.dialects.indexed import indexed_messages
from agentlog.extensions.traces.projections.readers.span import (
    Kind,
    Span,
    ToolRun,
    count,
    error_of,
    ids,
    known,
    only,
    times,
    tool_run,
)
from agentlog.projections.readers.fields import unpacked
from agentlog.projections.readers.messages import ai_sdk
from agentlog.projections.view import Item

_PREFIXES = (
    *("gen_ai.", "traceloop.", "ai.operationId", "ai.model.", "ai.toolCall.", "langsmith."),
    *("mlflow.span", "llm.", "openinference.", "genkit:metadata:subtype", "codex.tool.phase"),
    "braintrust.",
)
_INPUTS, _OUTPUTS = "gen_ai.input.messages", "gen_ai.output.messages"
_PROMPTS = ("gen_ai.prompt", "llm.input_messages")
_ANSWERS = ("gen_ai.completion", "llm.output_messages")
_INDEXED = tuple(f"{prefix}." for prefix in (*_PROMPTS, *_ANSWERS))
_SYSTEM = "gen_ai.system_instructions"


def is_known(attributes: Mapping[str, JsonValue]) -> bool:
    """Return whether a span is of generative AI: by a prefix, or by tokens that it counts."""
    return any(key.startswith(_PREFIXES) for key in attributes) or bool(figures_in(attributes))


def read(span: Item) -> Span:
    """Return the row of a span."""
    attributes = object_at(span, "attributes")
    begin, end = times(span)
    if text_at(attributes, "logfire.span_type") == "log":  # of no length; it says how long it took
        begin = max(0, end - round((number_at(attributes, "duration") or 0) * 1000))
    kind = kind_of(attributes)
    values = values_of(span)
    contents = Contents() if kind in {"tool", "other"} else _contents(span, attributes, values)
    parameters = object_of(unpacked(attributes.get("llm.invocation_parameters")))
    settings = {**parameters, **attributes} if parameters else attributes
    response = response_of(attributes)
    failed = error_of(span)
    if kind is None:  # a call of a model has an answer
        is_call = contents.outputs and ("usage" in response or "model" in response)
        kind = "chat" if is_call else "other"
    if _is_announced(attributes) and not (contents.outputs or "usage" in response or failed):
        kind = "other"
    tool, of_tool = _tool(span, attributes) if kind == "tool" else (None, frozenset[str]())
    # an agent around model calls becomes a record alone: its words may be in no message
    read_names = contents.names | of_tool if kind in {"chat", "tool"} else frozenset()
    return Span(
        **ids(span),
        kind=kind,
        begin=begin,
        end=end,
        agent=text_at(attributes, *names.AGENT),
        request=known(
            model=text_at(parameters, "model")
            or text_at(attributes, *names.MODEL_ASKED)
            or model_in(attributes, "request"),
            maxTokens=count(settings, *names.MOST_TOKENS),
            temperature=_number(settings, *names.TEMPERATURE),
            stream=_flag(settings, *names.STREAM),
        ),
        response=response,
        inputs=contents.inputs,
        outputs=contents.outputs,
        tool=tool,
        error=failed,
        records={text_at(span, "spanId") or "": span},
        teller="span" if any(key.startswith("codex.") for key in attributes) else "",
        left={**contents.beside, **left_of(values, read_names)},
    )


def _contents(span: Item, attributes: Mapping[str, JsonValue], values: Item) -> Contents:
    """Return what a model was given and gave back, by the conventions, else by its shape."""
    given, gave = events.of_span(span)
    inputs = messages_of(attributes, _INPUTS) or indexed_messages(attributes, *_PROMPTS)
    outputs = messages_of(attributes, _OUTPUTS) or indexed_messages(attributes, *_ANSWERS)
    inputs, outputs = inputs or given, outputs or gave
    read_names = {_INPUTS, _OUTPUTS, *(key for key in attributes if key.startswith(_INDEXED))}
    beside: Mapping[str, JsonValue] = {}
    if not (inputs and outputs):
        by_shape = contents_in({name: values[name] for name in values if name not in read_names})
        inputs, outputs = inputs or by_shape.inputs, outputs or by_shape.outputs
        read_names |= by_shape.names
        beside = by_shape.beside
    if (system := events.system_in(attributes)) and _SYSTEM not in read_names:
        inputs = [*system, *inputs]
        read_names.add(_SYSTEM)
    return Contents(inputs, outputs, frozenset(read_names), beside)


def response_of(attributes: Mapping[str, JsonValue]) -> Item:
    """Return the fields of `llm_response`."""
    return known(
        model=text_at(attributes, *names.MODEL_ANSWERED) or model_in(attributes, "response"),
        provider=text_at(attributes, *names.PROVIDER),
        finishReason=_finish_reason(attributes),
        usage=figures_in(attributes),
        costUsd=_number(attributes, *names.COST) or None,  # OpenLIT: 0 of models without a price
    )


def kind_of(attributes: Mapping[str, JsonValue]) -> Kind | None:
    """Return the kind of a span, None where its attributes do not say one that is known."""
    for key in names.KIND_KEYS:
        if (value := text_at(attributes, key)) is not None:
            words = (text_at(object_of(unpacked(value)), "type") or value).strip('"')
            words = words.partition(" ")[0]
            if (kind := names.KINDS.get(words.rpartition(".")[2].lower())) is not None:
                return kind
    if "codex.usage.total_tokens" in attributes:
        return "chat"
    return "tool" if "ai.toolCall.name" in attributes else None


def _is_announced(attributes: Mapping[str, JsonValue]) -> bool:
    """Return whether a span of Logfire's may be of a stream: its answer comes in another span."""
    return (
        text_at(attributes, "logfire.span_type") == "span"
        and text_at(attributes, "logfire.msg_template") is not None
        and "gen_ai.input.messages" in attributes
    )


def _finish_reason(attributes: Mapping[str, JsonValue]) -> str | None:
    match unpacked(attributes.get("gen_ai.response.finish_reasons")):
        case [str(reason), *_]:
            return "tool_calls" if reason == "tool_call" else reason
        case _:
            return text_at(attributes, *names.FINISH)


def _flag(attributes: Mapping[str, JsonValue], *keys: str) -> bool | None:
    flags = (attributes.get(key) for key in keys)
    return next((flag for flag in flags if isinstance(flag, bool)), None)


def _number(attributes: Mapping[str, JsonValue], *keys: str) -> int | float | None:
    numbers = (number_at(attributes, key) for key in keys)
    return next((number for number in numbers if number is not None), None)


def _opened(output: JsonValue) -> JsonValue:
    """Return an output without the object around it that LangSmith has."""
    opened = unpacked(output)
    inner = only(opened)
    return output if inner is opened else inner


def _tool(span: Item, attributes: Mapping[str, JsonValue]) -> tuple[ToolRun, frozenset[str]]:
    """Return the run of a tool, and the attributes that say so."""
    arguments, result = (
        next((key for key in keys if key in attributes), "")
        for keys in (names.ARGUMENTS, names.RESULT)
    )
    output = attributes.get(result)
    run = tool_run(
        text_at(attributes, *names.TOOL) or text_at(span, "name") or "unknown",
        call_id=text_at(attributes, *names.CALL_ID),
        arguments=unpacked(attributes.get(arguments)),
        output=ai_sdk.printed(output) if result.startswith("ai.") else _opened(output),
    )
    return run, frozenset({arguments, result})
