"""What files say that a model is to answer."""

import pytest

from agentlog.extensions.runs.projections.written.files import InvalidAnswer, answer_in
from agentlog.projections.exchanges.answers import Answer


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"Take a coat.\n", "Take a coat."),
        (b"{Porto}", "{Porto}"),
        (b"42\n", "42"),
        (b"[1]", "[1]"),
    ],
)
def test_a_text_is_the_answer(content: bytes, text: str) -> None:
    assert answer_in(content) == Answer(text=text)


def test_calls_have_names_and_arguments() -> None:
    answer = answer_in(b'{"calls": [{"name": "weather", "arguments": {"city": "Porto"}}]}')
    assert isinstance(answer, Answer)
    (call,) = answer.calls
    assert (answer.text, call.name, call.args) == (None, "weather", {"city": "Porto"})
    assert call.id.startswith("call_")


@pytest.mark.parametrize(
    "document",
    [
        b'{"choices": [{"message": {"content": "yes"}}]}',
        b'{"object": "response", "output": []}',
        b'{"type": "message", "content": []}',
    ],
)
def test_a_whole_answer_of_an_api_is_as_it_is(document: bytes) -> None:
    assert isinstance(answer_in(document), dict)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "it is empty"),
        (b"\xff", "it is not UTF-8"),
        (b"{}", "it has neither text nor calls"),
        (b'{"txt": "yes"}', "it is a JSON object with 'txt'"),
        (b'{"text": 1}', "text is no string"),
        (b'{"calls": {}}', "calls is no array"),
        (b'{"calls": [{"arguments": {}}]}', r"calls\[0\] has no name"),
        (b'{"calls": [{"name": "a", "args": {}}]}', r"calls\[0\] has 'args'"),
    ],
)
def test_what_is_no_answer_is_refused(content: bytes, reason: str) -> None:
    with pytest.raises(InvalidAnswer, match=reason):
        answer_in(content)
