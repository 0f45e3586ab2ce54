"""Histories as agents break them: late, lost and repeated results, hostile ids, blanks, media."""

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

from agentlog.domain.events import Event
from agentlog.projections.readers.history import Format
from agentlog.projections.readers.messages import anthropic, chat, gemini, responses
from tests.histories import history

IDS = st.sampled_from(
    [
        *("a", "b", "call_0", "call_1", "functions.Bash:0", "at:[1].parts[0]", "", " ", "é"),
        *("a_2", "x" * 40, "x" * 41, "x" * 64 + "y", "call_\x00", "toolu_01A", "srvtoolu_1"),
    ]
)
NAMES = st.sampled_from(["find", "book", "weird name/\u202e", "", "n" * 65, "9lives", "a.b"])
TEXTS = st.sampled_from(["hi", "so: ", "", " \n", "Zoë", "\u200b", "{}", "[]", '[{"type":"text"}]'])
ARGUMENTS = st.sampled_from(
    ["", "{}", '{"a": 1.0}', '["x"]', "null", "{}{}", '{"a', '"{}"', " {} ", '{"a":1,"a":2}', "1"]
)
_PNG = "iVBORw0KGgo="
MEDIA = st.sampled_from(
    [
        *("image/png", "image/svg+xml", "image/tiff", "application/pdf", "text/plain"),
        *("text/csv", "audio/wav", "video/mp4", "application/zip", "", "odd"),
    ]
)
PICTURES = MEDIA.map(
    lambda kind: [
        {"type": "text", "text": "see"},
        {"type": "image", "source": {"type": "base64", "media_type": kind, "data": _PNG}},
    ]
) | MEDIA.map(lambda kind: {"content": [{"type": "image", "data": _PNG, "mimeType": kind}]})
OUTPUTS: st.SearchStrategy[Any] = TEXTS | PICTURES | st.just({"n": 1}) | st.none()
RESPONSES = st.sampled_from([None, None, "r1", "r2"])

_files = st.lists(
    st.fixed_dictionaries({"data": st.just("aGVsbG8=")}, optional={"mimeType": MEDIA}),
    min_size=1,
    max_size=2,
)
_calls = st.fixed_dictionaries(
    {"id": IDS.filter(bool), "name": NAMES},
    optional={"args": st.sampled_from([{"a": 1}, [1], "x", None]), "argumentsText": ARGUMENTS},
)
_results = st.fixed_dictionaries(
    {"output": OUTPUTS},
    optional={"callId": IDS.filter(bool), "name": NAMES, "error": st.sampled_from(["no", ""])},
)


def _of(kind: str, **fields: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({"type": st.just(kind), **fields})


_spoken = st.one_of(
    _of("reply", text=TEXTS),
    _of("reasoning", title=TEXTS, summary=TEXTS),
    _of("tool_calls", calls=st.lists(_calls, min_size=1, max_size=4)),
)
_drafts = st.one_of(
    _of("input", text=TEXTS),
    _of("input", files=_files),
    _of("system", text=TEXTS),
    _of("tool_results", results=st.lists(_results, min_size=1, max_size=4)),
    _of("tool_results", results=st.lists(_results, min_size=1, max_size=4)),
    st.tuples(_spoken, RESPONSES).map(
        lambda pair: (
            pair[0] if pair[1] is None else {**pair[0], "metadata": {"responseId": pair[1]}}
        )
    ),
    st.tuples(_spoken, RESPONSES).map(lambda pair: pair[0]),
)

# --- messages of the APIs themselves ---------------------------------------------------------

_marks = {"cache_control": st.just({"type": "ephemeral"})}
_source = MEDIA.map(lambda kind: {"type": "base64", "media_type": kind, "data": _PNG})
_blocks = st.one_of(
    st.fixed_dictionaries({"type": st.just("text"), "text": TEXTS}, optional=_marks),
    st.fixed_dictionaries(
        {"type": st.just("tool_use"), "id": IDS, "name": NAMES, "input": st.just({"a": 1})},
        optional=_marks,
    ),
    st.fixed_dictionaries(
        {"type": st.just("tool_result"), "tool_use_id": IDS},
        optional={"content": TEXTS | PICTURES, "is_error": st.booleans(), **_marks},
    ),
    st.fixed_dictionaries(
        {"type": st.just("thinking"), "thinking": TEXTS},
        optional={"signature": TEXTS, **_marks},
    ),
    st.fixed_dictionaries({"type": st.just("redacted_thinking")}, optional={"data": TEXTS}),
    st.fixed_dictionaries(
        {"type": st.sampled_from(["image", "document"]), "source": _source}, optional=_marks
    ),
    st.fixed_dictionaries(
        {"type": st.just("server_tool_use"), "id": IDS, "name": NAMES, "input": st.just({})}
    ),
    st.fixed_dictionaries(
        {"type": st.just("web_search_tool_result"), "tool_use_id": IDS, "content": st.just([])}
    ),
    st.fixed_dictionaries({"type": TEXTS}),
)
ANTHROPIC = st.fixed_dictionaries(
    {
        "role": st.sampled_from(["user", "assistant"]),
        "content": TEXTS | st.lists(_blocks, max_size=4),
    },
    optional={"id": IDS},
)
_uris = MEDIA.map(lambda kind: f"data:{kind};base64,{_PNG}") | st.just("https://example.org/a.png")
_parts = st.one_of(
    st.fixed_dictionaries({"type": st.just("text"), "text": TEXTS}),
    st.fixed_dictionaries({"type": st.just("refusal"), "refusal": TEXTS}),
    _uris.map(lambda uri: {"type": "image_url", "image_url": {"url": uri}}),
    _uris.map(lambda uri: {"type": "file", "file": {"file_data": uri, "filename": "f"}}),
    st.sampled_from(["wav", "ogg"]).map(
        lambda kind: {"type": "input_audio", "input_audio": {"data": "", "format": kind}}
    ),
    st.fixed_dictionaries({"type": TEXTS}),
)
_content = st.none() | TEXTS | st.lists(_parts, max_size=3)
_tool_calls = st.lists(
    st.fixed_dictionaries(
        {
            "id": IDS,
            "type": st.just("function"),
            "function": st.fixed_dictionaries({"name": NAMES, "arguments": ARGUMENTS}),
        }
    ),
    max_size=3,
)
CHAT = st.one_of(
    st.fixed_dictionaries(
        {"role": st.sampled_from(["user", "system", "developer"]), "content": _content},
        optional={"name": NAMES},
    ),
    st.fixed_dictionaries(
        {"role": st.just("assistant"), "content": _content},
        optional={
            "tool_calls": _tool_calls,
            "refusal": TEXTS,
            "audio": st.just({"id": "audio_1"}),
            "name": NAMES,
        },
    ),
    st.fixed_dictionaries(
        {"role": st.just("tool"), "tool_call_id": IDS, "content": _content},
        optional={"name": NAMES},
    ),
)
_input_parts = st.one_of(
    st.fixed_dictionaries({"type": st.just("input_text"), "text": TEXTS}),
    st.fixed_dictionaries({"type": st.just("output_text"), "text": TEXTS}),
    _uris.map(lambda uri: {"type": "input_image", "image_url": uri}),
    _uris.map(lambda uri: {"type": "input_file", "file_data": uri, "filename": "f"}),
)
_item_ids = st.sampled_from(["fc_1", "rs_1", "msg_1", "msg_2", "x", "a:b", "m" * 65])
_item_id = {"id": _item_ids}
RESPONSES_ITEMS = st.one_of(
    st.fixed_dictionaries(
        {
            "type": st.just("message"),
            "role": st.sampled_from(["user", "assistant", "system", "developer"]),
            "content": TEXTS | st.lists(_input_parts, max_size=3),
        },
        optional=_item_id,
    ),
    st.fixed_dictionaries(
        {
            "type": st.just("function_call"),
            "call_id": IDS,
            "name": NAMES,
            "arguments": ARGUMENTS,
        },
        optional=_item_id,
    ),
    st.fixed_dictionaries(
        {
            "type": st.just("function_call_output"),
            "call_id": IDS,
            "output": TEXTS | st.lists(_input_parts, max_size=2),
        },
        optional=_item_id,
    ),
    st.fixed_dictionaries(
        {"type": st.just("reasoning"), "summary": st.just([])},
        optional={**_item_id, "encrypted_content": st.just("gAAA")},
    ),
    st.fixed_dictionaries({"type": st.just("item_reference"), "id": _item_ids}),
    st.fixed_dictionaries({"type": st.just("hologram")}),
)
_gemini_parts = st.one_of(
    st.fixed_dictionaries({"text": TEXTS}, optional={"thought": st.booleans()}),
    st.fixed_dictionaries({"name": NAMES, "args": st.just({"a": 1})}).map(
        lambda call: {"functionCall": call}
    ),
    st.fixed_dictionaries({"name": NAMES, "response": st.just({"output": "x"})}).map(
        lambda response: {"functionResponse": response}
    ),
    MEDIA.map(lambda kind: {"inlineData": {"mimeType": kind, "data": _PNG}}),
)
GEMINI = st.fixed_dictionaries(
    {
        "role": st.sampled_from(["user", "model"]),
        "parts": st.lists(_gemini_parts, min_size=1, max_size=4),
    }
)


def _read(format_of_items: Format) -> Callable[[list[Any]], list[dict[str, Any]]]:
    def drafts_of(items: list[Any]) -> list[dict[str, Any]]:
        return [dict(d) for read in format_of_items.read(items) for d in read.drafts]

    return drafts_of


def _imported(items: st.SearchStrategy[Any], kind: Format) -> st.SearchStrategy[list[Any]]:
    return st.lists(items, min_size=1, max_size=6).map(_read(kind))


broken_histories: st.SearchStrategy[list[Event]] = st.lists(
    st.lists(_drafts, max_size=10)
    | _imported(ANTHROPIC, anthropic.FORMAT)
    | _imported(CHAT, chat.FORMAT)
    | _imported(RESPONSES_ITEMS, responses.FORMAT)
    | _imported(GEMINI, gemini.FORMAT),
    min_size=1,
    max_size=2,
).map(lambda pieces: history(*(draft for piece in pieces for draft in piece)))
"""Histories of any shape, some of them imports from the APIs' own messages, or two mixed."""
