-- Each tenant that has rows, how many events it has, and how many rows that only come with events.
SELECT tenant, sum(events)::bigint, sum(others)::bigint
FROM (
    SELECT tenant, count(*) AS events, 0 AS others FROM agentlog.events GROUP BY tenant
    UNION ALL
    SELECT tenant, 0, count(*) FROM agentlog.threads GROUP BY tenant
    UNION ALL
    SELECT tenant, 0, count(*) FROM agentlog.ledger GROUP BY tenant
    UNION ALL
    SELECT tenant, 0, count(*) FROM agentlog.erasures GROUP BY tenant
    UNION ALL
    SELECT tenant, 0, count(*) FROM agentlog.tiles GROUP BY tenant
    UNION ALL
    SELECT tenant, 0, count(*) FROM agentlog.thread_search GROUP BY tenant
) AS counted
GROUP BY tenant
ORDER BY tenant
