"""Bodies of `POST /runs/multipart`: parts named `post.ID`, `post.ID.inputs` and the like."""

from agentlog.api.http.codec.multipart import parts_in
from agentlog.domain.errors import InvalidMessage
from agentlog.extensions.traces.api.langsmith.operations import Operations, check_id


def read_multipart(body: bytes, content_type: str, into: Operations) -> None:
    """Add what the parts of a body say.

    Raises:
        InvalidMessage: the body is malformed, or a part is of no known name.
    """
    for part in parts_in(body, content_type, into.work.add_parts):
        kind, _, named = part.name.partition(".")
        own_id, _, field = named.partition(".")
        check_id(own_id, part.name)
        match kind:
            case "post" | "patch" if field:
                into.add_field(kind, own_id, field, into.json_in(part.data, part.name))
            case "post" | "patch":
                into.add_run(kind, into.json_in(part.data, part.name), part.name, own_id)
            case "feedback":
                into.add_feedback(into.json_in(part.data, part.name), part.name)
            case "attachment":
                into.add_attachment(own_id, field, part.media_type, part.data)
            case _:
                raise InvalidMessage.at(part.name, "no part of a run: post, patch or feedback")
