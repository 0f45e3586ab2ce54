-- What stands outside of our schemas and changes what is read there, or what this audit itself makes: kind
-- and name. Objects from this number on are not those that PostgreSQL is delivered with.
SELECT 'event trigger', evtname::text FROM pg_event_trigger WHERE evtenabled <> 'D'
UNION ALL
SELECT 'cast', castsource::regtype || ' AS ' || casttarget::regtype
FROM pg_cast
WHERE oid >= 16384 AND castsource < 16384 AND casttarget < 16384
UNION ALL
SELECT 'function', oid::regprocedure::text
FROM pg_proc
WHERE oid >= 16384 AND pronamespace = 'pg_catalog'::regnamespace
  AND proname IN (SELECT proname FROM pg_proc WHERE oid < 16384)
UNION ALL
SELECT 'operator', oid::regoperator::text
FROM pg_operator
WHERE oid >= 16384 AND oprnamespace = 'pg_catalog'::regnamespace
UNION ALL
SELECT 'operator class', pg_describe_object('pg_amop'::regclass, pg_amop.oid, 0)
FROM pg_amop
WHERE oid >= 16384 AND amopfamily < 16384
UNION ALL
SELECT 'operator class', pg_describe_object('pg_amproc'::regclass, pg_amproc.oid, 0)
FROM pg_amproc
WHERE oid >= 16384 AND amprocfamily < 16384
UNION ALL
SELECT 'setting', concat_ws(' ', coalesce(rolname, 'database'), setting)
FROM pg_db_role_setting
LEFT JOIN pg_roles ON pg_roles.oid = setrole
CROSS JOIN LATERAL unnest(setconfig) AS setting
WHERE (setdatabase = 0 OR setdatabase = (SELECT oid FROM pg_database WHERE datname = current_database()))
  AND setting ~ '^(search_path=.*[^= ].*pg_catalog|session_replication_role=|row_security=|role=)'
UNION ALL
SELECT 'role', rolname::text
FROM pg_roles
WHERE rolname IN ('agentlog_service', 'agentlog_tenant')
  AND (
      rolsuper OR rolbypassrls OR rolcreaterole
      OR EXISTS (SELECT FROM pg_auth_members WHERE member = pg_roles.oid)
  )
