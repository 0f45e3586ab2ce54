"""The examples of extensions' and adapters' documents run, and print what they say."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.documents import demo, path_of, run_examples, with_examples


@pytest.fixture(scope="module")
def demo_environment(
    server_url: str, template_database: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, str]]:
    with demo(server_url, template_database, tmp_path_factory.mktemp("keys")) as environment:
        yield environment


@pytest.mark.parametrize("document", with_examples(beside=True), ids=path_of)
def test_examples_run_and_print_what_the_document_says(
    document: Path, demo_environment: dict[str, str], tmp_path: Path
) -> None:
    run_examples(document, demo_environment, tmp_path)
