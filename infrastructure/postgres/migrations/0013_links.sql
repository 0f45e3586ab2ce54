-- The links of a batch, made once the log is held and its time is known, so that nobody has to guess that.
-- An event's link covers what domain/chain.py says: the one before, which is in `chains` or is that of the
-- event of this batch that it `follows`, what is `before` the time, the time, and what is `after`.
CREATE FUNCTION agentlog.links(
    recorded_at timestamptz, chains bytea[], follows bigint[], befores bytea[], afters bytea[]
) RETURNS bytea[] LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
    microseconds text := (extract(epoch FROM recorded_at) * 1000000)::bigint;
    time bytea := convert_to(length(microseconds) || ':' || microseconds, 'UTF8');
BEGIN
    FOR number IN 1 .. cardinality(chains) LOOP
        chains[number] := sha256(
            '16:agentlog-chain-132:'::bytea || chains[coalesce(follows[number], number)]
            || befores[number] || time || afters[number]
        );
    END LOOP;
    RETURN chains;
END
$$;
