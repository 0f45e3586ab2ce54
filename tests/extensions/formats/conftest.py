"""The service in process, with its store and views, as the tests of HTTP have it."""

from tests.api.conftest import app, client, threads, views

__all__ = ["app", "client", "threads", "views"]
