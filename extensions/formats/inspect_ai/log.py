"""Reader of inspect_ai's logs; each sample is a history."""

from collections.abc import Callable, Iterator
from collections.abc import Set as AbstractSet

from agentlog.domain.errors import InvalidJson, InvalidMessage
from agentlog.domain.json.text import parse, print_bytes
from agentlog.domain.json.values import JsonValue, object_at, object_of
from agentlog.extensions.formats.inspect_ai.events import FIGURES
from agentlog.extensions.formats.inspect_ai.sample import Sample
from agentlog.extensions.formats.stated import stated
from agentlog.projections.readers.fields import Fields, amount_at
from agentlog.projections.readers.history import (
    Format,
    History,
    JoinedFiles,
    ReadFile,
    folder_of,
    within,
)
from agentlog.projections.view import Item

SUFFIX = ".eval"

_HEADERS, _SAMPLES = ("header.json", "_journal/start.json"), "samples"
"""A run that did not end has only the second header."""
_REDUCTIONS = "reductions.json"
_FROM_THE_START = ("version", "eval", "plan")
"""Fields that a log has before its first sample; they stay as they are."""


def join_samples(paths: AbstractSet[str]) -> Iterator[JoinedFiles]:
    """Yield a log for each sample, in the form of inspect_ai's JSON files."""
    headers: dict[str, _Header] = {}
    for path in paths:
        samples = folder_of(path)
        log = folder_of(samples)
        if samples != within(log, _SAMPLES) or not log.endswith(SUFFIX):
            continue
        if log in headers:
            yield JoinedFiles(path, [path], headers[log].log_of(path))
            continue
        names = [name for name in _HEADERS if within(log, name) in paths]
        if names:
            headers[log] = header = _Header(within(log, names[0]))
            reductions = within(log, _REDUCTIONS)
            yield header.first_log(path, reductions if reductions in paths else None, paths)


def divided(header: Item) -> tuple[Item, Item]:
    """Return what a log says of each sample, and what of all of them together.

    The latter is another when more samples have ended, and grows with their number: it stands with
    the first sample only.
    """
    of_each: Item = {key: header[key] for key in _FROM_THE_START if key in header}
    of_all: Item = {
        key: value
        for key, value in header.items()
        if key not in of_each and value not in (None, [], {})
    }
    run = object_at(header, "eval")
    dataset = dict(object_at(run, "dataset"))
    if "sample_ids" in dataset:
        of_all["eval"] = {"dataset": {"sample_ids": dataset.pop("sample_ids")}}
        others = {key: value for key, value in run.items() if key != "dataset"}
        of_each["eval"] = {**others, "dataset": dataset}
    return of_each, of_all


class _Header:
    """The header of a log; its part for all samples but the first is made once."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._of_each: bytes | None = None

    def first_log(
        self, sample: str, reductions: str | None, paths: AbstractSet[str]
    ) -> JoinedFiles:
        """Return the log of the first sample, which has what is of all of them."""

        def read(content: ReadFile) -> bytes:
            header = content(self._path)
            if reductions is None:
                return _log(header, content(sample))
            return _log(header, content(sample), b', "reductions": ' + content(reductions))

        log, samples = folder_of(folder_of(sample)), folder_of(sample)
        others = {
            path for path in paths if path.startswith(f"{log}/") and folder_of(path) != samples
        }
        files = [self._path, sample] if reductions is None else [self._path, sample, reductions]
        return JoinedFiles(sample, files, read, others.difference(files))

    def log_of(self, sample: str) -> Callable[[ReadFile], bytes]:
        """Return what reads the log of another sample."""

        def read(content: ReadFile) -> bytes:
            if self._of_each is None:
                header = parse(content(self._path))
                self._of_each = print_bytes(divided(object_of(header))[0])
            return _log(self._of_each, content(sample))

        return read


def _log(header: bytes, sample: bytes, more: bytes = b"") -> bytes:
    """Return a header with a sample, and what else stands with it."""
    head = header.rstrip()
    if not head.endswith(b"}"):
        raise InvalidJson("the log's header is no JSON object")
    return head[:-1] + more + b', "samples": [' + sample + b"]}"


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
    }
    models = [object_of(usage) for usage in object_of(sample.get("model_usage")).values()]
    figures = [FIGURES.figures(usage) for usage in models]
    metadata |= stated(figures, [amount_at(usage, "total_cost") for usage in models])
    scores = sample.get("scores")
    for name, score in scores.items() if isinstance(scores, dict) else ():
        value = score.get("value") if isinstance(score, dict) else None
        parts = value.items() if isinstance(value, dict) else [("", value)]
        metadata |= {f"score.{name}.{key}".rstrip("."): part for key, part in parts}
    return {key: value for key, value in metadata.items() if isinstance(value, str | int | float)}


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
