-- Threads whose search row differs from their head, is missing, or has no head.
SELECT coalesce(known.thread_id, head.thread_id)
FROM (
    SELECT *, agentlog.content_of(thread_id, goal) AS content
    FROM agentlog.threads
    WHERE tenant = %(tenant)s AND facts IS NOT NULL
) AS head
FULL JOIN (
    SELECT * FROM agentlog.thread_search WHERE tenant = %(tenant)s
) AS known USING (tenant, thread_id)
WHERE (known.position, known.status, known.parent, known.content, known.words::text, known.metadata::text)
    IS DISTINCT FROM (
        head.position, head.status, head.parent, head.content,
        agentlog.lexemes_of(head.tenant, head.content)::text, agentlog.scalars_of(head.facts, 1000)::text
    )
ORDER BY 1
LIMIT %(limit)s
