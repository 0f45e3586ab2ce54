"""How calls and times read on every wire."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import example, given

from agentlog.domain.messages import ToolCall
from agentlog.projections.call_texts import arguments_text, iso_time
from tests.histories import timestamps


@given(timestamps)
@example(0)
@example(59_999)
@example(253_402_300_799_999)
def test_a_time_is_told_in_utc_to_the_millisecond(timestamp: int) -> None:
    at = datetime.fromtimestamp(0, UTC) + timedelta(milliseconds=timestamp)
    assert iso_time(timestamp) == at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({}, "{}"),
        ({"args": None}, "null"),
        ({"args": {"a": [1, 2]}}, '{"a":[1,2]}'),
        ({"args": {"a": 1}, "argumentsText": '{"a": 1}'}, '{"a": 1}'),
        ({"argumentsText": ""}, ""),
    ],
)
def test_arguments_are_the_text_of_the_source_or_compact_json(
    fields: dict[str, object], text: str
) -> None:
    assert arguments_text(ToolCall.model_validate({"id": "a", "name": "f", **fields})) == text
