"""What ccusage and tokscale count in situations of their own tests, and what this project does.

Each row is a situation of a test of theirs, built anew and small. Figures are calls, all tokens
that were read (fresh, from caches, written to them), what of these came from a cache, what was
written to one, and all output, thoughts included: theirs are added up to these. Where both differ,
the reason says why.
"""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any, NamedTuple

import pytest

from agentlog.extensions.formats.claude_code.session import FORMAT as CLAUDE_CODE
from agentlog.extensions.formats.codex.rollout import FORMAT as CODEX
from agentlog.extensions.formats.gemini_cli import FORMAT as GEMINI_CLI
from agentlog.extensions.formats.opencode import FORMAT as OPENCODE
from agentlog.extensions.formats.pi import FORMAT as PI
from agentlog.projections.readers.history import Format
from agentlog.projections.readmodels.model import ThreadRows
from agentlog.projections.readmodels.model_calls import ModelCallRow, ModelCalls
from tests.histories import history

Line = dict[str, Any]
Figures = tuple[int, int, int, int, int]
SAME = ""


class Situation(NamedTuple):
    """Files as they are, what the other project says of them, and ours with the reason."""

    format: Format
    files: Sequence[Any]
    theirs: Figures
    ours: Figures | None = None
    reason: str = SAME
    usd: float | None = None


def claude(number: int, answer: str, output: int, **more: Any) -> Line:
    """Return a line of an answer of Claude Code; `usage` is added to its usage."""
    usage = {"input_tokens": 0, "output_tokens": output, **more.pop("usage", {})}
    text = [{"type": "text", "text": f"part {number}"}]
    message = {"id": answer, "type": "message", "role": "assistant", "model": "claude-sonnet-4-0"}
    return {
        "type": "assistant",
        "uuid": f"00000000-0000-4000-8000-{number:012}",
        "parentUuid": None,
        "timestamp": f"2026-03-29T07:00:{number:02}.000Z",
        "sessionId": "session-a",
        "version": "1.0.0",
        "message": {**message, "content": text, "usage": usage},
        **more,
    }


def aside(number: int, answer: str, output: int, cached: int) -> Line:
    """Return a line of a sidechain, which has a file of its own."""
    usage = {"cache_read_input_tokens": cached}
    return claude(number, answer, output, usage=usage, isSidechain=True, agentId="btw")


PARENT = claude(1, "msg_parent", 10, usage={"cache_read_input_tokens": 20}, requestId="req-parent")
REPLAY = [aside(2, "msg_parent", 10, 50_000), aside(3, "msg_side", 30, 700)]


def tokens(read: int, cached: int, output: int, thoughts: int = 0) -> Line:
    return {
        "input_tokens": read,
        "cached_input_tokens": cached,
        "output_tokens": output,
        "reasoning_output_tokens": thoughts,
        "total_tokens": read + output,
    }


def codex(*infos: Line, at: Any = "2026-05-12T08:01:00.000Z", **meta: Any) -> list[Line]:
    """Return a rollout of Codex with these token counts."""
    own = {"id": meta.pop("id", "a17a17a1-0000-7000-8000-000000000001"), "cwd": "/w", **meta}
    context = {"type": "turn_context", "payload": {"model": "gpt-5.2"}}
    counts = [
        {"type": "event_msg", "payload": {"type": "token_count", "info": info}} for info in infos
    ]
    lines: list[Line] = [{"type": "session_meta", "payload": own}, context, *counts]
    return [{"timestamp": at, **line} for line in lines]


ONE, TWO = tokens(1000, 100, 200, 20), tokens(1600, 300, 450, 40)
COPIED = codex(
    {"total_token_usage": ONE},
    {"total_token_usage": TWO},
    id="a17a17a1-0000-7000-8000-000000000002",
    forked_from_id="a17a17a1-0000-7000-8000-000000000001",
    timestamp="2026-05-12T08:02:00.000Z",
)


def opencode(counts: Line, **info: Any) -> Line:
    about = {"id": "message-a", "sessionID": "session-a", "role": "assistant"}
    about |= {"providerID": "openai", "modelID": "gpt-test", "time": {"created": 1_767_312_000_000}}
    message = {"info": {**about, "tokens": counts, **info}, "parts": []}
    return {"info": {"id": "session-a"}, "messages": [message]}


def gemini(counts: Line) -> list[Line]:
    head = {"sessionId": "session-a", "projectHash": "p", "startTime": "2026-05-17T11:07:00.000Z"}
    answer = {"id": "msg-a", "timestamp": "2026-05-17T11:07:32.000Z", "type": "gemini"}
    return [head, {**answer, "model": "gemini-3-flash-preview", "content": "", "tokens": counts}]


def pi(counts: Line) -> list[Line]:
    answer = {"role": "assistant", "model": "gpt-5", "content": [{"type": "text", "text": "a"}]}
    at = "2026-01-02T00:00:00.000Z"
    return [
        {"type": "session", "version": 3, "id": "s", "timestamp": at, "cwd": "/w"},
        {
            "type": "message",
            "id": "a1b2c3d4",
            "parentId": None,
            "timestamp": at,
            "message": {**answer, "usage": counts},
        },
    ]


_TOTAL_ALONE = "a total without parts is a total: what of it was output is not known"
SITUATIONS = {
    # ccusage, adapter/claude
    "a sidechain replays its parent": Situation(
        CLAUDE_CODE, [[PARENT], REPLAY], (2, 720, 720, 0, 40)
    ),
    "the sidechain is read first": Situation(CLAUDE_CODE, [REPLAY, [PARENT]], (2, 720, 720, 0, 40)),
    "lines of one answer grow": Situation(
        CLAUDE_CODE,
        [[claude(1, "m", 1), claude(2, "m", 1), claude(3, "m", 260)]],
        (1, 0, 0, 0, 260),
    ),
    "a line states its cost": Situation(
        CLAUDE_CODE,
        [[claude(1, "m", 50, usage={"input_tokens": 100}, costUSD=0.12, requestId="r")]],
        (1, 100, 0, 0, 50),
        usd=0.12,
    ),
    "what is written to a cache has two times": Situation(
        CLAUDE_CODE,
        [
            [
                claude(
                    1,
                    "m",
                    2,
                    usage={
                        "input_tokens": 1,
                        "cache_creation_input_tokens": 300,
                        "cache_creation": {
                            "ephemeral_5m_input_tokens": 100,
                            "ephemeral_1h_input_tokens": 200,
                        },
                    },
                )
            ]
        ],
        (1, 301, 0, 300, 2),
    ),
    # ccusage, adapter/codex
    "counts of single calls": Situation(
        CODEX, [codex({"last_token_usage": ONE, "model": "gpt-5.2"})], (1, 1000, 100, 0, 200)
    ),
    "counts of a whole session alone": Situation(
        CODEX,
        [codex({"total_token_usage": ONE}, {"total_token_usage": TWO})],
        (2, 1600, 300, 0, 450),
    ),
    "times are numbers": Situation(
        CODEX, [codex({"total_token_usage": ONE}, at=1_767_312_001_000)], (1, 1000, 100, 0, 200)
    ),
    "a branch begins with a copy": Situation(
        CODEX,
        [
            codex({"total_token_usage": ONE}),
            [*COPIED[:-1], {**COPIED[-1], "timestamp": "2026-05-12T08:02:10.000Z"}],
        ],
        (2, 1600, 300, 0, 450),
    ),
    # ccusage, adapter/opencode; tokscale, sessions/opencode.rs
    "a stored cost of 0 is none": Situation(
        OPENCODE,
        [opencode({"input": 100, "output": 10, "cache": {"read": 50}}, cost=0)],
        (1, 150, 50, 0, 10),
    ),
    "a stored cost is kept": Situation(
        OPENCODE, [opencode({"input": 100, "output": 0}, cost=0.02)], (1, 100, 0, 0, 0), usd=0.02
    ),
    "opencode states a total alone": Situation(
        OPENCODE, [opencode({"total": 123})], (1, 0, 0, 0, 123), (1, 0, 0, 0, 0), _TOTAL_ALONE
    ),
    "thoughts stand beside the output": Situation(
        OPENCODE,
        [
            opencode(
                {
                    "input": 1000,
                    "output": 500,
                    "reasoning": 100,
                    "cache": {"read": 200, "write": 50},
                },
                cost=0.05,
            )
        ],
        (1, 1250, 200, 50, 600),
        usd=0.05,
    ),
    # ccusage, adapter/gemini; tokscale, sessions/gemini.rs
    "cached tokens are of the input, tool's beside it": Situation(
        GEMINI_CLI,
        [
            gemini(
                {
                    "input": 15327,
                    "output": 23,
                    "cached": 11526,
                    "thoughts": 919,
                    "tool": 7,
                    "total": 16276,
                }
            )
        ],
        (1, 15334, 11526, 0, 942),
    ),
    "a total says that cached tokens stand beside": Situation(
        GEMINI_CLI,
        [gemini({"input": 10, "output": 20, "cached": 5, "thoughts": 0, "tool": 0, "total": 35})],
        (1, 15, 5, 0, 20),
    ),
    "Gemini states a total alone": Situation(
        GEMINI_CLI, [gemini({"total": 654})], (1, 0, 0, 0, 654), (1, 0, 0, 0, 0), _TOTAL_ALONE
    ),
    # ccusage, adapter/pi and adapter/openclaw
    "Pi states a total alone": Situation(
        PI, [pi({"totalTokens": 333})], (1, 0, 0, 0, 333), (1, 0, 0, 0, 0), _TOTAL_ALONE
    ),
    "Pi states parts and a cost": Situation(
        PI,
        [pi({"input": 100, "output": 200, "cost": {"total": 0.05}})],
        (1, 100, 0, 0, 200),
        usd=0.05,
    ),
}
"""Not here: their lines without a `type`, which Claude Code writes with every line; agents that
this project has no reader for (Amp, Droid, Codebuff, Goose, Kimi, Kilo, Hermes, Qwen, Copilot's
spans), and `codex exec --json`, which is no rollout; sessions of Codex without their first line,
where equal counts at one time are all that tells copies apart."""


def rows_of_files(situation: Situation) -> list[ModelCallRow]:
    """Return the calls in files, as one tenant's threads."""
    model, calls = ModelCalls(), list[ModelCallRow]()
    known: dict[str, list[ModelCallRow]] = defaultdict(list)
    for number, document in enumerate(situation.files):
        for read in situation.format.read(document):
            events = history(*read.drafts)
            for event in events:
                if (identity := model.identity_of(event)) is not None:
                    known[identity] = known[identity]
            rows: ThreadRows[ModelCallRow] = ThreadRows("t", f"{number}", (), known)
            for event in events:
                if event.type in (model.types or ()):
                    model.fold(event, rows)
            calls += rows.added
    return calls


@pytest.mark.parametrize("name", SITUATIONS)
def test_figures_are_theirs_or_the_difference_has_a_reason(name: str) -> None:
    situation = SITUATIONS[name]
    calls = [call for call in rows_of_files(situation) if call.copy_of is None]
    columns = ("input_tokens", "cached_input_tokens", "cache_write_tokens", "output_tokens")
    sums = [sum(getattr(call, column) or 0 for call in calls) for column in columns]
    expected = situation.theirs if situation.ours is None else situation.ours
    assert (len(calls), *sums) == expected
    assert bool(situation.reason) == (situation.ours is not None)
    if situation.usd is not None:
        assert [(call.cost_usd, call.cost_source) for call in calls] == [
            (situation.usd, "reported")
        ]
