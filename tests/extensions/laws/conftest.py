"""The laws of formats are tested over the log's own parts, without the application."""

from tests.infrastructure.conftest import (
    blobs,
    clock,
    reader,
    threads,
    writer,
)

__all__ = ["blobs", "clock", "reader", "threads", "writer"]
