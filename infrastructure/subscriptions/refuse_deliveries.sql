-- What failed is due again after a pause, or parked; what follows it in its thread, in the same
-- lease, is given back as if it had not been given out.
WITH failed AS (
    UPDATE agentlog.deliveries
    SET lease = NULL, error = %(error)s,
        due_at = now() + %(seconds)s * interval '1 second',
        parked_at = CASE WHEN %(park)s OR attempts >= %(max_attempts)s THEN now() END
    WHERE tenant = %(tenant)s AND subscription = %(name)s AND lease = %(lease)s
        AND parked_at IS NULL
        AND (%(numbers)s::bigint[] IS NULL OR number = ANY (%(numbers)s))
    RETURNING number, thread_id, due_at, parked_at
), given_back AS (
    UPDATE agentlog.deliveries AS later
    SET lease = NULL, attempts = later.attempts - 1,
        due_at = CASE WHEN earliest.parked_at IS NULL THEN earliest.due_at ELSE now() END
    FROM (
        SELECT DISTINCT ON (thread_id) thread_id, number, due_at, parked_at
        FROM failed ORDER BY thread_id, number
    ) AS earliest
    WHERE later.tenant = %(tenant)s AND later.subscription = %(name)s
        AND later.lease = %(lease)s AND later.thread_id = earliest.thread_id
        AND later.number > earliest.number
        AND NOT EXISTS (SELECT FROM failed WHERE failed.number = later.number)
)
SELECT number, parked_at IS NOT NULL FROM failed
