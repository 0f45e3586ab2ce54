"""Which tests `make test-changed` chooses."""

import pytest

from tests.changed import choose_tests


@pytest.mark.parametrize(
    ("changed", "chosen"),
    [
        ("api/cli/reports.py", "tests/api/cli/test_reports.py"),
        ("extensions/formats/codex/rollout.py", "tests/extensions/formats/test_manifest.py"),
        ("infrastructure/keys/keys.sql", "tests/infrastructure/keys/test_cache.py"),
        ("docs/reference/proof.md", "tests/infrastructure/audit/test_forger.py"),
        ("tests/airline.py", "tests/test_real_data.py"),
        ("web/src/app/frame.tsx", "tests/browser"),
        ("extensions/formats/codex/web/page.tsx", "tests/browser"),
        ("pyproject.toml", "tests"),
    ],
)
def test_a_test_is_chosen_by_what_it_imports_names_or_stands_beside(
    changed: str, chosen: str
) -> None:
    assert chosen in choose_tests([changed])


def test_what_has_nothing_to_do_with_a_change_is_not_chosen() -> None:
    tests = choose_tests(["api/cli/reports.py", "tests/domain/test_threads.py"])
    assert "tests/domain/test_threads.py" in tests
    assert "tests/infrastructure/keys/test_cache.py" not in tests
