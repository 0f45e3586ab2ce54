"""What tests of moves share."""

from collections.abc import Iterator

import pytest

from tests.databases import new_database
from tests.extensions.cells.cells import Cell, cell_on


@pytest.fixture
def here_url(server_url: str, template_with_tables: str) -> Iterator[str]:
    """The first database."""
    with new_database(server_url, template=template_with_tables) as url:
        yield url


@pytest.fixture
def there_url(server_url: str, template_with_tables: str) -> Iterator[str]:
    """The second."""
    with new_database(server_url, template=template_with_tables) as url:
        yield url


@pytest.fixture
def here(here_url: str) -> Iterator[Cell]:
    """The database that tenants begin in."""
    with cell_on(here_url) as cell:
        yield cell


@pytest.fixture
def there(there_url: str) -> Iterator[Cell]:
    """The other."""
    with cell_on(there_url) as cell:
        yield cell
