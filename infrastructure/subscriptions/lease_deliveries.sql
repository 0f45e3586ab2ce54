-- In the order of each thread: none of whose deliveries is with a consumer, or waits for its next
-- attempt.
WITH waiting AS (
    SELECT number, thread_id, due_at
    FROM agentlog.deliveries
    WHERE tenant = %(tenant)s AND subscription = %(name)s AND parked_at IS NULL
), ready AS (
    SELECT number, row_number() OVER (PARTITION BY thread_id ORDER BY number) AS place
    FROM waiting
    WHERE thread_id NOT IN (SELECT thread_id FROM waiting WHERE due_at > now())
), chosen AS (
    SELECT number FROM ready WHERE place <= %(per_thread)s ORDER BY number LIMIT %(limit)s
)
UPDATE agentlog.deliveries AS delivery
SET lease = %(lease)s, due_at = now() + %(seconds)s * interval '1 second', attempts = attempts + 1
FROM chosen
WHERE delivery.tenant = %(tenant)s AND delivery.subscription = %(name)s
    AND delivery.number = chosen.number
RETURNING delivery.number, delivery.position, delivery.type, delivery.thread_id, delivery.attempts,
    delivery.notice, delivery.lease, delivery.due_at
