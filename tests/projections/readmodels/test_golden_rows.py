"""Golden files of rows: what the examples come to in each read model."""

import dataclasses
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from agentlog.domain.json.text import print_bytes
from agentlog.projections.readmodels.registry import READ_MODELS
from tests.projections.readmodels.folding import rows_of
from tests.test_golden import GOLDEN, THREADS, check_golden

FOLDER = GOLDEN / "readmodels"


@pytest.mark.parametrize("name", READ_MODELS)
def test_the_examples_come_to_the_same_rows_as_ever(name: str) -> None:
    rows = [row for events in THREADS.values() for row in rows_of(READ_MODELS[name], events)]
    assert rows
    check_golden(_file(name), b"[\n%s\n]\n" % b",\n".join(map(_printed, rows)))


def test_no_golden_read_model_is_left_over() -> None:
    assert set(FOLDER.iterdir()) == set(map(_file, READ_MODELS))


def _file(name: str) -> Path:
    """Return the file of a version: other rows need another version, or old tables would stay."""
    return FOLDER / f"{name}-{READ_MODELS[name].version}.json"


def _printed(row: Any) -> bytes:
    values = {
        field.name: _plain(getattr(row, field.name)) for field in dataclasses.fields(type(row))
    }
    del values["tenant"]
    return print_bytes(values)


def _plain(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else value
