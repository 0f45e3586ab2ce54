"""The models are those of the OpenAPI document, and every one can be built."""

import json
import os
import subprocess
import sys
from pathlib import Path

from agentlog.api.http.app import openapi_document
from agentlog_client import models
from agentlog_client.shape import Shape

CLIENT = Path(__file__).parents[2] / "client"
MODULE = CLIENT / "agentlog_client" / "models.py"


def test_the_models_are_those_of_the_document() -> None:
    """AGENTLOG_WRITE_DOCS=1 writes them."""
    made = subprocess.run(
        [sys.executable, CLIENT / "generate_models.py"],
        input=json.dumps(openapi_document()).encode(),
        capture_output=True,
        check=True,
    ).stdout
    ruff = Path(sys.executable).with_name("ruff")
    formatted = subprocess.run(
        [ruff, "format", "--stdin-filename", MODULE, "-"],
        input=made,
        capture_output=True,
        check=True,
    ).stdout
    if os.environ.get("AGENTLOG_WRITE_DOCS"):
        MODULE.write_bytes(formatted)
    assert formatted.decode() == MODULE.read_text()


def test_every_model_can_be_built() -> None:
    shapes = [value for value in vars(models).values() if isinstance(value, type)]
    ours = [shape for shape in shapes if issubclass(shape, Shape) and shape is not Shape]
    assert len(ours) > 80
    assert all(shape.model_rebuild(force=True) for shape in ours)
