"""Reader of Langfuse's observations: answers of its API, exports as JSON lines, downloaded traces.

Fields are named in camel case, in exports in snake case with inputs and outputs as JSON text.
"""

import re
from collections.abc import Iterator

from agentlog.domain.errors import InvalidMessage
from agentlog.domain.json.values import JsonValue, array_of, number_at, object_of, text_at
from agentlog.extensions.traces.projections.readers.dialects.langfuse import figures_of
from agentlog.extensions.traces.projections.readers.dialects.semconv import response_of
from agentlog.extensions.traces.projections.readers.files import Row, by_thread, read_rows
from agentlog.extensions.traces.projections.readers.span import (
    Span,
    count,
    known,
    messages_of,
    only,
    tool_run,
)
from agentlog.projections.readers.fields import milliseconds, number, text_of_id, unpacked
from agentlog.projections.readers.history import Format, History
from agentlog.projections.readers.reading import custom_type
from agentlog.projections.view import Item

_FIELDS = """
    bookmarked calculatedInputCost calculatedOutputCost calculatedTotalCost completionStartTime
    completionTokens costDetails createdAt depth endTime environment eventTs history htmlPath id
    input inputCost inputPrice inputUsage internalModelId isDeleted isRootObservation latency
    level metadata model modelId modelParameters name output outputCost outputPrice outputUsage
    parentObservationId projectId promptId promptName promptTokens promptVersion
    providedCostDetails providedModelName providedUsageDetails public release scores sessionId
    startTime statusMessage tags timestamp timeToFirstToken toolCallNames toolCalls toolDefinitions
    totalCost totalPrice totalTokens totalUsage traceId traceName type unit updatedAt usage
    usageDetails usagePricingTierId usagePricingTierName userId version
"""
_UPPER = re.compile(r"(?=[A-Z])")
_KNOWN = frozenset({*_FIELDS.split(), *_UPPER.sub("_", _FIELDS).lower().split()})
_KINDS = "agent chain embedding evaluator event generation guardrail retriever span tool"
_TYPES = frozenset(_KINDS.upper().split())
_FACTS = ("name", "userId", "sessionId", "environment", "release", "version", "totalCost")


def _read(document: JsonValue) -> Iterator[History]:
    beside = dict(object_of(document))
    match document:
        case {"observations": list(items)}:
            del beside["observations"]
            if trace := object_of(beside.get("trace")):
                del beside["trace"]
            yield _trace({**beside, **trace}, items)
        case {"data": list(items)}:
            del beside["data"]
            yield from _sessions(_rows(items, "data"), beside)
        case list(items):
            yield from _sessions(_rows(items, ""), {})
        case _:
            yield from _sessions([_row(document, "")], {})


def _trace(trace: Item, items: list[JsonValue]) -> History:
    """Return a downloaded trace as a thread; what is said of it stands first."""
    trace_id = _text(trace, "id") or ""
    rows = _rows(items, "observations", trace=trace_id)
    starts = [milliseconds(_of(trace, "timestamp")), *(row.span.begin for row in rows)]
    begin = min((start for start in starts if start is not None), default=None)
    head = Span(
        trace_id=trace_id,
        span_id="",  # stands above the roots
        kind="other",
        begin=begin,
        end=begin,
        records={"trace": trace},
        record_type="langfuse.trace",
    )
    return read_rows(
        "langfuse",
        [Row(head, trace, "trace"), *rows],
        known=_KNOWN,
        thread_id=trace_id,
        metadata=_facts(trace),
    )


def _sessions(rows: list[Row], beside: Item) -> Iterator[History]:
    """Yield a thread for each session, and for each trace in none; the first has what is beside."""
    threads = by_thread(rows, lambda row: _text(row.item, "sessionId"))
    for thread_id, of_thread in threads.items():
        first = of_thread[0].item
        facts = _facts({**first, "name": _of(first, "traceName"), "totalCost": None})
        metadata = {**beside, **facts}
        yield read_rows("langfuse", of_thread, known=_KNOWN, thread_id=thread_id, metadata=metadata)
        beside = {}


def _rows(items: list[JsonValue], place: str, *, trace: str = "") -> list[Row]:
    return [_row(item, f"{place}[{n}]", trace=trace) for n, item in enumerate(items)]


def _row(value: JsonValue, place: str, *, trace: str = "") -> Row:
    item = object_of(value)
    own_id, kind = _text(item, "id"), _text(item, "type")
    trace = _text(item, "traceId") or trace
    if own_id is None or kind is None or not trace:
        raise InvalidMessage.at(place, "no observation: it needs id, type and traceId")
    metadata = object_of(unpacked(_of(item, "metadata")))
    attributes = object_of(unpacked(metadata.get("attributes")))
    asked, answered = _of(item, "input"), _of(item, "output")
    is_model = kind.upper() == "GENERATION"
    is_tool = not is_model and _is_tool(kind, attributes, answered)
    name = text_at(attributes, "gen_ai.tool.name") or _text(item, "name") or kind.lower()
    failed = _of(item, "level") == "ERROR"
    span = Span(
        trace_id=trace,
        span_id=own_id,
        parent_id=_text(item, "parentObservationId") or "",
        kind="chat" if is_model else "tool" if is_tool else "other",
        begin=milliseconds(_of(item, "startTime")),
        end=milliseconds(_of(item, "endTime")),
        request=_request(item),
        response=_response(item, metadata, attributes),
        inputs=messages_of(asked) if is_model else (),
        outputs=messages_of(answered) if is_model else (),
        tool=tool_run(
            name,
            call_id=text_of_id(attributes.get("gen_ai.tool.call.id")),
            arguments=only(unpacked(asked)),
            output=only(answered),
        )
        if is_tool
        else None,
        error=(_text(item, "statusMessage") or "failed") if failed else None,
        records={own_id: item},
        record_type=custom_type("langfuse", kind.lower()),
    )
    return Row(span, item, place, is_known=kind.upper() in _TYPES)


def _is_tool(kind: str, attributes: Item, output: JsonValue) -> bool:
    """Return whether an observation is the run of a tool; LangChain's give back a message."""
    answer = object_of(unpacked(output))
    of_message = answer.get("type") == "tool" and "tool_call_id" in answer
    is_named = attributes.get("gen_ai.operation.name") == "execute_tool"
    return kind.upper() == "TOOL" or is_named or of_message


def _request(item: Item) -> Item:
    given = object_of(unpacked(_of(item, "modelParameters")))
    most = count(given, "maxTokens", "max_tokens")
    return known(temperature=number_at(given, "temperature"), maxTokens=most)


def _response(item: Item, metadata: Item, attributes: Item) -> Item:
    response = response_of(attributes)
    response.pop("usage", None)
    model = _text(item, "model") or _text(item, "providedModelName")
    provider = _text(metadata, "ls_provider")
    response |= {} if model is None else {"model": model}
    response |= {} if provider is None else {"provider": provider}
    if figures := figures_of(_details(item)):
        response["usage"] = figures
    costs = object_of(unpacked(_of(item, "costDetails")))
    candidates = (costs.get("total"), _of(item, "totalCost"), _of(item, "calculatedTotalCost"))
    if cost := next(filter(None, map(number, candidates)), None):  # 0: not known
        response["costUsd"] = cost
    return response


def _details(item: Item) -> Item:
    """Return the token figures of an observation, from where its version has them."""
    details = object_of(unpacked(_of(item, "usageDetails")))
    if details:
        return details
    counts = {**item, **object_of(unpacked(item.get("usage")))}
    names = {"input": "promptTokens", "output": "completionTokens", "total": "totalTokens"}
    figures = {"input": "inputUsage", "output": "outputUsage", "total": "totalUsage"}
    usage: Item = {}
    for key, older in names.items():
        for name in (figures[key], older, key):
            if number(_of(counts, name)) is not None:
                usage[key] = _of(counts, name)
    return usage


def _facts(trace: Item) -> Item:
    """Return facts of a trace, and its scores as `score.NAME`."""
    given = {key: value for key in _FACTS if (value := _of(trace, key)) not in (None, "", 0)}
    facts: Item = {k: value for k, value in given.items() if not isinstance(value, dict | list)}
    tags = array_of(_of(trace, "tags"))
    texts = [tag for tag in tags if isinstance(tag, str)]
    if texts and len(texts) == len(tags):
        facts["tags"] = ", ".join(texts)
    for score in array_of(trace.get("scores")):
        match score:
            case {"name": str(name), "value": int() | float() | str() as value}:
                facts[f"score.{name}"] = value
            case _:
                pass
    return facts


def _of(item: Item, key: str) -> JsonValue:
    """Return a field, named in camel case or in snake case."""
    return item[key] if key in item else item.get(_UPPER.sub("_", key).lower())


def _text(item: Item, key: str) -> str | None:
    value = _of(item, key)
    return value if isinstance(value, str) and value else None


def _is_item(value: JsonValue) -> bool:
    match value:
        case {"id": str(), "type": str(kind), "traceId": str(), "startTime": str()} | {
            "id": str(),
            "type": str(kind),
            "trace_id": str(),
            "start_time": str(),
        }:
            return kind in _TYPES
        case _:
            return False


def _is_document(value: JsonValue) -> bool:
    match value:
        case {"trace": {"id": str()}, "observations": list(items)}:
            return all(isinstance(item, dict) and "type" in item for item in items)
        case {"id": str(), "observations": [_, *_] as items} | {"data": [_, *_] as items}:
            return all(map(_is_item, items))
        case _:
            return False


FORMAT = Format(
    "langfuse",
    "Langfuse observations",
    _read,
    _is_document,
    _is_item,
    unit="session or trace",
    is_sorted=True,
)
