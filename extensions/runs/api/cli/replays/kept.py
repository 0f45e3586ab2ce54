"""What a fork keeps of the replay that made it: the report, with the messages of each answer."""

from collections.abc import Mapping
from itertools import count, dropwhile, takewhile

from agentlog.domain.identifiers import derived_message_id
from agentlog.domain.json.values import JsonObject, JsonValue, array_of, object_of
from agentlog.extensions.runs.api.cli.replays.report import report_json
from agentlog.extensions.runs.projections.tapes.tape import ReplayReport
from agentlog.extensions.runs.projections.tapes.tool_tape import ToolTape
from agentlog.infrastructure.threads import Threads
from agentlog.projections.exchanges.exchange import TYPE

_BEGINNING = 1024
"""Most bytes that are read of each message: its type alone is asked for."""


def kept_json(
    threads: Threads, thread_id: str, run: str, report: ReplayReport, tools: ToolTape
) -> JsonObject:
    """Return the report of the replay `run`; each answer names its messages in the fork.

    Those are its exchange and what that means, by their ids, which stay when they are copied on.
    """
    events = threads.messages(thread_id, most_bytes=_BEGINNING)
    types = {event.message_id: event.type for event in events}
    document = report_json(report, tools)
    answers: list[JsonValue] = []
    for answer, shape in zip(report.answers, array_of(document["answers"]), strict=True):
        messages = _messages(types, answer.run or run, answer.attempt)
        answers.append({**object_of(shape), "messages": messages})
    return {**document, "answers": answers}


def _messages(types: Mapping[str, str], run: str, attempt: int) -> list[JsonValue]:
    """Return the ids of an attempt's messages from its exchange on; none of another thread's."""
    ids = (derived_message_id(run, attempt, number) for number in count())
    own = takewhile(types.__contains__, ids)
    return [*dropwhile(lambda message_id: types[message_id] != TYPE, own)]
