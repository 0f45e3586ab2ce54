-- Numbers of erasures never come again: services ask for those beyond the last that they know. Rows of
-- a tenant that is dropped take theirs along, so each step of a move keeps the highest there was.
ALTER TABLE agentlog.moves ADD COLUMN erasures bigint NOT NULL DEFAULT 0;

CREATE OR REPLACE FUNCTION agentlog.finish_erasure(
    of_tenant text, of_thread text, by_version bigint
)
RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    UPDATE agentlog.erasures
    SET number = 1 + greatest(
            (SELECT coalesce(max(number), 0) FROM agentlog.erasures),
            (SELECT coalesce(max(erasures), 0) FROM agentlog.moves)
        ),
        done_at = clock_timestamp()
    WHERE tenant = of_tenant AND thread_id = of_thread AND version = by_version
        AND number IS NULL
    RETURNING number
$$;
