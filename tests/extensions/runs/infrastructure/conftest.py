"""The log of tests, as those of the core's infrastructure have it."""

from tests.infrastructure.conftest import blobs, clock, reader, threads, writer

__all__ = ["blobs", "clock", "reader", "threads", "writer"]
