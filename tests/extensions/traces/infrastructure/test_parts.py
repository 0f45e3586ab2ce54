"""Pages of observations of one session, as two files."""

from pathlib import Path
from typing import Any

import pytest

from agentlog.infrastructure.threads import Threads
from tests.extensions.laws.test_parts import check_a_second_file


def observation(number: int) -> dict[str, Any]:
    """Return one of Langfuse's, of a session."""
    return {
        "id": f"o{number}",
        "traceId": f"t{number}",
        "sessionId": "s",
        "type": "GENERATION",
        "startTime": f"2026-01-01T00:00:{number:02d}Z",
        "input": f"question {number}",
        "output": f"answer {number}",
    }


@pytest.mark.parametrize("together", [True, False])
def test_a_second_file_of_a_thread_loses_no_message(
    threads: Threads, tmp_path: Path, *, together: bool
) -> None:
    pages = [[observation(n) for n in part] for part in ((0, 1, 2), (3, 4))]
    check_a_second_file(threads, tmp_path, pages, together=together)
