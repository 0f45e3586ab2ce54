"""The application over a fresh log, as tests of the core's API have it."""

from tests.api.conftest import app, client, threads

__all__ = ["app", "client", "threads"]
