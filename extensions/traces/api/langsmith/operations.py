"""What one request says of runs: begun, ended, commented, each run once."""

from base64 import b64encode
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Literal
from uuid import UUID

from agentlog.api.http.request.limits import RequestLimits
from agentlog.domain.errors import InvalidJson, InvalidMessage
from agentlog.domain.json.values import JsonValue
from agentlog.extensions.traces.api.otlp.work import Work
from agentlog.extensions.traces.projections.readers.otlp_json import count_values
from agentlog.lazy import lazy_imports
from agentlog.projections.view import Item

with lazy_imports():
    from agentlog.extensions.traces.projections.readers.runs import parts

Operation = Literal["post", "patch"]
_ORDER: tuple[Operation, ...] = ("post", "patch")

_SIGNS = (b"{", b"[", b",", b":")


@dataclass(slots=True)
class Operations:
    """Reads JSON within limits, and collects what it says of runs."""

    limits: RequestLimits
    work: Work
    feedback: list[Item] = field(default_factory=list)
    _runs: dict[str, dict[Operation, Item]] = field(default_factory=dict)

    @property
    def runs(self) -> list[Item]:
        """Each run as it was sent; what ends it stands over what begins it, if both were."""
        runs = [[run[kind] for kind in _ORDER if kind in run] for run in self._runs.values()]
        return [run[0] if len(run) == 1 else parts.merged(run) for run in runs]

    def json_in(self, text: bytes, place: str) -> JsonValue:
        """Return a value of JSON; raises `InvalidMessage` where it is none."""
        self.work.add_parts(sum(map(text.count, _SIGNS)))
        try:
            value = self.limits.json_in(text)
        except InvalidJson as error:
            raise InvalidMessage.at(place, str(error)) from error
        count_values(value, self.work)
        return value

    def add_run(self, kind: Operation, value: JsonValue, place: str, run_id: str = "") -> None:
        """Add what begins or ends a run; `run_id` is its id where the value may lack it."""
        run = _object(value, place)
        given = run.get("id") or run_id
        for key, identifier in (("id", given), *((key, run.get(key)) for key in _RELATED)):
            if identifier is not None:
                check_id(identifier, f"{place}.{key}")
        self._of(kind, str(given)).update({**run, "id": str(given)})

    def add_field(self, kind: Operation, run_id: str, name: str, value: JsonValue) -> None:
        """Add a field of a run that was sent beside it."""
        self._of(kind, run_id)[name] = value

    def add_attachment(self, run_id: str, name: str, media_type: str, data: bytes) -> None:
        """Add a file of a run."""
        of_run = self._runs.get(run_id, {})
        run = self._of("post" if "post" in of_run or not of_run else "patch", run_id)
        attachments = run.setdefault("attachments", {})
        if isinstance(attachments, dict):
            attachments[name] = {"mimeType": media_type, "data": b64encode(data).decode()}

    def add_feedback(self, value: JsonValue, place: str) -> None:
        """Add what was said of a run."""
        feedback = _object(value, place)
        check_id(feedback.get("id"), f"{place}.id")
        self.work.add_record(repeated=0)
        self.feedback.append(feedback)

    def _of(self, kind: Operation, run_id: str) -> Item:
        of_run = self._runs.setdefault(run_id, {})
        if kind not in of_run:
            self.work.add_record(repeated=0)
            of_run[kind] = {"id": run_id}
        return of_run[kind]


_RELATED = ("trace_id", "parent_run_id")


def _object(value: JsonValue, place: str) -> Item:
    if not isinstance(value, dict):
        raise InvalidMessage.at(place, "not an object")
    return value


def check_id(value: JsonValue, place: str) -> None:
    """Raise `InvalidMessage` where an id is no UUID with its dashes."""
    if isinstance(value, str):
        with suppress(ValueError):
            if str(UUID(value)) == value.lower():
                return
    raise InvalidMessage.at(place.removeprefix("."), "not a UUID")
