"""Metrics for Prometheus, collected at each scrape.

Names follow Prometheus: base units, `_total` for counters. Label values are routes, methods,
statuses, ways and projections, never ids.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from prometheus_client import CollectorRegistry, GCCollector, PlatformCollector, ProcessCollector
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from typing_extensions import override

from agentlog.api.http.middleware.request_metrics import Traffic
from agentlog.infrastructure.appending.writer import Writer
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.subscriptions.subscriptions import SubscriptionFigures


@dataclass(frozen=True, slots=True)
class Figures:
    """Metrics from the database; `lag_seconds` is a standby's, `lags` are those of projections."""

    position: int
    lag_seconds: float | None
    lags: Mapping[str, int]
    subscriptions: SubscriptionFigures | None


@dataclass(frozen=True, slots=True)
class Gauges:
    """Sources of gauges, called at each scrape."""

    followers: Callable[[], int]
    recent_bytes: Callable[[], int]


class Exposition(Collector):
    """All metrics of one application.

    `figures` are the database's answer for this scrape, None without one.
    """

    def __init__(
        self,
        writer: Writer,
        database: Database,
        traffic: Traffic,
        gauges: Gauges,
    ) -> None:
        self.figures: Figures | None = None
        self.registry = CollectorRegistry()
        self._writer = writer
        self._database = database
        self._traffic = traffic
        self._gauges = gauges
        self.registry.register(self)
        for kind in (ProcessCollector, PlatformCollector, GCCollector):
            kind(registry=self.registry)

    @override
    def collect(self) -> Iterator[Metric]:
        for registry in (self._writer.meters.registry, self._traffic.registry):
            for family in registry.collect():
                family.samples = [
                    sample for sample in family.samples if not sample.name.endswith("_created")
                ]
                yield family
        yield from self._pool()
        yield from self._log()

    def _pool(self) -> Iterator[Metric]:
        stats = self._database.pool_stats()
        for name, text, key in _POOL_GAUGES:
            yield _gauge(f"agentlog_pool_{name}", text, stats.get(key, 0))
        for name, text, key, unit in _POOL_COUNTERS:
            yield CounterMetricFamily(f"agentlog_pool_{name}", text, value=stats.get(key, 0) * unit)

    def _log(self) -> Iterator[Metric]:
        waiting = self._writer.waiting
        yield _gauge("agentlog_writer_queue", "Appends that wait for a commit.", waiting)
        yield _gauge(
            "agentlog_recent_views_bytes",
            "Bytes of the views that are kept in memory, and of their events.",
            self._gauges.recent_bytes(),
        )
        yield _gauge("agentlog_followers", "Streams that follow the log.", self._gauges.followers())
        figures = self.figures
        yield _gauge(
            "agentlog_database_up", "Whether the database answered.", int(figures is not None)
        )
        if figures is None:
            return
        yield _gauge(
            "agentlog_writable",
            "Whether the database takes writes, as a standby's does not.",
            int(self._database.write_access.is_given),
        )
        yield _gauge("agentlog_log_position", "Position of the latest event.", figures.position)
        yield _gauge(
            "agentlog_replay_lag_seconds",
            "Age of a standby's last replayed commit, 0 where all is replayed, NaN if unknown.",
            math.nan if figures.lag_seconds is None else figures.lag_seconds,
        )
        lags = GaugeMetricFamily(
            "agentlog_projection_lag_events",
            "Events that a projection has yet to read.",
            labels=["projection"],
        )
        for projection, lag in figures.lags.items():
            lags.add_metric([projection], lag)
        yield lags
        for (name, text), value in zip(_SUBSCRIPTIONS, figures.subscriptions or (), strict=False):
            yield _gauge(name, text, value)


_SUBSCRIPTIONS = (
    (
        "agentlog_webhooks_failing",
        "Subscriptions whose webhook took nothing since its last failure.",
    ),
    ("agentlog_webhooks_paused", "Subscriptions that were paused because their webhook fails."),
    ("agentlog_deliveries_pending", "Deliveries that are not acknowledged yet."),
    ("agentlog_deliveries_parked", "Deliveries that failed as often as they may."),
)
"""In the order of `SubscriptionFigures`."""
_POOL_GAUGES = (
    ("size", "Connections of the pool.", "pool_size"),
    ("max_size", "Connections that the pool may have.", "pool_max"),
    ("available", "Idle connections of the pool.", "pool_available"),
    ("waiting", "Callers that wait for a connection.", "requests_waiting"),
)
_POOL_COUNTERS = (
    ("requests", "Connections asked for.", "requests_num", 1),
    ("failures", "Connections asked for in vain.", "requests_errors", 1),
    ("wait_seconds", "Time that callers waited for a connection.", "requests_wait_ms", 0.001),
)


def _gauge(name: str, text: str, value: float) -> GaugeMetricFamily:
    return GaugeMetricFamily(name, text, value=value)
