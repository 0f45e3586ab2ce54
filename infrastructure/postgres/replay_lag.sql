-- Seconds since the last replayed commit of a standby, 0 where all that was received is replayed;
-- NULL where it receives nothing, or the database is none.
SELECT CASE
    WHEN NOT EXISTS (SELECT FROM pg_stat_wal_receiver) THEN NULL
    WHEN pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() THEN 0
    ELSE greatest(0, extract(epoch FROM clock_timestamp() - pg_last_xact_replay_timestamp()))
END::float8
