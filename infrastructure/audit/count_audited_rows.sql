-- The rows of each table, beside the events, that an audit of a tenant vouches for.
SELECT 'threads', count(*) FROM agentlog.threads WHERE tenant = %(tenant)s
UNION ALL
SELECT 'ledger', count(*) FROM agentlog.ledger WHERE tenant = %(tenant)s
UNION ALL
SELECT 'erasures', count(*) FROM agentlog.erasures WHERE tenant = %(tenant)s
