"""What the model-based test draws: messages of every type, facts, views, and who asks."""

from hypothesis import strategies as st

from agentlog.projections.registry import VIEWS
from tests.histories import drafts as messages
from tests.histories import json_values, timestamps
from tests.infrastructure.appends import given
from tests.reliability.model import NO_MESSAGES, Content

ViewChoice = tuple[str, tuple[tuple[str, bool], ...]]
"""A view's name, and options of it."""

THREADS = ["a", "b", "c:1", "d~"]


def _long(number: int) -> Content:
    """Return one of a few messages that are long, or spelled in another way."""
    several: list[Content] = [
        {"type": "system", "text": "You are a careful agent.\n" * 30},
        {"type": "input", "files": [{"data": "QUJD" * 300, "mimeType": "text/plain"}]},
        {"type": "input", "text": "see", "files": [{"data": "/9j/" * 300, "mimeType": "image/x"}]},
        {"type": "tool_results", "results": [{"callId": "a", "output": "page " * 300}]},
        {"type": "tool-calls", "calls": [{"id": "a", "name": "f"}, {"id": "z", "name": "g"}]},
        {"type": "tool-results", "results": [{"callId": "z", "output": None}]},
    ]
    return several[number]


long_messages = st.integers(0, 5).map(_long)
beside = st.fixed_dictionaries(
    {},
    optional={
        "timestamp": timestamps,
        "id": st.integers(0, 60).map(given),
        "metadata": st.fixed_dictionaries(
            {}, optional={"responseId": st.sampled_from(["r1", "r2"]), "free": json_values}
        ),
    },
)
valid = st.builds(lambda draft, more: {**draft, **more}, messages | long_messages, beside)
some = st.lists(valid, min_size=1, max_size=4)
perhaps_none = st.lists(valid, max_size=3)
flawed = st.builds(lambda few, bad: [*few, bad], perhaps_none, st.sampled_from(NO_MESSAGES))
threads = st.sampled_from(THREADS)
who = st.integers(0, 2)
"""Which of the stores: two of one tenant, and a stranger's."""
numbers = st.integers(0, 2**16)
"""To choose by, among as many as there are."""
facts = st.fixed_dictionaries(
    {"policy": st.sampled_from(["strict", "record"])},
    optional={
        "goal": st.sampled_from(["find it", "a\x00b", ""]),
        "parent": threads,
        "limits": st.just({"maxSteps": 3}),
        "metadata": st.dictionaries(st.sampled_from("kl"), st.integers(0, 2), max_size=2),
    },
)
notes = st.dictionaries(st.sampled_from("klm"), st.none() | json_values, min_size=1, max_size=2)
views: st.SearchStrategy[ViewChoice] = st.sampled_from(
    [
        *((name, ()) for name in VIEWS),
        ("kernel", (("metadata", True),)),
        ("openai", (("repair", False),)),
    ]
)
expectations = st.sampled_from([None, None, None, 0, 1, -1])
"""What is expected of a version, as the difference from where it is; None is nothing."""
