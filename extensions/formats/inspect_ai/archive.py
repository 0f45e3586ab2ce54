"""inspect_ai's archives (`.eval`): a log is a header, and a member for each sample."""

from collections.abc import Callable, Iterator
from collections.abc import Set as AbstractSet

from agentlog.domain.errors import InvalidJson
from agentlog.domain.json.text import parse, print_bytes
from agentlog.domain.json.values import object_at, object_of
from agentlog.projections.readers.joined import JoinedFiles, ReadFile, folder_of, within
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
