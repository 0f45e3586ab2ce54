# ruff: noqa: S608 - our own words
"""What an owner of the database may do to what the schema is made of, drawn by hypothesis.

Each is a query that returns statements to run; which of the objects it is about is drawn too.
"""

from collections.abc import Collection

from hypothesis import strategies as st

_RELATIONS = (
    "SELECT oid::regclass::text AS name FROM pg_class WHERE relkind = '{kind}' "
    "AND relnamespace IN (SELECT oid FROM pg_namespace WHERE nspname ~ '^agentlog') ORDER BY 1"
)
TABLES = _RELATIONS.format(kind="r")
VIEWS = _RELATIONS.format(kind="v")
_COLUMNS = (
    "SELECT attrelid::regclass || ' ALTER ' || attname AS name FROM pg_attribute "
    f"JOIN ({TABLES}) AS tables ON attrelid = name::regclass "
    "WHERE attnum > 0 AND NOT attisdropped {which} ORDER BY 1"
)
_FUNCTIONS = (
    "SELECT oid::regprocedure::text AS name FROM pg_proc "
    "WHERE pronamespace IN (SELECT oid FROM pg_namespace WHERE nspname ~ '^agentlog') ORDER BY 1"
)
_OF_TABLES = (
    "SELECT {name}::text || ' ON ' || {of}::regclass AS name FROM {catalogue} "
    f"JOIN ({TABLES}) AS tables ON {{of}} = name::regclass {{which}} ORDER BY 1"
)
_TRIGGERS = _OF_TABLES.format(
    catalogue="pg_trigger", name="tgname", of="tgrelid", which="WHERE NOT tgisinternal"
)
_POLICIES = _OF_TABLES.format(catalogue="pg_policy", name="polname", of="polrelid", which="")
_INDEXES = (
    "SELECT indexrelid::regclass::text AS name FROM pg_index JOIN ("
    + TABLES
    + (
        ") AS tables ON indrelid = name::regclass WHERE NOT indisprimary AND indexrelid NOT IN "
        "(SELECT conindid FROM pg_constraint) AND name !~ 'readmodels' ORDER BY 1"
    )
)
_CONSTRAINTS = (
    "SELECT conrelid::regclass || ' DROP CONSTRAINT ' || conname || ' CASCADE' AS name "
    f"FROM pg_constraint JOIN ({TABLES}) AS tables ON conrelid = name::regclass "
    "WHERE contype <> 'n' ORDER BY 1"
)
_NOTHING = "SELECT '' AS name"
_LIE = (
    "CREATE FUNCTION public.lie() RETURNS trigger LANGUAGE plpgsql AS "
    "'BEGIN RETURN NEW; END'; CREATE TRIGGER lie {} ON {{0}} FOR EACH ROW "
    "EXECUTE FUNCTION public.lie()"
)

CHANGES: dict[str, tuple[str, tuple[str, ...]]] = {
    "function": (
        _FUNCTIONS,
        (
            "ALTER FUNCTION {0} SET search_path = public, pg_catalog",
            "ALTER FUNCTION {0} OWNER TO agentlog_service",
            "ALTER FUNCTION {0} STRICT PARALLEL UNSAFE",
            "ALTER FUNCTION {0} RENAME TO kept",
            "ALTER FUNCTION {0} SET SCHEMA public",
            "GRANT EXECUTE ON FUNCTION {0} TO agentlog_tenant WITH GRANT OPTION",
            "REVOKE EXECUTE ON FUNCTION {0} FROM PUBLIC, agentlog_service",
            (
                "DO $do$ BEGIN EXECUTE replace(replace(pg_get_functiondef('{0}'::regprocedure), "
                "'SELECT', 'SELECT '), 'BEGIN', 'BEGIN NULL; '); END $do$"
            ),
        ),
    ),
    "view": (
        VIEWS,
        (
            (
                "DO $do$ BEGIN EXECUTE 'CREATE OR REPLACE VIEW {0} AS SELECT * FROM (' "
                "|| rtrim(pg_get_viewdef('{0}'::regclass), ';') || ') AS it WHERE true'; END $do$"
            ),
            "ALTER VIEW {0} SET (security_invoker)",
            "ALTER VIEW {0} OWNER TO agentlog_tenant",
            "ALTER VIEW {0} RENAME TO kept",
            "GRANT UPDATE ON {0} TO PUBLIC",
            "REVOKE SELECT ON {0} FROM PUBLIC, agentlog_service",
        ),
    ),
    "table": (
        TABLES,
        (
            _LIE.format("BEFORE INSERT"),
            "CREATE RULE lie AS ON INSERT TO {0} DO INSTEAD NOTHING",
            "CREATE TABLE public.more () INHERITS ({0})",
            "CREATE POLICY lie ON {0} USING (true)",
            "ALTER TABLE {0} FORCE ROW LEVEL SECURITY",
            "ALTER TABLE {0} ADD COLUMN more text",
            "ALTER TABLE {0} SET UNLOGGED",
            "ALTER TABLE {0} OWNER TO agentlog_tenant",
            "GRANT DELETE ON {0} TO agentlog_tenant",
            "GRANT TRIGGER ON {0} TO pg_monitor",
            "ALTER TABLE {0} RENAME TO kept",
            "CREATE INDEX lie ON {0} ((1))",
            "ALTER TABLE {0} ADD CHECK (true)",
            "CREATE PUBLICATION lie FOR TABLE {0} WHERE (false)",
        ),
    ),
    "table with policies": (
        _POLICIES.replace("polname::text || ' ON ' ||", ""),
        ("ALTER TABLE {0} DISABLE ROW LEVEL SECURITY",),
    ),
    "column": (
        _COLUMNS.format(which=""),
        ('ALTER TABLE {0} TYPE text COLLATE "POSIX" USING NULL',),
    ),
    "column that is never null": (
        _COLUMNS.format(which="AND attnotnull"),
        ("ALTER TABLE {0} DROP NOT NULL",),
    ),
    "trigger": (
        _TRIGGERS,
        (
            "DROP TRIGGER {0}",
            "ALTER TRIGGER {0} RENAME TO kept",
            "ALTER TABLE {1} DISABLE TRIGGER {2}",
            "ALTER TABLE {1} ENABLE REPLICA TRIGGER {2}",
        ),
    ),
    "policy": (
        _POLICIES,
        (
            "ALTER POLICY {0} USING (tenant <> 'x')",
            "ALTER POLICY {0} TO PUBLIC",
            "DROP POLICY {0}",
        ),
    ),
    "index": (_INDEXES, ("DROP INDEX {0}", "ALTER INDEX {0} RENAME TO kept")),
    "constraint": (_CONSTRAINTS, ("ALTER TABLE {0}",)),
    "what is ours by its schema": (
        _NOTHING,
        (
            "ALTER TABLE agentlog.threads ALTER hidden SET DEFAULT true",
            "CREATE STATISTICS agentlog.lie ON tenant, thread_id FROM agentlog.events",
            "CREATE TYPE agentlog.lie AS ENUM ()",
            "CREATE DOMAIN agentlog_readmodels.lie AS text",
            "CREATE SEQUENCE agentlog.lie",
            'CREATE COLLATION agentlog.lie FROM "C"',
            "CREATE OPERATOR agentlog.= (LEFTARG = text, RIGHTARG = text, FUNCTION = texteq)",
            "CREATE AGGREGATE agentlog.lie (text) (SFUNC = textcat, STYPE = text)",
            "CREATE TEXT SEARCH CONFIGURATION agentlog_analytics.lie (COPY = simple)",
            "CREATE MATERIALIZED VIEW agentlog.lie AS SELECT 1",
            (
                "CREATE FUNCTION agentlog.body_of(text, bytea, text) RETURNS text LANGUAGE sql "
                "AS 'SELECT 1'"
            ),
        ),
    ),
    "what is not compared": (
        TABLES,
        (
            "ALTER TABLE {0} SET (fillfactor = 50, autovacuum_enabled = off)",
            "COMMENT ON TABLE {0} IS 'lie'",
            "GRANT SELECT ON {0} TO pg_monitor",
            "ALTER TABLE {0} REPLICA IDENTITY FULL",
            "CREATE VIEW public.lie AS SELECT * FROM {0}",
        ),
    ),
    "what is of the server": (
        _NOTHING,
        (
            "ALTER ROLE agentlog_tenant BYPASSRLS",
            "GRANT pg_read_all_data TO agentlog_tenant",
            "GRANT agentlog_service TO agentlog_tenant",
            "ALTER ROLE agentlog_tenant SET session_replication_role = replica",
        ),
    ),
    "what is outside": (
        _NOTHING,
        (
            (
                "CREATE FUNCTION public.lie() RETURNS event_trigger LANGUAGE plpgsql AS "
                "'BEGIN END'; CREATE EVENT TRIGGER lie ON ddl_command_end "
                "EXECUTE FUNCTION public.lie()"
            ),
            "CREATE CAST (bytea AS json) WITH INOUT AS IMPLICIT",
            (
                "CREATE FUNCTION pg_catalog.length(text, text) RETURNS integer LANGUAGE sql "
                "AS 'SELECT 1'"
            ),
            "CREATE OPERATOR pg_catalog.~~~~ (LEFTARG = text, RIGHTARG = text, FUNCTION = texteq)",
            (
                "DO $do$ BEGIN EXECUTE format('ALTER DATABASE %I SET search_path = public, "
                "pg_catalog', "
                "current_database()); END $do$"
            ),
        ),
    ),
}
"""Names of objects, by a query, and what is done to one of them."""


COMPARED = CHANGES.keys() - {"what is not compared"}
"""What an audit compares."""

SCHEMA = CHANGES.keys() - {"what is of the server"}
"""What is of one database, and gone with it."""


def changes(kinds: Collection[str]) -> st.SearchStrategy[tuple[str, int, str]]:
    """Return the query for the objects, which of them, and the statement with gaps for its name."""
    drawn = [
        (CHANGES[kind][0], statement) for kind in sorted(kinds) for statement in CHANGES[kind][1]
    ]
    return st.builds(
        lambda kind, nth: (kind[0], nth, kind[1]), st.sampled_from(drawn), st.integers(0, 999)
    )


def filled(statement: str, name: str) -> str:
    """Return the statement about the object; of `A ON B` the two names are gaps as well."""
    first, _, second = name.partition(" ON ")
    return statement.replace("{0}", name).replace("{1}", second).replace("{2}", first)
