"""What other tracers of today sent of one agent: what its model was asked stands in threads.

Recorded with logfire 5.4.0, openlit 1.45.0, traceloop-sdk 0.62.4, langsmith 0.15.1 (`[otel]`) and
strands-agents 1.62.0, the last in its older and its latest form; `openai` is 2.54.0.
"""

import pytest

from agentlog.extensions.traces.projections.readers.unread import unread_in
from tests.extensions.traces.traced.test_ai_sdk import histories, recording, said
from tests.extensions.traces.traced.test_recordings import RECORDINGS

NAMES = sorted(path.name for path in RECORDINGS.glob("tracer-*.json.gz"))
STORY = [
    ("system", "You help with the weather."),
    ("input", "Weather in Lima?"),
    ("reply", "I look it up."),
    ("call_lima", "weather", {"city": "Lima"}),
    ("reply", "Lima has 17 degrees."),
]
RESULT = "degrees, clear"
ROOTS = {"langsmith": ["gen_ai.completion"], "traceloop": ["traceloop.entity.input"]}
"""Words of the program's own functions, which no model call has."""


@pytest.mark.parametrize("name", NAMES)
def test_what_the_model_was_asked_and_answered_is_told(name: str) -> None:
    threads = [said(history) for history in histories(name)]
    lines = [line for thread in threads for line in thread]
    assert [line for line in STORY if line not in lines] == []
    results = [line for line in lines if line[0] == "call_lima" and len(line) == 2]
    assert {RESULT in line[1] for line in results} == {True}
    if "openlit" not in name:  # each of its calls is a trace of its own
        assert [thread.count(line) for thread in threads for line in STORY] == [1] * len(STORY)


@pytest.mark.parametrize("name", NAMES)
def test_each_model_call_is_counted_with_all_its_tokens(name: str) -> None:
    drafts = [draft for history in histories(name) for draft in history.drafts]
    usages = [draft["usage"] for draft in drafts if draft["type"] == "llm_response"]
    assert len(usages) == len(recording(name)["asked"])
    for usage in usages:
        figures = ("inputTokens", "outputTokens", "cachedInputTokens")
        assert [usage[key] for key in figures] == [150, 30, 40]
    assert not any(draft.get("costUsd") == 0 for draft in drafts)


@pytest.mark.parametrize("name", NAMES)
def test_no_words_are_left_but_those_of_the_program_itself(name: str) -> None:
    drafts = [draft for history in histories(name) for draft in history.drafts]
    roots = next((ROOTS[key] for key in ROOTS if key in name), [])
    assert [unread for draft in drafts for unread in unread_in(draft)] == roots
