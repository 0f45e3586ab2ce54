"""The run of a tool, from what its span has of it."""

from domain.json.text import JsonValue
from projections.readers.reading import Reading
from projections.readers.traces.otlp.span import ToolRun
from projections.readers.traces.said import find_said, read_said
from projections.view import Item


def tool_run(name: str, *, call_id: str | None, arguments: JsonValue, output: JsonValue) -> ToolRun:
    """Return the run of a tool; an output that is a message of a tool is opened.

    An output in a text stays as it is spelled: so a model is sent it.
    """
    message = _message_in(output)
    if message is None:
        return ToolRun(name=name, call_id=call_id, arguments=arguments, result=output)
    return ToolRun(
        name=name,
        call_id=call_id or message["callId"],
        arguments=arguments,
        result=message["output"],
        error=message.get("error"),
    )


def _message_in(output: JsonValue) -> Item | None:
    """Return the result in a message of LangChain's or of a model's API, None where it is none."""
    said = find_said(output, "")
    reading = Reading("otlp")
    for message in said.messages if said is not None else ():
        read_said(reading, message, response_id=None)
    match reading.drafts:
        case [{"type": "tool_results", "results": [{"callId": str()} as result]}]:
            return dict(result)
        case _:
            return None
