"""Extensions are tested over the application that the tests of HTTP have."""

from tests.api.conftest import app, client, refusals, threads, views

__all__ = ["app", "client", "refusals", "threads", "views"]
