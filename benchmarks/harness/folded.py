"""Waiting until a service has folded threads ahead: from then on readers find snapshots."""

import time

import psycopg

from agentlog.projections.registry import VIEWS
from benchmarks.harness.service import Client


def wait_until_folded(
    connection: psycopg.Connection, client: Client, *, version: int, threads: int
) -> None:
    """Wait until so many threads have snapshots of each view at a version."""
    query = "SELECT count(*) FROM agentlog.snapshots WHERE version = %s AND options = ANY (%s)"
    usual = [view().options.model_dump_json() for view in VIEWS.values()]
    while connection.execute(query, [version, usual]).fetchone() != (threads * len(VIEWS),):
        time.sleep(0.1)
        client.get("/healthz")  # or its connection is closed
