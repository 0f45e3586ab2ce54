"""Reader of inspect_ai's logs; each sample is a history."""

from collections.abc import Iterator

from agentlog.domain.errors import InvalidMessage
from agentlog.domain.json.values import JsonValue, object_of
from agentlog.extensions.formats.inspect_ai.archive import SUFFIX, divided, join_samples
from agentlog.extensions.formats.inspect_ai.sample import Sample
from agentlog.projections.readers.fields import Fields
from agentlog.projections.readers.history import Format, History
from agentlog.projections.view import Item


def _is_log(value: JsonValue) -> bool:
    match value:
        case {"version": _, "eval": {"task": str(), "model": str()}, **others}:
            return "status" in others or "plan" in others
        case _:
            return False


def _read(document: JsonValue) -> Iterator[History]:
    log = Fields(document, "")
    samples = log.take("samples")
    if not isinstance(samples, list) or not samples:
        raise InvalidMessage.at("samples", "the log has no samples")
    header, of_all = divided(log.left())
    for number, sample in enumerate(samples):
        yield _history(Fields(sample, f".samples[{number}]"), header, {} if number else of_all)


def _history(sample: Fields, header: Item, of_all: Item) -> History:
    facts = _facts(sample.item, header)
    own = [facts.get("task"), sample.item.get("id"), sample.item.get("epoch")]
    own.append(next((facts[key] for key in ("uuid", "evalId", "runId") if key in facts), None))
    goal = _goal(sample.item.get("input"))
    reading = Sample(sample, header).read()
    identifier = "-".join(str(part) for part in own if isinstance(part, str | int))
    if of_all:
        at = {key: reading.drafts[-1][key] for key in ("timestamp",) if key in reading.drafts[-1]}
        text = "what the log says of all samples: see the metadata"
        with reading.by_content():  # after the exit, where only a log message may stand
            reading.add({**at, "type": "log", "text": text}, Fields(of_all, ""))
    return reading.history(id=identifier, goal=goal, metadata=facts)


def _facts(sample: Item, header: Item) -> Item:
    run: JsonValue = header.get("eval")
    run = object_of(run)
    packages = run.get("packages")
    metadata: Item = {
        "task": run.get("task"),
        "model": run.get("model"),
        "evalId": run.get("eval_id"),
        "runId": run.get("run_id"),
        "agentVersion": packages.get("inspect_ai") if isinstance(packages, dict) else None,
        "sample": sample.get("id"),
        "epoch": sample.get("epoch"),
        "uuid": sample.get("uuid"),
        "totalTime": sample.get("total_time"),
        "costUsd": _cost(sample.get("model_usage")),
    }
    scores = sample.get("scores")
    for name, score in scores.items() if isinstance(scores, dict) else ():
        value = score.get("value") if isinstance(score, dict) else None
        parts = value.items() if isinstance(value, dict) else [("", value)]
        metadata |= {f"score.{name}.{key}".rstrip("."): part for key, part in parts}
    return {key: value for key, value in metadata.items() if isinstance(value, str | int | float)}


def _cost(usage: JsonValue) -> float | None:
    """Return the costs of all models, None where one is not known."""
    models = usage.values() if isinstance(usage, dict) else ()
    costs = [model.get("total_cost") if isinstance(model, dict) else None for model in models]
    known = [cost for cost in costs if isinstance(cost, int | float)]
    return sum(known) if known and len(known) == len(costs) else None


def _goal(given: JsonValue) -> str | None:
    """Return the task of a sample: its text, or that of its last user's message."""
    messages = given if isinstance(given, list) else [{"role": "user", "content": given}]
    for message in reversed(messages):
        match message:
            case {"role": "user", "content": str(text)}:
                return text
            case {"role": "user", "content": [{"type": "text", "text": str(text)}, *_]}:
                return text
            case _:
                continue
    return None


FORMAT = Format(
    "inspect",
    "inspect_ai logs",
    _read,
    is_document=_is_log,
    unit="sample",
    suffixes=(SUFFIX,),
    encoding="zip",
    join=join_samples,
)
