"""Each route of the service as a function that returns an operation: a value, nothing is sent.

`client.send(operations.threads.thread("t"))` is `client.thread("t")`.
"""

from agentlog_client.operations import (
    audit,
    blobs,
    comparison,
    forks,
    imports,
    log,
    messages,
    redaction,
    reports,
    search,
    service,
    subscriptions,
    threads,
    views,
)

__all__ = [
    "audit",
    "blobs",
    "comparison",
    "forks",
    "imports",
    "log",
    "messages",
    "redaction",
    "reports",
    "search",
    "service",
    "subscriptions",
    "threads",
    "views",
]
