"""Rules and dashboard ask for what /metrics has, and a real Prometheus answers them."""

import json
import math
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
import yaml  # type: ignore[import-untyped]  # comes with schemathesis, without types

from tests.clients import TLS
from tests.command_line import started
from tests.databases import new_database
from tests.waiting import until

DEPLOY = Path(__file__).parents[2] / "deploy"
RULES = DEPLOY / "prometheus" / "alerts.yml"
RULE_TESTS = DEPLOY / "prometheus" / "alerts.test.yml"
DASHBOARD = DEPLOY / "grafana" / "agentlog.json"
OF_STANDBYS = {"agentlog_replay_lag_seconds"}
"""What a writer's /metrics has not; tests/api/cli/operations/test_replicas.py looks for it."""
OF_GATEWAYS = {"agentlog_exchanges_aside"}
"""What a gateway's /metrics has; its own tests look for it."""
OWN_NAMES = re.compile(r"\b(?:agentlog|process)_[a-z_]+")

needs_prometheus = pytest.mark.skipif(
    shutil.which("promtool") is None or shutil.which("prometheus") is None,
    reason="Debian's package `prometheus` is not here; .ci/run fetches it",
)


def alerts() -> list[dict[str, Any]]:
    (group,) = yaml.safe_load(RULES.read_text())["groups"]
    listed: list[dict[str, Any]] = group["rules"]
    return listed


def panels() -> list[dict[str, Any]]:
    drawn: list[dict[str, Any]] = json.loads(DASHBOARD.read_text())["panels"]
    return drawn


def queries() -> list[str]:
    """Return the queries of the dashboard as Grafana sends them."""
    return [
        target["expr"].replace("$__rate_interval", "1m").replace("$instance", ".*")
        for panel in panels()
        for target in panel["targets"]
    ]


@pytest.fixture(scope="module")
def service(server_url: str, template_with_tables: str) -> Iterator[httpx2.Client]:
    """A client of a service that runs."""
    with (
        new_database(server_url, template=template_with_tables) as url,
        started("serve", "--port", "0", url=url) as process,
    ):
        assert process.stdout is not None
        match = re.search(r"http://\S+?(?=,)", process.stdout.readline())
        assert match is not None, process.communicate()
        with httpx2.Client(base_url=match[0], timeout=60, trust_env=False, verify=TLS) as client:
            yield client


@contextmanager
def prometheus(folder: Path, service: httpx2.Client) -> Iterator[httpx2.Client]:
    """Run a Prometheus with our rules that scrapes a service every second; yield a client."""
    target = f"{service.base_url.host}:{service.base_url.port}"
    configuration = {
        "global": {"scrape_interval": "1s", "evaluation_interval": "1s"},
        "rule_files": [str(RULES)],
        "scrape_configs": [{"job_name": "agentlog", "static_configs": [{"targets": [target]}]}],
    }
    (folder / "prometheus.yml").write_text(yaml.safe_dump(configuration))
    command = (
        "prometheus",
        f"--config.file={folder / 'prometheus.yml'}",
        f"--storage.tsdb.path={folder / 'data'}",
        "--web.listen-address=127.0.0.1:0",
    )
    with (
        (folder / "log").open("w") as log,
        subprocess.Popen(command, stdout=log, stderr=log) as process,
    ):
        try:
            listens = re.compile(r'"Listening on" address=(\S+)')
            until(lambda: listens.search((folder / "log").read_text()), seconds=60)
            (address,) = listens.findall((folder / "log").read_text())
            with httpx2.Client(base_url=f"http://{address}", trust_env=False, verify=TLS) as client:
                yield client
        finally:
            process.terminate()


def value_of(client: httpx2.Client, query: str) -> float | None:
    """Return the first value of a query, None where there is none yet."""
    answer = client.get("/api/v1/query", params={"query": query})
    assert answer.status_code == 200, answer.text
    values = [float(series["value"][1]) for series in answer.json()["data"]["result"]]
    finite = [value for value in values if math.isfinite(value)]
    return finite[0] if finite else None


def test_what_rules_and_dashboard_name_is_in_metrics(service: httpx2.Client) -> None:
    service.post("/v1/threads/t/messages", json={"type": "tick"}).raise_for_status()
    exposed = set(re.findall(r"^(\w+)", service.get("/metrics").text, re.MULTILINE))
    ruled = {name for alert in alerts() for name in OWN_NAMES.findall(alert["expr"])}
    drawn = {name for query in queries() for name in OWN_NAMES.findall(query)}
    assert {"agentlog_append_seconds_bucket", "agentlog_pool_failures_total"} <= ruled
    assert ruled | drawn <= exposed | OF_STANDBYS | OF_GATEWAYS


def test_panels_have_titles_and_ids_of_their_own_and_do_not_overlap() -> None:
    drawn = panels()
    assert len({panel["title"] for panel in drawn}) == len(drawn)
    assert len({panel["id"] for panel in drawn}) == len(drawn)
    places = [
        (x, y)
        for place in (panel["gridPos"] for panel in drawn)
        for x in range(place["x"], place["x"] + place["w"])
        for y in range(place["y"], place["y"] + place["h"])
    ]
    assert len(set(places)) == len(places)
    assert max(x for x, _ in places) < 24


@needs_prometheus
def test_the_rules_pass_their_tests_which_fire_each_of_them() -> None:
    for command in (("check", "rules", RULES), ("test", "rules", RULE_TESTS)):
        done = subprocess.run(
            ["promtool", *command], capture_output=True, text=True, timeout=60, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
    fired = set(re.findall(r'alertname="(\w+)", severity', RULE_TESTS.read_text()))
    assert fired == {alert["alert"] for alert in alerts()}


@needs_prometheus
@pytest.mark.slow
@pytest.mark.timeout(180)
def test_a_real_prometheus_answers_each_query_and_evaluates_each_rule(
    service: httpx2.Client, tmp_path: Path
) -> None:
    with prometheus(tmp_path, service) as client:
        open_queries = {
            query for query in queries() if OF_STANDBYS.isdisjoint(OWN_NAMES.findall(query))
        }

        def all_answered() -> bool:
            service.post("/v1/threads/t/messages", json={"type": "tick"}).raise_for_status()
            for query in sorted(open_queries):
                if value_of(client, query) is not None:
                    open_queries.remove(query)
            rules = client.get("/api/v1/rules").json()["data"]["groups"][0]["rules"]
            assert not [rule for rule in rules if rule["health"] == "err"]
            return not open_queries and {rule["health"] for rule in rules} == {"ok"}

        try:
            until(all_answered, seconds=120)
        except AssertionError:
            assert open_queries == set(), "queries without an answer"
            raise
