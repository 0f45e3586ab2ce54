"""What is tried again, for how long, and where a stream goes on: without a network."""

import json
from collections.abc import Iterator, Sequence

import pytest

from agentlog_client import (
    InvalidRequest,
    Problem,
    Retries,
    ServiceAway,
    Unavailable,
    UnexpectedAnswer,
)
from agentlog_client.exchange import (
    Ask,
    Command,
    Emit,
    Failed,
    Open,
    Outcome,
    Pause,
    Read,
    emitted,
    exchange,
)
from agentlog_client.frames import FrameParser
from agentlog_client.operation import Answer, Operation, Request, Stream

RETRIES = Retries(attempts=3, first=0.1, longest=0.2)
OK = Answer(200, {}, b"5")
AWAY = Failed("http://me:secret@there/", ConnectionResetError())
BUSY = Answer(503, {"retry-after": "2"}, b'{"type": "urn:agentlog:problem:thread-contended"}')


def _asked(outcomes: Sequence[Outcome], *, repeatable: bool = True) -> tuple[object, list[Command]]:
    """Return what an operation came to, and all that was done for it."""
    operation = Operation(Request("GET", "/"), lambda answer: answer.json(), repeatable=repeatable)
    program, commands, following = exchange(operation, RETRIES), [], iter(outcomes)
    command = next(program)
    try:
        while True:
            commands.append(command)
            command = program.send(None if isinstance(command, Pause) else next(following))
    except StopIteration as end:
        return end.value, commands


@pytest.mark.parametrize("first", [AWAY, BUSY, Answer(429, {"retry-after": "1"}, b"{}")])
def test_what_may_pass_is_asked_again_after_a_pause(first: Outcome) -> None:
    value, commands = _asked([first, OK])
    assert value == 5
    assert [type(command) for command in commands] == [Ask, Pause, Ask]


def test_the_service_says_how_long_to_wait_at_least() -> None:
    _, commands = _asked([BUSY, OK])
    assert isinstance(commands[1], Pause)
    assert commands[1].seconds == 2


def test_attempts_are_counted_and_the_last_error_is_raised() -> None:
    with pytest.raises(ServiceAway, match="http://there/"):
        _asked([AWAY] * 3)
    with pytest.raises(Unavailable) as caught:
        _asked([AWAY, AWAY, BUSY])
    assert caught.value.type == "thread-contended"


@pytest.mark.parametrize(
    ("status", "error"),
    [(400, InvalidRequest), (422, InvalidRequest), (500, Problem), (503, Unavailable)],
)
def test_other_refusals_are_not_tried_again(status: int, error: type[Exception]) -> None:
    with pytest.raises(error):
        _asked([Answer(status, {}, b"no JSON")])


def test_what_may_not_be_done_twice_is_not_tried_again() -> None:
    with pytest.raises(ServiceAway):
        _asked([AWAY], repeatable=False)


def test_what_is_not_agentlog_is_told_so() -> None:
    with pytest.raises(UnexpectedAnswer, match="<html>"):
        _asked([Answer(200, {}, b"<html>")])


def _followed(connections: Sequence[Sequence[bytes | Failed]]) -> Iterator[tuple[str, object]]:
    """Yield what is opened and what comes; each connection ends after its pieces."""
    program = emitted(Stream(Request("GET", "/"), lambda frame: frame.data or None), RETRIES)
    opened = iter(connections)
    pieces: Iterator[bytes | Failed] = iter(())
    command = next(program)
    while True:
        outcome: Outcome = None
        match command:
            case Open(request):
                if (connection := next(opened, None)) is None:
                    return
                yield "opened after", request.headers.get("Last-Event-ID")
                pieces, outcome = iter(connection), OK
            case Read():
                outcome = next(pieces, None)
            case Emit(item):
                yield "item", item
            case _:
                pass
        command = program.send(outcome)


def test_a_stream_that_breaks_off_goes_on_after_its_last_event() -> None:
    assert list(
        _followed([[b"data: a\nid: 1\n\nda", AWAY], [], [b"id: 2\n\n"], [b"data: c\n\n"]])
    ) == [
        ("opened after", None),
        ("item", "a"),
        ("opened after", "1"),
        ("opened after", "1"),
        ("opened after", "2"),
        ("item", "c"),
    ]


def test_a_stream_without_places_is_not_told_twice() -> None:
    stream = _followed([[b"data: a\n\n"], [b"data: a\n\n"]])
    assert [next(stream), next(stream)] == [("opened after", None), ("item", "a")]
    with pytest.raises(ServiceAway, match="cannot be resumed"):
        next(stream)


def test_frames_are_split_at_any_byte() -> None:
    text = 'event: item\r\ndata: {"é": 1}\ndata: 2\nid: 7\n\n: ping\n\ndata:x\n\n'.encode()
    whole = list(FrameParser().frames(text))
    assert [(frame.event, frame.data, frame.id) for frame in whole] == [
        ("item", '{"é": 1}\n2', "7"),
        ("message", "x", None),
    ]
    parser = FrameParser()
    assert [frame for byte in text for frame in parser.frames(bytes([byte]))] == whole
    assert json.loads(whole[0].data.splitlines()[0]) == {"é": 1}
