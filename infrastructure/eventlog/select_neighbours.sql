-- The threads whose ids stand beside one in their order: two short walks of the primary key.
(
    SELECT thread_id
    FROM agentlog.threads
    WHERE tenant = %(tenant)s AND thread_id < %(thread_id)s AND (%(hidden)s OR NOT hidden)
    ORDER BY thread_id DESC
    LIMIT %(limit)s
)
UNION ALL
(
    SELECT thread_id
    FROM agentlog.threads
    WHERE tenant = %(tenant)s AND thread_id > %(thread_id)s AND (%(hidden)s OR NOT hidden)
    ORDER BY thread_id
    LIMIT %(limit)s
)
