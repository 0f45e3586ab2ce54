"""Trace contexts: what a traceparent header may be."""

import pytest

from agentlog.domain.traces import read_traceparent

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
SPAN = "00f067aa0ba902b7"


@pytest.mark.parametrize("flags", ["00", "01", "03", "ff"])
def test_a_header_of_version_00_is_kept_as_it_is(flags: str) -> None:
    header = f"00-{TRACE}-{SPAN}-{flags}"
    assert read_traceparent(header) == header


@pytest.mark.parametrize("header", [f"cc-{TRACE}-{SPAN}-03", f"01-{TRACE}-{SPAN}-01-what.comes"])
def test_of_a_later_version_what_version_00_knows_is_taken(header: str) -> None:
    assert read_traceparent(header) == f"00-{TRACE}-{SPAN}-01"


@pytest.mark.parametrize(
    "header",
    [
        "",
        "nonsense",
        f"ff-{TRACE}-{SPAN}-01",  # version 255 is forbidden
        f"00-{'0' * 32}-{SPAN}-01",
        f"00-{TRACE}-{'0' * 16}-01",
        f"00-{TRACE.upper()}-{SPAN}-01",
        f"00-{TRACE[:-1]}-{SPAN}-01",
        f"00-{TRACE}-{SPAN}",
        f"00-{TRACE}-{SPAN}-01-more",  # only a later version may have more
        f"01-{TRACE}-{SPAN}-01more",
        f"00-{TRACE}-{SPAN}-0g",
        f" 00-{TRACE}-{SPAN}-01",
        f"00-{TRACE}-{SPAN}-01\n",
        f"00-{'٣' * 32}-{SPAN}-01",
    ],
)
def test_what_is_no_trace_context_is_none(header: str) -> None:
    assert read_traceparent(header) is None
