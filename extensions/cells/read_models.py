"""Rows of read models of a tenant that moves: copied between equal builds, else made anew.

A build of the target that gets copied rows is moved on to the position that the counter is raised
to, so that it does not read the tenant's events again. For that it has to be level with the log.
"""

import time
from collections.abc import Set as AbstractSet

import psycopg
from psycopg.sql import SQL, Identifier, Literal

from agentlog.extensions.cells.copying import copy_rows
from agentlog.infrastructure.readmodels import builds
from agentlog.infrastructure.readmodels.build_audit import columns_of, delete_rows
from agentlog.infrastructure.readmodels.renewal import add_tenant_rows, lock_builds
from agentlog.infrastructure.readmodels.tables import SCHEMA
from agentlog.infrastructure.readmodels.tracking import move_all
from agentlog.projections.readmodels.registry import READ_MODELS

Copied = AbstractSet[tuple[str, int]]
"""The target's builds, by name and number, that got the rows of a build of the source."""

_LEVEL_SECONDS = 2.0
_PAUSE_SECONDS = 0.02


def wait_until_level(source: psycopg.Connection, position: int) -> None:
    """Wait a little until the source's read models have the events up to a position."""
    until = time.monotonic() + _LEVEL_SECONDS
    while time.monotonic() < until:
        running = [build for build in builds.builds(source) if build.standing == "live"]
        if all(build.position >= position for build in running):
            return
        time.sleep(_PAUSE_SECONDS)


def copy_read_models(
    source: psycopg.Connection, target: psycopg.Connection, tenant: str, *, upto: int
) -> Copied:
    """Copy a tenant's rows from live builds that have its events up to a position."""
    there = {build.name: build for build in builds.builds(target) if build.standing == "live"}
    copied = set()
    for build in builds.builds(source):
        other = there.get(build.name)
        is_same = other is not None and other.version == build.version
        if other is None or not is_same or build.state != "live" or build.position < upto:
            continue
        if build.left_out or other.left_out:  # a build that left events out has not all rows
            continue
        columns = columns_of(target, f"{other.name}_{other.build}")
        if columns != columns_of(source, f"{build.name}_{build.build}"):
            continue
        names = SQL(", ").join(map(Identifier, columns))
        rows = SQL("SELECT {} FROM {} WHERE tenant = {}").format(
            names, Identifier(SCHEMA, f"{build.name}_{build.build}"), Literal(tenant)
        )
        copy_rows(source, target, rows, Identifier(SCHEMA, f"{other.name}_{other.build}"), names)
        copied.add((other.name, other.build))
    return copied


def settle_builds(
    target: psycopg.Connection, tenant: str, copied: Copied, *, before: int, after: int
) -> None:
    """Lock all builds; move those with copied rows on, and make the rows of the others.

    The counter is locked at `before` and will be raised to `after`. A build that is not level with
    it in time makes its rows too, up to where it stands. One that leaves old events out is built
    anew.
    """
    until = time.monotonic() + _LEVEL_SECONDS
    while not copied <= _level(target, before) and time.monotonic() < until:
        time.sleep(_PAUSE_SECONDS)
    lock_builds(target)
    ready = copied & _level(target, before)
    for build in copied - ready:
        delete_rows(target, "{}_{}".format(*build), tenant)
    add_tenant_rows(target, tenant, but=ready)
    if ready:
        move_all(target, [builds.tracking_name(*build) for build in ready], after)
    for late in builds.builds(target):
        if late.left_out:  # by positions of its own: they say nothing of what arrived
            builds.begin(target, READ_MODELS[late.name])


def _level(target: psycopg.Connection, position: int) -> set[tuple[str, int]]:
    """Return the builds that stand at a position."""
    return {
        (build.name, build.build) for build in builds.builds(target) if build.position == position
    }
