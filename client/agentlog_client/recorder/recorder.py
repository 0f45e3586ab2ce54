"""The recorder: an agent's messages, on their way into a thread without stopping the agent."""

import time
import weakref
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Literal, Self

from agentlog_client import identifiers
from agentlog_client.destination import Destination
from agentlog_client.errors import NotJson
from agentlog_client.json_text import printed
from agentlog_client.operation import Json
from agentlog_client.operations.messages import Message, json_of
from agentlog_client.recorder.delivery import items_line, message_line, start_line
from agentlog_client.recorder.mending import mended
from agentlog_client.recorder.spool import default_folder
from agentlog_client.recorder.trouble import OnTrouble, log_trouble
from agentlog_client.recorder.uploader import Uploader

_SECONDS = 5.0


class Recorder:
    """Records one thread: returns at once, raises nothing, loses nothing on the way.

    A message is in a file when its method returns, and a thread in the background sends it. What
    the service has not acknowledged when the process ends is sent by the next recorder with the
    same folder. `on_trouble` is told what goes wrong; by default a warning is logged.

    The thread starts with the policy `record`, which refuses no message for breaking a rule, and
    with `goal`, `parent` and `metadata`, unless it has begun before. Of a name that no thread can
    have an id is made, and `metadata.source` keeps it. `url` and `key` are AGENTLOG_URL and
    AGENTLOG_KEY unless given. `beside` is a recorder to share folder and background thread with.

    Raises:
        ValueError: `url` is no address.
    """

    def __init__(  # noqa: PLR0913 - what a thread starts with, and where it goes
        self,
        thread: str | None = None,
        *,
        goal: str | None = None,
        parent: str | None = None,
        metadata: Mapping[str, Json] | None = None,
        url: str | None = None,
        key: str | None = None,
        spool: Path | str | None = None,
        on_trouble: OnTrouble = log_trouble,
        beside: "Recorder | None" = None,
    ) -> None:
        name = thread or identifiers.new_id()
        self.thread_id = identifiers.thread_id(name)
        self._asked = b"{}"
        self._beside = beside  # which lives as long as this one
        if beside is None:
            to = Destination.of(url, key)
            folder = default_folder(to) if spool is None else Path(spool)
            self._uploader = Uploader(to, folder, on_trouble)
            weakref.finalize(self, self._uploader.end).atexit = False  # atexit waits for it
        else:
            self._uploader = beside._uploader  # noqa: SLF001 - of the same class
        source = {} if name == self.thread_id else {"source": name}
        facts = {"goal": goal, "parent": parent, "metadata": {**source, **(metadata or {})}}
        start = {"policy": "record"} | {key: value for key, value in facts.items() if value}
        self._uploader.add(start_line(self.thread_id, self._printed(start)))

    @property
    def folder(self) -> Path:
        """Where messages wait that were not acknowledged."""
        return self._uploader.spool.folder

    def record(self, message: Message) -> str:
        """Record a message of any type; return its id.

        It gets an id and a timestamp where it has none. An id that is no ULID becomes one, always
        the same, so what is recorded twice under one id is in the log once.
        """
        fresh = identifiers.new_id()
        try:
            fields = json_of(message)
            fields["id"] = identifiers.message_id(str(fields.get("id") or fresh))
            fields.setdefault("timestamp", time.time_ns() // 1_000_000)
            self._uploader.add(message_line(self.thread_id, self._printed(fields)))
            return str(fields["id"])
        except Exception as error:  # noqa: BLE001 - the agent goes on
            self._uploader.tell("defect", f"agentlog lost a message: {error!r}")
            return fresh

    def items(self, items: Sequence[Json], *, format: str) -> None:  # noqa: A002 - its name everywhere
        """Record messages of another API or framework as they are; `format` names it.

        They may be objects of its SDK.
        """
        fields = {"items": items, "format": format, "key": identifiers.new_id()}
        try:
            self._uploader.add(items_line(self.thread_id, self._printed(fields)))
        except Exception as error:  # noqa: BLE001 - the agent goes on
            self._uploader.tell("defect", f"agentlog lost items: {error!r}")

    def input(self, text: str | None = None, **fields: Json) -> str:
        """Record what the user said."""
        return self.record({"type": "input", **_given(text=text), **fields})

    def reply(self, text: str, **fields: Json) -> str:
        """Record what the agent said to the user."""
        return self.record({"type": "reply", "text": text, **fields})

    def system(self, text: str, **fields: Json) -> str:
        """Record a system prompt."""
        return self.record({"type": "system", "text": text, **fields})

    def reasoning(self, summary: str, *, title: str = "", **fields: Json) -> str:
        """Record what the model thought."""
        return self.record({"type": "reasoning", "title": title, "summary": summary, **fields})

    def tool_calls(self, calls: Sequence[Mapping[str, Json]], **fields: Json) -> str:
        """Record calls, each with `id`, `name` and `args`."""
        return self.record({"type": "tool_calls", "calls": calls, **fields})

    def tool_results(self, results: Sequence[Mapping[str, Json]], **fields: Json) -> str:
        """Record results, each with `callId` and `output`, or an `error`."""
        return self.record({"type": "tool_results", "results": results, **fields})

    def request(
        self,
        *,
        model: str | None = None,
        tools: Sequence[Json] | None = None,
        tool_choice: Json = None,
        **parameters: Json,
    ) -> str:
        """Record that a model is asked, and with what beside the conversation, where it changed."""
        asked = _given(model=model, tools=tools, tool_choice=tool_choice, **parameters)
        text = self._printed(asked)
        if text != self._asked:
            self.record({"type": "agentlog.request", "payload": asked})
            self._asked = text
        return self.record({"type": "llm_request", **_given(model=model)})

    def response(self, **fields: Json) -> str:
        """Record figures of a model's answer: `model`, `usage`, `costUsd`, `latencyMs`."""
        return self.record({"type": "llm_response", **_given(**fields)})

    def error(self, error: BaseException | str, **fields: Json) -> str:
        """Record that the runtime around the agent failed."""
        text = repr(error) if isinstance(error, BaseException) else error
        return self.record({"type": "runtime_error", "error": text, **fields})

    def exit(
        self,
        reason: Literal["complete", "step_limit", "user_request", "error"] = "complete",
        **fields: Json,
    ) -> str:
        """Record that the agent is done."""
        return self.record({"type": "exit", "reason": reason, **fields})

    def flush(self, timeout: float = _SECONDS) -> bool:
        """Wait up to so many seconds; return whether all was acknowledged."""
        return self._uploader.flush(timeout)

    def close(self, timeout: float = _SECONDS) -> None:
        """Send what waits, for so many seconds; the next recorder sends the rest.

        It happens by itself at the end of the process. What is recorded later is sent too.
        """
        self._uploader.close(timeout)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _printed(self, fields: Mapping[str, Json]) -> bytes:
        try:
            return printed(fields)
        except NotJson as error:
            self._uploader.tell("mended", f"agentlog made JSON of a message: {error}")
            return printed(mended(fields))


def _given(**fields: Json) -> dict[str, Json]:
    return {name: value for name, value in fields.items() if value is not None}
