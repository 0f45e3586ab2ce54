"""Parts of ATIF's steps: calls, results, files, and the sub-agents that results refer to."""

from collections.abc import Iterator, Mapping

from agentlog.domain.json.values import JsonValue, array_of, object_of
from agentlog.projections.call_texts import call_fields, value_text
from agentlog.projections.readers.fields import Fields, file_of, text_of
from agentlog.projections.view import Item

_FAILED = ("tool_result_is_error", "is_error")

Workers = Mapping[str, Item]
"""The embedded trajectories of sub-agents by their ids: `objective`, and `threadId` if it has one.
"""


def call_in(call: Fields) -> Item | None:
    """Take a call; None if it is none."""
    match call.item:
        case {"tool_call_id": str(call_id), "function_name": str(name)} if call_id:
            call.drop("tool_call_id", "function_name")
            arguments = call.take("arguments")
            match call.item.get("extra"):
                case {"arguments_text": str(text), **rest} if not rest:  # of the view `atif`
                    call.drop("extra")
                    arguments = text
                case _:
                    pass
            return {"id": call_id, **call_fields(name, arguments)}
        case _:
            return None


def file_in(value: JsonValue) -> Item | None:
    """Return a file that the view `atif` has beside an input; None if it is none."""
    given = object_of(value)
    file = file_of(given.get("data"), given.get("mimeType", ""), given.get("filename"))
    if file is None or given.keys() - {"data", "mimeType", "filename"}:
        return None
    return {key: text for key, text in file.items() if key in given}


def result_in(result: Fields, names: Mapping[str, str]) -> Item:
    """Take a result; `names` are those of the tools by the ids of calls."""
    content = result.item.get("content")
    text = text_of(content)
    output = content if text is None else text
    if text is None or content == [{"type": "text", "text": text}]:
        result.take("content")
    answer: Item = {"output": output}
    match result.item.get("source_call_id"):
        case str(call_id) if call_id:
            result.take("source_call_id")
            answer |= {"callId": call_id}
            answer |= {"name": names[call_id]} if call_id in names else {}
        case _:
            pass
    extra = result.item.get("extra")
    failed = [extra.get(key) for key in _FAILED] if isinstance(extra, dict) else []
    if True in failed:
        answer["output"] = None if isinstance(output, str) else output
        answer["error"] = value_text(output)
    elif False in failed:
        answer["error"] = None
    return answer


def workers_in(result: Item, workers: Workers) -> Iterator[tuple[str, Item]]:
    """Yield the ids of the sub-agents that a result refers to, and what is known of each."""
    references = result.get("subagent_trajectory_ref")
    for reference in array_of(references):
        keys = ("trajectory_id", "session_id", "trajectory_path")
        ids = (
            [reference[key] for key in keys if reference.get(key)]
            if isinstance(reference, dict)
            else []
        )
        if ids and isinstance(ids[0], str):
            yield ids[0], workers.get(ids[0], {"objective": ""})
