"""What attributes of OpenTelemetry's GenAI conventions say of an answer."""

from agentlog.extensions.traces.projections.readers.dialects.semconv import response_of


def test_attributes_say_what_is_known_of_an_answer() -> None:
    assert response_of(
        {
            "gen_ai.system": "openai",
            "gen_ai.request.model": "gpt-4o",
            "gen_ai.response.model": "gpt-4o-2024-08-06",
            "gen_ai.response.finish_reasons": '["stop"]',
            "gen_ai.usage.input_tokens": 9,
            "gen_ai.usage.cache_read.input_tokens": 4,
        }
    ) == {
        "model": "gpt-4o-2024-08-06",
        "provider": "openai",
        "finishReason": "stop",
        "usage": {"inputTokens": 9, "cachedInputTokens": 4},
    }
    assert response_of({}) == {}
