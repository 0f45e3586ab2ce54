"""The application over a fresh log, as tests of HTTP have it."""

from tests.api.conftest import app, client, threads

__all__ = ["app", "client", "threads"]
