"""The list of many threads over HTTP: each filter, combinations of them, first and deep pages."""

from contextlib import ExitStack
from functools import partial

from benchmarks.harness.databases import connected, new_database, store_on
from benchmarks.harness.figures import Case, Figure, sample_in_turn
from benchmarks.harness.service import serving

_LIMIT = 0.020
_TENANT = "default"

_HEADS = """
INSERT INTO agentlog.threads (
    tenant, thread_id, version, position, chain, policy, status, anomalies, parent, goal, facts,
    started_at, updated_at
)
SELECT %(tenant)s, format('run-%%s-%%s', mod(n, 7), n), 1, n, sha256(n::text::bytea), 'record',
       CASE WHEN mod(n, 50) = 0 THEN 'open' WHEN mod(n, 3) = 0 THEN 'closed' ELSE 'exited' END, 0,
       parent, goal,
       convert_to(
           json_build_object(
               'goal', goal,
               'parent', parent,
               'metadata', json_build_object(
                   'team', (ARRAY['support', 'sales', 'ops', 'research', 'legal'])[1 + mod(n, 5)],
                   'reward', mod(n / 3, 2),
                   'task', mod(n, 2000),
                   'tenth', n * 10 / (%(count)s + 1)
               )
           )::text,
           'UTF8'
       ),
       now(), now()
FROM (
    SELECT n,
           CASE mod(n, 10) WHEN 3 THEN 'boss-' || mod(n, 1000) WHEN 4 THEN 'giant' END AS parent,
           format(
               'Help customer c%%s to change flight HAT%%s from %%s to %%s, for at most %%s USD',
               mod(n * 7919, 30000), mod(n * 31, 300),
               (ARRAY['Paris', 'Rome', 'Berlin', 'Oslo', 'Vienna'])[1 + mod(n / 7, 5)],
               (ARRAY['Seattle', 'Boston', 'Dallas'])[1 + mod(n / 11, 3)], mod(n * 13, 900)
           ) AS goal
    FROM generate_series(1, %(count)s::bigint) AS n
    -- in no order, as heads that move come to lie
    ORDER BY md5(n::text)
) AS thread
"""

_WHAT = {
    "all": "",
    "status=open (2 %)": "status=open",
    "status=exited (65 %)": "status=exited",
    "parent (10 %)": "parent=giant",
    "parent (0.1 %)": "parent=boss-13",
    "parent and status": "parent=giant&status=closed",
    "metadata (20 %)": "metadata.team=ops",
    "metadata (10 %, two keys)": "metadata.team=ops&metadata.reward=0.0",
    "metadata (0.05 %)": "metadata.task=77",
    "metadata (none)": "metadata.team=nobody",
    "text (20 %)": "q=berlin",
    "text (0.3 %)": "q=HAT77",
    "text (7 %, two words)": "q=oslo+dallas",
    "text (three threads)": "q=c77%20",
    "text (one id)": "q=run-3-77777",
    "text (nowhere)": "q=xyzzy",
    "text and metadata (4 %)": "q=berlin&metadata.team=ops",
    "text and metadata (0.01 %)": "q=berlin&metadata.task=77",
    "status, text and metadata": "status=closed&q=rome&metadata.team=sales",
    "parent, status, text and metadata": "parent=giant&status=exited&q=rome&metadata.reward=1",
    "metadata of the oldest tenth": "metadata.tenth=0",
    "metadata of the middle tenth": "metadata.tenth=5",
}
_DEEP = (
    "all",
    "status=exited (65 %)",
    "parent (10 %)",
    "metadata (20 %)",
    "metadata (0.05 %)",
    "text (20 %)",
    "text and metadata (4 %)",
    "parent, status, text and metadata",
)


def measure_lists(server: str, *, runs: int, times: int, threads: int) -> Case:
    """Return what pages of the thread list take."""
    with ExitStack() as stack:
        url = stack.enter_context(new_database(server))
        with store_on(url):
            pass  # migrates
        with connected(url) as connection:
            # heads without events: lists read heads alone
            connection.execute("ALTER TABLE agentlog.threads DISABLE TRIGGER threads_follow_events")
            connection.execute(_HEADS, {"tenant": _TENANT, "count": threads})
            connection.execute("VACUUM ANALYZE")
        client = stack.enter_context(serving(url))
        asked = {f"first page, {what}": query for what, query in _WHAT.items()}
        asked |= {f"halfway, {what}": f"after={threads // 2}&{_WHAT[what]}" for what in _DEEP}
        asked |= {f"last page, {what}": f"after=100&{_WHAT[what]}" for what in _DEEP}
        asked["first page of 1,000, all"] = "limit=1000"
        asked["first page of 1,000, metadata (20 %)"] = "limit=1000&metadata.team=ops"
        actions = [
            (
                Figure("GET /healthz, which reads nothing", "floor"),
                partial(client.get, "/healthz"),
            ),
            *(
                (
                    Figure(what, "agentlog", limit=_LIMIT),
                    partial(client.get, f"/v1/threads?{query}"),
                )
                for what, query in asked.items()
            ),
        ]
        for _ in range(runs):
            sample_in_turn(actions, times=times)
    return Case(
        f"The list of {threads:,} threads",
        f"Pages of 50 unless it says otherwise, over one kept connection to `agentlog serve` on "
        f"loopback. Milliseconds; {runs} runs of {times} requests each, in turn.",
        [figure for figure, _ in actions],
    )
