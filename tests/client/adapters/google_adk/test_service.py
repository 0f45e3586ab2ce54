"""ADK's session service, in an environment of its own: ADK asks for an older OpenTelemetry."""

import os
import subprocess
from pathlib import Path

import pytest


@pytest.mark.slow
def test_the_service_keeps_its_contract(url: str) -> None:
    python = os.environ.get("AGENTLOG_TEST_ADK")
    if python is None:
        pytest.skip("AGENTLOG_TEST_ADK does not name a Python; `make test-slow` does")
    contract = Path(__file__).with_name("contract.py")
    words = [python, "-m", "pytest", "-q", "--confcutdir", contract.parent, "-c", os.devnull]
    done = subprocess.run(
        [*words, "-p", "no:cacheprovider", contract],
        env={**os.environ, "AGENTLOG_URL": url, "PYTHONPATH": str(Path(__file__).parents[4])},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert "9 passed" in done.stdout, done.stdout[-6000:] + done.stderr
