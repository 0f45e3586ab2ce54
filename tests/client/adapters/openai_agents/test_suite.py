"""The Agents SDK's own tests of sessions, from its source distribution."""

import os
import re
import subprocess
import sys
import tarfile
from importlib.metadata import version
from pathlib import Path

import pytest

OF_SQLITE = """
    close_closes_worker_thread_connections close_retries_quarantined_connection
    closed_rejects_empty_add_items closes_retired_connections_before_the_next_allocation
    failed_add_items_releases_write_lock failed_clear_session_rolls_back
    failed_pop_item_releases_write_lock file_lock_is_shared_across_instances
    get_items_limit_skips_corrupt_newest_rows get_items_session_settings_limit_skips_corrupt_rows
    keeps_connections_of_live_worker_threads pop_item_returns_none_after_dropping_only_corrupt_rows
    pop_item_skips_corrupt_most_recent
    post_commit_cancellation_propagates_after_known_outcome
    reaps_connections_from_exited_worker_threads rollback_failure_evicts_connection
""".split()
"""Tests that look into SQLite: its connections, locks and corrupt rows."""


@pytest.mark.slow
def test_our_session_in_place_of_sqlites_passes_their_tests(url: str, tmp_path: Path) -> None:
    of_version = f"openai-agents=={version('openai-agents')}"
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
    source = ["--no-binary", "openai-agents", "--no-build-isolation", of_version]
    subprocess.run([*pip, *source], cwd=tmp_path, check=True, timeout=300)
    (archive,) = tmp_path.glob("openai_agents-*.tar.gz")
    with tarfile.open(archive) as opened:
        opened.extractall(tmp_path, filter="data")
    (unpacked,) = (path for path in tmp_path.iterdir() if path.is_dir())
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-q", "-p", "swapped"),
            *("-o", "addopts=", "-o", "filterwarnings=", "-o", "anyio_mode=auto"),
            *("tests/memory/test_session.py", "tests/memory/test_session_limit.py"),
            *("-k", f"not ({' or '.join(OF_SQLITE)})"),
        ],
        cwd=unpacked,
        env={
            **os.environ,
            "AGENTLOG_URL": url,
            "OPENAI_AGENTS_DISABLE_TRACING": "1",
            "PYTHONPATH": str(Path(__file__).parent),
        },
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert re.search(r"53 passed, 18 deselected", done.stdout), done.stdout[-5000:] + done.stderr
