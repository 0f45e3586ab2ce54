"""Which answer is of which call: one truth for all that say it, judged by the rule in words.

The judge reads the JSON of the events alone. What is asked for and what answers is numbered in
contents, so that spans and replays show by those which ones they pair.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from agentlog.api.http.request.limits import USUAL
from agentlog.domain.events import Event
from agentlog.domain.json.text import parse
from agentlog.domain.json.values import object_of, text_at
from agentlog.extensions.traces.api.otlp.protobuf import records_of_protobuf
from agentlog.extensions.traces.api.otlp.work import Work
from agentlog.extensions.traces.projections.export.otlp_protobuf import printed
from agentlog.extensions.traces.projections.export.spans import spans_of
from agentlog.projections.outcomes.pairs import MOST_OPEN
from agentlog.projections.readmodels.approvals import Approvals
from agentlog.projections.readmodels.model_calls import ModelCalls
from agentlog.projections.readmodels.threads import Threads
from agentlog.projections.readmodels.tool_calls import ToolCalls
from agentlog.projections.readmodels.workers import Workers
from agentlog.projections.view import Item, render
from agentlog.projections.views.timeline.view import TimelineOptions, TimelineView
from agentlog.projections.why.trail import trail_of
from tests.histories import examples, history
from tests.projections.readmodels.folding import rows_of

AT = 1_767_323_045_000


class Pair(NamedTuple):
    """An ask by version and number, and its answer; what is missing is None."""

    kind: str
    ask: tuple[int, int] | None
    end_version: int | None
    elapsed_ms: float | None
    outcome: str | None


Draft = dict[str, Any]
Ask = tuple[str, Any, Any, tuple[int, int], int]
"""Kind, id, name, place and time."""


# --- the rule, in words -------------------------------------------------------------------------


def judged(events: Sequence[Event]) -> list[Pair]:
    """Return the pairs by the rule, from the JSON of the events."""
    pending: list[Ask] = []
    pairs: list[Pair] = []
    answered: set[str] = set()
    for event in events:
        raw = object_of(event.raw)
        at = raw["timestamp"]
        assert isinstance(at, int)
        for number, (kind, key, name) in enumerate(_asks(raw, event.response_id)):
            pending.append((kind, key, name, (event.version, number), at))
        for kind, key, name, outcome in _answers(raw, event.response_id):
            # the latest of models, the oldest of others
            same = [ask for ask in pending if ask[0] == kind]
            if kind == "model":
                same.reverse()
                chosen = (
                    [ask for ask in same if key is not None and ask[1] == key]
                    or [ask for ask in same if name is not None and ask[2] == name]
                    or same
                )
            elif key is None:
                chosen = [ask for ask in same if name is not None and ask[2] == name]
            else:
                chosen = [ask for ask in same if ask[1] == key]
            if chosen:
                pending.remove(chosen[0])
                took = at - chosen[0][4]
                measured = took if took > 0 else None
                pairs.append(Pair(kind, chosen[0][3], event.version, measured, outcome))
            elif raw["type"] != "runtime_error" and not (kind == "model" and key in answered):
                pairs.append(Pair(kind, None, event.version, None, outcome))
            if kind == "model" and key is not None:
                answered.add(key)
    return [*pairs, *(Pair(ask[0], ask[3], None, None, None) for ask in pending)]


def _asks(raw: Item, response_id: str | None) -> list[tuple[str, Any, Any]]:
    match raw:
        case {"type": "tool_calls", "calls": [*calls]}:
            return [("call", object_of(call)["id"], object_of(call)["name"]) for call in calls]
        case {"type": "llm_request"}:
            return [("model", response_id, raw.get("model"))]
        case {"type": "approval_request", "callId": key}:
            return [("approval", key, None)]
        case {"type": "worker_spawned", "workerId": key}:
            return [("worker", key, None)]
        case _:
            return []


def _answers(raw: Item, response_id: str | None) -> list[tuple[str, Any, Any, str]]:
    match raw:
        case {"type": "tool_results", "results": [*results]}:
            return [_result(object_of(result)) for result in results]
        case {"type": "llm_response"}:
            return [("model", response_id, raw.get("model"), "succeeded")]
        case {"type": "runtime_error"}:
            return [("model", None, None, "failed")]
        case {"type": "approval_response", "callId": key, "approved": approved}:
            return [("approval", key, None, "granted" if approved else "denied")]
        case {"type": "worker_result", "workerId": key}:
            return [("worker", key, None, "failed" if "error" in raw else "succeeded")]
        case _:
            return []


def _result(result: Item) -> tuple[str, Any, Any, str]:
    if result.get("error") is not None:
        outcome = "failed"
    elif "error" in result:
        outcome = "succeeded"
    else:
        outcome = "told" if str(result["output"]).startswith("Error:") else "unstated"
    return "call", result.get("callId"), result.get("name"), outcome


# --- what each reader says ----------------------------------------------------------------------


def of_timeline(items: Sequence[Item]) -> Iterator[Pair]:
    for item in items:
        if item["kind"] in {"call", "model", "approval", "worker"}:
            version: Any = item["version"]
            ask = None if version is None else (version, item.get("ordinal", 0))
            values: Any = [item[key] for key in ("endVersion", "elapsedMs", "outcome")]
            yield Pair(str(item["kind"]), ask, *values)


def of_tables(events: Sequence[Event], cuts: Sequence[int]) -> Iterator[Pair]:
    for call in rows_of(ToolCalls(), events, cuts):
        ask = None if call.called_sent_at is None else (call.version, call.ordinal)
        yield Pair("call", ask, call.answered_version, call.latency_ms, call.outcome)
    for model in rows_of(ModelCalls(), events, cuts):
        ask = None if model.requested_sent_at is None else (model.version, 0)
        outcome = "succeeded" if model.outcome == "answered" else model.outcome
        yield Pair("model", ask, model.answered_version, model.latency_ms, outcome)
    for approval in rows_of(Approvals(), events, cuts):
        ask = None if approval.asked_sent_at is None else (approval.version, 0)
        waiting = approval.waiting_ms
        yield Pair("approval", ask, approval.answered_version, waiting, approval.outcome)
    for worker in rows_of(Workers(), events, cuts):
        ask = None if worker.spawned_sent_at is None else (worker.version, 0)
        yield Pair("worker", ask, worker.answered_version, worker.duration_ms, worker.outcome)


def of_spans(spans: Sequence[Item]) -> Iterator[Pair]:
    """Yield the pairs that spans show; these say nothing of what is open, approvals and workers."""
    for span in spans:
        attributes = object_of(span["attributes"])
        begin, end = (int(str(span[key])) for key in ("startTimeUnixNano", "endTimeUnixNano"))
        elapsed = (end - begin) // 1_000_000 or None
        error = text_at(object_of(span.get("status")), "message")
        outcome = "succeeded" if error is None else "failed"
        if attributes["gen_ai.operation.name"] == "execute_tool":
            arguments = text_at(attributes, "gen_ai.tool.call.arguments")
            number: Any = None if arguments is None else object_of(parse(arguments.encode()))["n"]
            ask = None if number is None else divmod(number, 10)
            _, version = str(attributes["gen_ai.tool.call.result"]).split("#")
            yield Pair("call", ask, int(version), elapsed, outcome)
        provider = text_at(attributes, "gen_ai.provider.name") or ""
        if attributes["gen_ai.operation.name"] == "chat" and (provider[0] == "p" or error):
            request: Any = attributes.get("gen_ai.request.max_tokens")
            ask = None if request is None else (request, 0)
            version = provider[1:] if error is None else error.removeprefix("e")
            yield Pair("model", ask, int(version), elapsed, outcome)


def _work() -> Work:
    return Work.allowed(2**24, USUAL, most_bytes=2**24)


def _spanned(pair: Pair) -> Pair:
    """Return a pair as a span says it, whose status is an error or none."""
    outcomes = {"unstated": "succeeded", "told": "succeeded"}  # only words tell of an error
    return pair._replace(outcome=outcomes.get(pair.outcome or "", pair.outcome))


def check(drafts: Sequence[Draft], cuts: Sequence[int] = ()) -> list[Pair]:
    """Compare what all say of a history, and return it, in the order of the asks."""
    events = history(*drafts)
    pairs = judged(events)
    items = [item.item for item in render(TimelineView(), events).items]
    assert sorted(of_timeline(items), key=repr) == sorted(pairs, key=repr)
    assert sorted(of_tables(events, cuts), key=repr) == sorted(pairs, key=repr)
    ended = [_spanned(pair) for pair in pairs if pair.end_version is not None]
    spans = spans_of("t", events)
    known = [pair for pair in ended if pair.kind in {"call", "model"}]
    assert sorted(of_spans(spans), key=repr) == sorted(known, key=repr)
    sent = records_of_protobuf(printed(spans), "traces", _work())
    assert sorted(of_spans(sent), key=repr) == sorted(known, key=repr)
    calls = [pair for pair in pairs if pair.kind == "call"]
    _check_thread(events, pairs, cuts)
    _check_why(events, calls)
    return sorted(pairs, key=lambda pair: (pair.ask or (pair.end_version or 0, 0), pair.kind))


def _check_thread(events: Sequence[Event], pairs: Sequence[Pair], cuts: Sequence[int]) -> None:
    """Compare the counts that reports have of a thread."""
    (row,) = rows_of(Threads(), events, cuts)
    models = [pair for pair in pairs if pair.kind == "model"]
    assert row.model_calls == len(models)
    assert row.requests_open == sum(pair.end_version is None for pair in models)
    outcomes = [pair.outcome for pair in pairs if pair.kind == "call"]
    stated = "failed" in outcomes or "succeeded" in outcomes
    assert row.tool_failures == (outcomes.count("failed") if stated else None)


def _check_why(events: Sequence[Event], calls: Sequence[Pair]) -> None:
    view = TimelineView(TimelineOptions(hint=True, attempts=True))
    trail = trail_of([item.item for item in render(view, events).items])
    assert {
        tuple(place): (item["endVersion"], item["outcome"]) for place, item in trail.calls.items()
    } == {pair.ask: (pair.end_version, pair.outcome) for pair in calls if pair.ask is not None}


# --- histories ----------------------------------------------------------------------------------

_ids = st.sampled_from(["a", "b", "nul\x00"])
_tools = st.sampled_from(["f", "g"])
_named = {"model": st.sampled_from(["m", "n"])}
_response = st.fixed_dictionaries({}, optional={"responseId": st.sampled_from(["r", "s"])})


def _message(kind: str, optional: Any = None, **required: Any) -> st.SearchStrategy[Draft]:
    return st.fixed_dictionaries({"type": st.just(kind), **required}, optional=optional or {})


_call = st.fixed_dictionaries({"id": _ids, "name": _tools})
_answer = st.fixed_dictionaries(
    {"output": st.sampled_from(["fine", "Error: no"])},
    optional={"callId": _ids, "name": _tools, "error": st.sampled_from([None, "no"])},
)
_messages = st.one_of(
    _message("tool_calls", calls=st.lists(_call, min_size=1, max_size=3)),
    _message("tool_results", results=st.lists(_answer, min_size=1, max_size=3)),
    _message("llm_request", _named, metadata=_response),
    _message("llm_response", _named, metadata=_response),
    _message("runtime_error"),
    _message("approval_request", callId=_ids, tool=_tools),
    _message("approval_response", callId=_ids, approved=st.booleans()),
    _message("worker_spawned", workerId=_ids, objective=st.just("x")),
    _message("worker_result", workerId=_ids, output=st.just(1)),
    _message("worker_result", workerId=_ids, error=st.just({"message": "no"})),
    _message("reply", text=st.just("…")),
    _message("input", text=st.just("…")),
)
_steps = st.sampled_from([0, 1, 1000, -1500])
_talk = st.sampled_from([0, 0, 0, 60])


@st.composite
def pair_histories(draw: st.DrawFn) -> list[Draft]:
    drafts, at = draw(st.lists(_messages, min_size=1, max_size=14)), AT
    talk: list[Draft] = [{"type": "reply", "text": "…"}] * draw(_talk)
    place = draw(st.integers(0, len(drafts)))
    drafts = [*drafts[:place], *map(dict, talk), *drafts[place:]]
    for draft in drafts:
        at += draw(_steps) if not talk else 1
        draft["timestamp"] = at
    return numbered(*drafts)


def numbered(*drafts: Draft) -> list[Draft]:
    """Return messages with their numbers in their contents."""
    for version, draft in enumerate(drafts, 1):
        match draft["type"]:
            case "tool_calls":
                for number, call in enumerate(draft["calls"]):
                    call["args"] = {"n": version * 10 + number}
            case "tool_results":
                for result in draft["results"]:
                    result["output"] = f"{result['output']} #{version}"
            case "llm_request":
                draft["maxTokens"] = version
            case "llm_response":
                draft["provider"] = f"p{version}"
            case "runtime_error":
                draft["error"] = f"e{version}"
            case _:
                pass
    return [*drafts]


@given(drafts=pair_histories(), data=st.data())
@examples(150, long=3000)
def test_all_readers_pair_alike_and_by_the_rule(drafts: list[Draft], data: st.DataObject) -> None:
    cuts = data.draw(st.lists(st.integers(0, len(drafts)), max_size=3), label="cuts")
    check(drafts, cuts)


def _calls(at: int, *ids: str) -> Draft:
    calls = [{"id": call_id, "name": "f"} for call_id in ids]
    return {"type": "tool_calls", "calls": calls, "timestamp": AT + at}


def _results(at: int, **named: str) -> Draft:
    return {"type": "tool_results", "results": [{"output": "", **named}], "timestamp": AT + at}


def _of_model(kind: str, at: int, **fields: Any) -> Draft:
    return {"type": kind, "timestamp": AT + at, **fields}


def test_calls_with_one_id_are_answered_in_their_order() -> None:
    drafts = [_calls(0, "a"), _calls(1000, "a"), _results(2000, callId="a")]
    assert check(numbered(*drafts, _results(4000, callId="a"))) == [
        Pair("call", (1, 0), 3, 2000, "unstated"),
        Pair("call", (2, 0), 4, 3000, "unstated"),
    ]


def test_a_result_without_an_id_answers_the_call_of_its_name() -> None:
    drafts = [_calls(0, "a"), _results(2000, name="f")]
    assert check(numbered(*drafts)) == [Pair("call", (1, 0), 2, 2000, "unstated")]


def test_a_request_that_failed_is_a_model_call_beside_the_one_made_again() -> None:
    drafts = [_of_model("llm_request", 0), _of_model("runtime_error", 500)]
    drafts += [_of_model("llm_request", 1000), _of_model("llm_response", 3000)]
    assert check(numbered(*drafts)) == [
        Pair("model", (1, 0), 2, 500, "failed"),
        Pair("model", (3, 0), 4, 2000, "succeeded"),
    ]


def test_a_response_answers_the_request_to_the_model_that_it_names() -> None:
    drafts = [_of_model("llm_request", 0, model="m"), _of_model("llm_request", 10, model="n")]
    answers = [_of_model("llm_response", 20, model="m"), _of_model("llm_response", 50, model="x")]
    assert check(numbered(*drafts, *answers)) == [
        Pair("model", (1, 0), 3, 20, "succeeded"),
        Pair("model", (2, 0), 4, 40, "succeeded"),
    ]


def test_of_more_requests_than_can_be_kept_the_earliest_is_given_up() -> None:
    most = MOST_OPEN["model"]
    requests = [_of_model("llm_request", n) for n in range(most + 1)]
    answers = [_of_model("llm_response", 1000 + n) for n in range(most + 1)]
    events = history(*numbered(*requests, *answers))
    rows = rows_of(ModelCalls(), events)
    assert [rows_of(ModelCalls(), events, cuts) for cuts in ([50], range(len(events)))] == [
        rows
    ] * 2
    items = [item.item for item in render(TimelineView(), events).items]
    models = [pair for pair in of_tables(events, ()) if pair.kind == "model"]
    assert sorted(of_timeline(items), key=repr) == sorted(models, key=repr)
    assert (rows[0].is_open, rows[0].outcome, rows[1].answered_version) == (
        False,
        None,
        len(events) - 1,
    )
    assert rows[-1].requested_at is None
