"""Token figures of LangChain's messages: as the service itself reads them of a file."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage

from agentlog.projections.token_words import LANGCHAIN
from agentlog_client.adapters.langchain.messages import response_of
from tests.histories import examples

COUNTS = st.integers(0, 1000)
DETAILS = (
    ("cache_read", "cache_creation", "ephemeral_5m_input_tokens", "ephemeral_1h_input_tokens"),
    ("reasoning", "audio"),
)


@given(
    read=st.fixed_dictionaries({}, optional=dict.fromkeys(DETAILS[0], COUNTS)),
    written=st.fixed_dictionaries({}, optional=dict.fromkeys(DETAILS[1], COUNTS)),
)
@examples(60)
def test_the_adapter_and_the_reader_count_alike(
    read: dict[str, int], written: dict[str, int]
) -> None:
    usage: Any = {
        "input_tokens": 5000,
        "output_tokens": 2000,
        "total_tokens": 7000,
        "input_token_details": read,
        "output_token_details": written,
    }
    message = AIMessage("done", usage_metadata=usage)
    assert response_of(message)["usage"] == LANGCHAIN.figures(dict(message.usage_metadata or {}))
