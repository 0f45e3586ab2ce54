"""The reference of the HTTP API is printed from routes, and the status of each error."""

from pathlib import Path

from tests.api.http.printed import check_errors, check_routes, of_core


def test_the_reference_has_every_route_with_its_scope_and_the_threads_that_it_names() -> None:
    check_routes("| route | scope | names threads by |", of_core)


def test_the_status_of_every_error_is_printed() -> None:
    check_errors(Path(__file__).parent / "errors.txt", of_core)
