"""Routes and errors of extensions are printed: see `tests/api/http/printed.py`."""

from pathlib import Path

from tests.api.http.printed import check_errors, check_routes, of_extension


def test_the_reference_has_every_route_of_an_extension() -> None:
    check_routes("| route of an extension | scope | names threads by |", of_extension)


def test_the_status_of_every_error_of_an_extension_is_printed() -> None:
    check_errors(Path(__file__).parent / "errors.txt", of_extension)
