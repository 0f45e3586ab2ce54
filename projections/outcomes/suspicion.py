"""Rules of suspicion: signs that something went wrong where no field of a message says so.

Each rule is a function, and its docstring is its reason. Rules over one result see the first 1,024
bytes of its text, as JSON prints it: what is there without loading long contents, so that every
reader gives the same answer. An object cut off there is read as far as it goes. Rules over a thread
look back only, at a bounded past (`Past`).
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from statistics import median
from typing import Literal, NamedTuple

from pydantic_core import from_json

from agentlog.domain.json.beginning import beginning_of
from agentlog.domain.json.values import JsonValue, object_of, text_at
from agentlog.extension import Registry
from agentlog.projections.call_texts import value_text

# --- rules over one result ----------------------------------------------------------------------

_ERROR = re.compile(
    r"\s*[\[(<]?(?:[\w.]*(?:Error|Exception)\b|ERROR\b|error:|fatal:|tool_use_error)"
)
_FAILED = (
    r"Failed|FAILED|Failure|Unable|Could not|Cannot|Can't|Invalid|Timed out"
    r"|No replacement was performed"  # of Anthropic's text editor
)
_TRACEBACK = "Traceback (most recent call last)"
_EXIT = re.compile(r"[Ee]xit(?:ed with)? (?:code|status):? +(-?\d{1,10})\b")
_HTTP = re.compile(r"\s*(?:HTTP(?:/\d(?:\.\d)?)? |status(?: code)?:? )?[45]\d\d [A-Z]")
_SHELL = (
    "command not found",
    "No such file or directory",
    "Permission denied",
    "is not recognized as an internal or external command",
)

FAILURE_TEXTS: Registry[str] = Registry("failure_texts", {})
"""By agent: how its own commands begin a result where they failed, as a regular expression."""


class Result(NamedTuple):
    """The beginning of a result's text, and the fields of the object that the result is."""

    text: str
    fields: Mapping[str, JsonValue]


def error_text(result: Result) -> bool:
    """The text begins with the word error or the name of an error or exception."""
    return _ERROR.match(result.text) is not None


def failure_text(result: Result) -> bool:
    """The text begins by saying that something failed or could not be done."""
    return _failed().match(result.text) is not None


@cache
def _failed() -> re.Pattern[str]:
    # OBSERVATION is the label of results in prompts after ReAct
    return re.compile(
        rf"\s*(?:OBSERVATION:\s*)?(?:{'|'.join((_FAILED, *FAILURE_TEXTS.values()))})\b"
    )


def traceback(result: Result) -> bool:
    """The text has the head of a traceback of Python."""
    return _TRACEBACK in result.text


def shell_refusal(result: Result) -> bool:
    """The text has what a shell says of a command, file or permission that it lacks."""
    return any(words in result.text for words in _SHELL)


def error_field(result: Result) -> bool:
    """The object has an error: `error`, `errors`, `exception` or `isError`, not empty."""
    fields = result.fields
    return bool(fields) and any(map(fields.get, ("error", "errors", "exception", "isError")))


def failure_field(result: Result) -> bool:
    """The object says failure: by `status`, or by a false `success`, `succeeded` or `ok`."""
    if not result.fields:
        return False
    status = result.fields.get("status")
    return (isinstance(status, str) and status.lower() in _FAILURES) or any(
        result.fields.get(key) is False for key in ("success", "succeeded", "ok")
    )


def exit_code(result: Result) -> bool:
    """A field or the text states an exit code that is not 0."""
    if result.fields:
        codes = map(result.fields.get, ("exit_code", "exitCode", "returncode"))
        return any(type(code) is int and code != 0 for code in codes)
    if "xit" not in result.text:
        return False
    stated = _EXIT.search(result.text)
    return stated is not None and int(stated[1]) != 0


def http_status(result: Result) -> bool:
    """A field states an HTTP status of 400 or more, or the text begins with one."""
    if not result.fields:
        return _HTTP.match(result.text) is not None
    codes = map(result.fields.get, ("status", "status_code", "statusCode"))
    return any(type(code) is int and 400 <= code < 600 for code in codes)  # noqa: PLR2004 - of HTTP


_FAILURES = frozenset({"error", "failed", "failure"})
_SAID_IN = ("error", "exception", "message", "detail", "stderr", "status")

RESULT_RULES: Mapping[str, Callable[[Result], bool]] = {
    rule.__name__: rule
    for rule in (
        error_text,
        failure_text,
        traceback,
        shell_refusal,
        error_field,
        failure_field,
        exit_code,
        http_status,
    )
}
"""The rules over one result, by name."""

TELLING_RULES = frozenset(RESULT_RULES) - {"traceback", "shell_refusal"}
"""Those by which a result itself says that it failed: at its beginning, or in a field.

The others find words anywhere in it, which may be quoted: of a log, or of a file's text.
"""


def suspicions(output: JsonValue) -> tuple[tuple[str, ...], str | None]:
    """Return the names of the rules that the output of a result meets, and what it says.

    That is None unless its own words or fields tell that it failed.
    """
    result = result_of(output)
    rules = tuple([name for name, rule in RESULT_RULES.items() if rule(result)])
    if TELLING_RULES.isdisjoint(rules):
        return rules, None
    return rules, text_at(result.fields, *_SAID_IN) or result.text or value_text(output)


def result_of(output: JsonValue) -> Result:
    """Return what rules over one result see of an output."""
    match output:
        case str():
            text = beginning_of(output)
            return Result(text, _fields_in(text))
        case {"content": [{"text": str(text)}, *_]} | [{"text": str(text)}, *_]:  # as MCP has it
            return Result(beginning_of(text), object_of(output))
        case dict():
            return Result("", output)
        case _:
            return Result("", {})


def _fields_in(text: str) -> Mapping[str, JsonValue]:
    """Return the fields of an object printed as a text, as far as the text goes."""
    if not text.lstrip().startswith("{"):
        return {}
    try:
        value = from_json(text.encode(), allow_partial="trailing-strings")
    except ValueError:
        return {}
    return object_of(value)


# --- rules over a thread ------------------------------------------------------------------------

_IN_A_ROW, _IN_ALL, _CYCLES = 3, 5, 3
_LONGEST_CYCLE = 4
_MOST_CALLS = 128
_SAMPLE, _MOST_SAMPLES = 8, 31
_TIMES = 10
_LEAST = {"ms": 5000.0, "usd": 0.05}

UNANSWERED_STEPS = 50
"""A call is taken for unanswered after so many later steps, or when the thread ends."""

UNANSWERED = "unanswered"
"""The thread ended, or went on for many steps, without an answer."""

REPEAT_RULES = frozenset({"repeated_in_a_row", "repeated_often", "loop"})
"""The rules over calls that repeat earlier ones."""

OUTLIER_RULES = frozenset({"slow", "dear", UNANSWERED})
"""The rules over model calls that were slow or dear beside others, and what has no answer."""

Measure = Literal["ms", "usd"]


@dataclass(slots=True)
class Past:
    """What rules over a thread remember; immutable by convention, survives JSON.

    `recent` are the digests of the latest calls, `measured` the latest figures of model calls.
    """

    recent: tuple[str | None, ...] = ()
    measured: dict[str, tuple[float, ...]] = field(default_factory=dict)

    def called(self, digest: str | None) -> tuple["Past", tuple[str, ...]]:
        """Return the past with a call, and the rules that it meets; None is a call unlike any.

        `repeated_in_a_row`: the same tool and arguments three times or more, one after another.
        `repeated_often`: five times or more among the latest 128 calls.
        `loop`: two to four different calls in the same order for the third time or more.
        """
        recent = (*self.recent, digest)[-_MOST_CALLS:]
        count = 0 if digest is None else recent.count(digest)
        met: list[str] = []
        if count >= _IN_A_ROW and recent[-_IN_A_ROW:] == (digest,) * _IN_A_ROW:
            met.append("repeated_in_a_row")
        if count >= _IN_ALL:
            met.append("repeated_often")
        if count >= _CYCLES and _is_loop(recent):
            met.append("loop")
        return Past(recent, self.measured), tuple(met)

    def took(self, measure: Measure, figure: float | None) -> tuple["Past", tuple[str, ...]]:
        """Return the past with a figure of a model call, and the rules that it meets.

        `slow`: ten times the median of the latest, and more than 5 s. `dear`: the same of costs,
        and more than $0.05. Both need eight earlier figures. A tool takes the time that its work
        or a person takes, so that its time tells of no failure.
        """
        if figure is None:
            return self, ()
        earlier = self.measured.get(measure, ())
        measured = {**self.measured, measure: (*earlier, float(figure))[-_MOST_SAMPLES:]}
        outlies = (
            figure > _LEAST[measure]
            and len(earlier) >= _SAMPLE
            and figure > _TIMES * median(earlier)
        )
        name = "slow" if measure == "ms" else "dear"
        past = Past(self.recent, measured)
        return past, (name,) if outlies else ()


def _is_loop(recent: tuple[str | None, ...]) -> bool:
    for size in range(2, _LONGEST_CYCLE + 1):
        cycle = recent[-size:]
        if (
            None not in cycle
            and len(set(cycle)) > 1
            and recent[-size * _CYCLES :] == cycle * _CYCLES
        ):
            return True
    return False
