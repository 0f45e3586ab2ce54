"""Reader of Langfuse's observations: answers of its API, exports as JSON lines, downloaded traces.

Fields are named in camel case, in exports in snake case with inputs and outputs as JSON text.
"""

import re
from collections.abc import Iterator

from agentlog.domain.errors import InvalidMessage
from agentlog.domain.json.text import JsonValue
from agentlog.projections.readers.fields import Fields
from agentlog.projections.readers.history import Format, History
from agentlog.projections.readers.messages.blocks import number, text_of_id
from agentlog.projections.readers.messages.genai import decoded, response_of
from agentlog.projections.readers.spans.spans import Span, read_spans
from agentlog.projections.readers.times import milliseconds
from agentlog.projections.view import Item

_CAMEL = (
    *("bookmarked", "calculatedInputCost", "calculatedOutputCost", "calculatedTotalCost"),
    *("completionStartTime", "completionTokens", "costDetails", "createdAt", "depth", "endTime"),
    *("environment", "eventTs", "history", "htmlPath", "id", "input", "inputCost", "inputPrice"),
    *("inputUsage", "internalModelId", "isDeleted", "isRootObservation", "latency", "level"),
    *("metadata", "model", "modelId", "modelParameters", "name", "output", "outputCost"),
    *("outputPrice", "outputUsage", "parentObservationId", "projectId", "promptId", "promptName"),
    *("promptTokens", "promptVersion", "providedCostDetails", "providedModelName"),
    *("providedUsageDetails", "public", "release", "scores", "sessionId", "startTime"),
    *("statusMessage", "tags", "timeToFirstToken", "toolCallNames", "toolCalls"),
    *("toolDefinitions", "totalCost", "totalPrice", "totalTokens", "totalUsage", "traceId"),
    *("traceName", "type", "unit", "updatedAt", "usage", "usageDetails", "usagePricingTierId"),
    *("usagePricingTierName", "userId", "version"),
)
_UPPER = re.compile(r"(?=[A-Z])")
_KNOWN = frozenset({*_CAMEL, *(_UPPER.sub("_", key).lower() for key in _CAMEL)})
_TYPES = frozenset(
    {
        *("AGENT", "CHAIN", "EMBEDDING", "EVALUATOR", "EVENT", "GENERATION", "GUARDRAIL"),
        *("RETRIEVER", "SPAN", "TOOL"),
    }
)
_FACTS = ("name", "userId", "sessionId", "environment", "release", "version", "totalCost")


def _read(document: JsonValue) -> Iterator[History]:
    match document:
        case {"observations": list(items)}:
            head = {key: value for key, value in document.items() if key != "observations"}
            trace = _object(head.get("trace"))
            if trace:
                del head["trace"]
            yield _trace({**head, **trace}, items)
        case {"data": list(items)} | list(items):
            is_page = isinstance(document, dict)
            rows = [_row(item, "data" if is_page else "", n) for n, item in enumerate(items)]
            beside = {key: document[key] for key in document if key != "data"} if is_page else {}
            yield from _sessions(list(map(_span, rows)), beside)
        case _:
            yield from _sessions([_span(Fields(document, ""))], {})


def _trace(trace: Item, items: list[JsonValue]) -> History:
    """Return a downloaded trace as a thread; what is said of it stands first."""
    trace_id = _text(trace, "id") or ""
    spans = [_span(_row(item, "observations", n), trace=trace_id) for n, item in enumerate(items)]
    starts = [milliseconds(_of(trace, "timestamp")), *(span.start for span in spans)]
    head = Span(
        row=Fields(trace, "trace"),
        id="",  # stands above the roots
        trace=trace_id,
        parent=None,
        kind="other",
        type="trace",
        name="",
        given="input",
        gave="output",
        start=min((start for start in starts if start is not None), default=None),
    )
    reading = read_spans("langfuse", [head, *spans], known=_KNOWN)
    return reading.history(id=trace_id or None, metadata=_facts(trace))


def _sessions(spans: list[Span], beside: Item) -> Iterator[History]:
    """Yield a thread for each session, and for each trace in none; the first has what is beside."""
    named: dict[str, str] = {}
    for span in spans:
        if (session := _text(span.row.item, "sessionId")) is not None:
            named.setdefault(span.trace, session)
    threads: dict[str, list[Span]] = {}
    for span in spans:
        threads.setdefault(named.get(span.trace, span.trace), []).append(span)
    for thread, of_thread in threads.items():
        reading = read_spans("langfuse", of_thread, known=_KNOWN)
        row = of_thread[0].row.item
        facts = _facts({**row, "name": _of(row, "traceName"), "totalCost": None})
        yield reading.history(id=thread, metadata={**beside, **facts})
        beside = {}


def _row(item: JsonValue, place: str, number_: int) -> Fields:
    return Fields(item, f"{place}[{number_}]")


def _span(row: Fields, trace: str = "") -> Span:
    item = row.item
    own_id, kind = _text(item, "id"), _text(item, "type")
    trace = _text(item, "traceId") or trace
    if own_id is None or kind is None or not trace:
        raise InvalidMessage.at(row.place, "no observation: it needs id, type and traceId")
    metadata = _object(decoded(_of(item, "metadata")))
    attributes = _object(decoded(metadata.get("attributes")))
    output = _object(decoded(_of(item, "output")))
    call_id = attributes.get("gen_ai.tool.call.id")
    is_tool = kind.upper() == "TOOL" or attributes.get("gen_ai.operation.name") == "execute_tool"
    of_message = output.get("type") == "tool" and "tool_call_id" in output
    failed = _of(item, "level") == "ERROR"
    end = milliseconds(_of(item, "endTime"))
    return Span(
        row=row,
        id=own_id,
        trace=trace,
        parent=_text(item, "parentObservationId"),
        kind="model"
        if kind.upper() == "GENERATION"
        else "tool"
        if is_tool or of_message
        else "other",
        type=kind.lower(),
        name=_text(attributes, "gen_ai.tool.name") or _text(item, "name") or kind.lower(),
        given="input",
        gave="output",
        start=milliseconds(_of(item, "startTime")),
        end=end,
        request=_request(item),
        response=_response(item, metadata, attributes),
        error=(_text(item, "statusMessage") or "failed") if failed else None,
        has_ended=end is not None and not failed,
        call_id=text_of_id(call_id),
        is_known=kind.upper() in _TYPES,
    )


def _request(item: Item) -> Item:
    parameters = _object(decoded(_of(item, "modelParameters")))
    request: Item = {}
    temperature, most = parameters.get("temperature"), _of(parameters, "maxTokens")
    if type(temperature) is int or isinstance(temperature, float):
        request["temperature"] = temperature
    if type(most) is int and most >= 0:
        request["maxTokens"] = most
    return request


def _response(item: Item, metadata: Item, attributes: Item) -> Item:
    response = response_of(attributes)
    response.pop("usage", None)
    model = _text(item, "model") or _text(item, "providedModelName")
    provider = _text(metadata, "ls_provider")
    response |= {} if model is None else {"model": model}
    response |= {} if provider is None else {"provider": provider}
    if figures := _usage(_details(item)):
        response["usage"] = figures
    costs = _object(decoded(_of(item, "costDetails")))
    candidates = (costs.get("total"), _of(item, "totalCost"), _of(item, "calculatedTotalCost"))
    if cost := next(filter(None, map(number, candidates)), None):  # 0: not known
        response["costUsd"] = cost
    return response


def _details(item: Item) -> Item:
    """Return the token figures of an observation, from where its version has them."""
    details = _object(decoded(_of(item, "usageDetails")))
    if details:
        return details
    counts = {**item, **_object(decoded(item.get("usage")))}
    names = {"input": "promptTokens", "output": "completionTokens", "total": "totalTokens"}
    figures = {"input": "inputUsage", "output": "outputUsage", "total": "totalUsage"}
    usage: Item = {}
    for key, older in names.items():
        for name in (figures[key], older, key):
            if number(_of(counts, name)) is not None:
                usage[key] = _of(counts, name)
    return usage


def _usage(details: Item) -> Item:
    """Return token figures under the catalogue's names.

    Details such as `input_cached_tokens` are not among `input`, unless the total says so.
    """
    numbers = {k: int(n) for k, detail in details.items() if (n := _count(detail)) is not None}
    if not any(numbers.values()):  # 0: not known
        return {}
    total = numbers.get("total")
    apart = total != numbers.get("input", 0) + numbers.get("output", 0)
    usage: Item = {} if total is None else {"totalTokens": total}
    for side, ours in (("input", "inputTokens"), ("output", "outputTokens")):
        more = sum(n for key, n in numbers.items() if key.startswith(f"{side}_")) if apart else 0
        if side in numbers:
            usage[ours] = numbers[side] + more
    for key, n in numbers.items():
        if "cache" in key and "creation" not in key and "write" not in key:
            usage["cachedInputTokens"] = n
        elif "reasoning" in key:
            usage["reasoningTokens"] = n
    return usage


def _count(value: JsonValue) -> int | None:
    figure = number(value)
    return figure if type(figure) is int else None


def _facts(trace: Item) -> Item:
    """Return facts of a trace, and its scores as `score.NAME`."""
    given = {key: value for key in _FACTS if (value := _of(trace, key)) not in (None, "", 0)}
    facts = {key: value for key, value in given.items() if not isinstance(value, dict | list)}
    tags, scores = _of(trace, "tags"), trace.get("scores")
    if isinstance(tags, list) and tags and all(isinstance(tag, str) for tag in tags):
        facts["tags"] = ", ".join(tags)
    for score in scores if isinstance(scores, list) else ():
        match score:
            case {"name": str(name), "value": int() | float() | str() as value}:
                facts[f"score.{name}"] = value
            case _:
                pass
    return facts


def _of(item: Item, key: str) -> JsonValue:
    """Return a field, named in camel case or in snake case."""
    return item[key] if key in item else item.get(_UPPER.sub("_", key).lower())


def _object(value: JsonValue) -> Item:
    return value if isinstance(value, dict) else {}


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
