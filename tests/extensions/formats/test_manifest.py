"""The manifest names what is there."""

from agentlog.extensions.formats import EXTENSION
from agentlog.projections.readers.registry import FORMATS
from tests.test_golden import GOLDEN


def test_each_format_has_its_name_and_a_file_made_after_a_real_one() -> None:
    for name in EXTENSION.formats:
        assert FORMATS[name].name == name
        assert any((GOLDEN / "readers" / name).iterdir())


def test_each_file_made_after_a_real_one_is_of_a_format() -> None:
    assert {path.name for path in (GOLDEN / "readers").iterdir()} <= FORMATS.keys()
