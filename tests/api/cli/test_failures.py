"""How commands end: our own PostgreSQL ends with the last of them."""

import signal
from pathlib import Path

import pytest

from tests.command_line import agentlog, as_words, started
from tests.databases import make_cluster, short_folder
from tests.waiting import WAIT_SECONDS, until


def _runs(data_dir: Path) -> bool:
    """Whether the server of a folder takes connections, or did when it was last killed."""
    file = data_dir / "postgresql" / "postmaster.pid"
    return file.exists() and "ready" in file.read_text()


@pytest.mark.parametrize(
    ("words", "number"),
    [
        (["tail"], signal.SIGTERM),
        (["tail"], signal.SIGHUP),
        (["watch", "claude-code"], signal.SIGTERM),
        (["projections", "run"], signal.SIGTERM),
    ],
    ids=str,
)
def test_a_signal_ends_a_command_and_its_postgresql(
    words: list[str], number: int, tmp_path: Path
) -> None:
    with short_folder() as folder:
        data_dir = folder / "data"
        make_cluster(data_dir)
        settings = {"CLAUDE_CONFIG_DIR": str(tmp_path)}
        (tmp_path / "projects").mkdir()
        with started(*words, "--data-dir", data_dir, **settings) as process:
            until(lambda: _runs(data_dir) or process.poll() is not None)
            process.send_signal(number)
            _, err = process.communicate(timeout=WAIT_SECONDS)
        assert "Traceback" not in err
        assert process.returncode in {0, 128 + number}
        assert not _runs(data_dir)


RULES = '{"rules": [{"older_then": "1d", "reason": "old"}]}'


@pytest.mark.parametrize(
    ("words", "way"),
    [
        (["threads"], "no thread of the tenant 'acne', which AGENTLOG_TENANT names"),
        (["threads", "--filter", "failed"], "no thread that matches of the tenant 'acne'"),
        (["report", "usage"], "no row of the tenant 'acne', which AGENTLOG_TENANT names"),
        (["rules", "set", "retention", RULES], "rules.0.older_then: no such field"),
        (["verify", "--since", "/nowhere/note"], "name a file that can be read"),
        (["keys", "create", "--name", "x", "--scope", "all"], "choose from read, append"),
    ],
    ids=as_words,
)
def test_a_wrong_usage_has_a_way_out(
    words: list[str], way: str, shared_database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AGENTLOG_TENANT", "acne")
    assert way in agentlog(*words, url=shared_database_url).err


def test_a_database_that_is_away_is_named_by_its_variable() -> None:
    outcome = agentlog("threads", url="postgresql:///nothing?host=/nowhere")
    assert "see that it runs, and what AGENTLOG_DATABASE_URL names" in outcome.err


def test_the_outline_of_nothing_says_so(database_url: str) -> None:
    history = Path(__file__).parents[3] / "examples" / "refund.json"
    assert agentlog("import", history, url=database_url).code == 0
    outcome = agentlog("outline", "refund", "--at", "0", url=database_url)
    assert (outcome.code, outcome.out) == (0, "")
    assert "versions begin at 1" in outcome.err
