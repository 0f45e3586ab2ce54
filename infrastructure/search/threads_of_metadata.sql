-- Threads whose metadata has these values, in no order.
SELECT thread_id
FROM agentlog.thread_search
WHERE tenant = %(tenant)s
  AND words @@ (SELECT agentlog.words_query(%(tenant)s, NULL))
  AND metadata @> (SELECT agentlog.scalars_of(%(facts)s, 2147483647))
LIMIT %(limit)s
