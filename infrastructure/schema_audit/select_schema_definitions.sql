-- What the objects of some schemas are defined as: kind, name, and a definition that says nothing of where
-- they are. Names within definitions are relative to the search path. The owner of the
-- table `owned` has no name: it is another one everywhere. Rights to read of other roles change no answer.
WITH spaces AS (
    SELECT oid, nspname::text AS space FROM pg_namespace WHERE nspname = ANY (%(spaces)s)
),
relations AS (
    SELECT pg_class.*, space, space || '.' || relname AS name
    FROM pg_class
    JOIN spaces ON relnamespace = spaces.oid
    WHERE relkind NOT IN ('i', 'I', 't')
),
functions AS (
    SELECT pg_proc.*, space,
           space || '.' || proname || '(' || pg_get_function_identity_arguments(pg_proc.oid) || ')' AS name
    FROM pg_proc
    JOIN spaces ON pronamespace = spaces.oid
),
owned AS (
    SELECT name, relowner AS owner,
           coalesce(relacl, acldefault(CASE relkind WHEN 'S' THEN 's' ELSE 'r' END::"char", relowner)) AS acl
    FROM relations
    UNION ALL
    SELECT name, proowner, coalesce(proacl, acldefault('f', proowner)) FROM functions
    UNION ALL
    SELECT name || '.' || attname, relowner, attacl
    FROM relations JOIN pg_attribute ON attrelid = relations.oid
    WHERE attacl IS NOT NULL AND NOT attisdropped
)
SELECT 'relation', name, jsonb_build_object(
    'kind', relkind, 'persistence', CASE relpersistence WHEN 't' THEN 'p' ELSE relpersistence END,
    'security', relrowsecurity, 'forced', relforcerowsecurity, 'partition', relispartition,
    'options', (SELECT array_agg(o ORDER BY o) FROM unnest(reloptions) AS o WHERE o ~ '^(security|check)'),
    'view', CASE WHEN relkind IN ('v', 'm') THEN pg_get_viewdef(relations.oid) END,
    'sequence', to_jsonb(pg_sequence) - 'seqrelid'
)::text
FROM relations LEFT JOIN pg_sequence ON seqrelid = relations.oid
UNION ALL
SELECT 'column', name || '.' || attname, jsonb_build_object(
    'type', format_type(atttypid, atttypmod), 'collation', attcollation::regcollation, 'null', NOT attnotnull,
    'identity', attidentity, 'generated', attgenerated, 'default', pg_get_expr(adbin, adrelid)
)::text
FROM relations
JOIN pg_attribute ON attrelid = relations.oid AND attnum > 0 AND NOT attisdropped
LEFT JOIN pg_attrdef ON adrelid = relations.oid AND adnum = attnum
WHERE relkind <> 'S'
UNION ALL
SELECT 'constraint', name || '.' || conname, concat(convalidated, pg_get_constraintdef(pg_constraint.oid))
FROM relations JOIN pg_constraint ON conrelid = relations.oid
WHERE contype NOT IN ('n', 't')
UNION ALL
SELECT 'index', name || '.' || index.relname, concat_ws(
    ' ', indisunique, indisprimary, indisexclusion, indimmediate, indisvalid, indisready, indislive,
    substring(pg_get_indexdef(indexrelid) FROM ' USING .*')
)
FROM relations JOIN pg_index ON indrelid = relations.oid JOIN pg_class AS index ON index.oid = indexrelid
UNION ALL
SELECT 'function', name, (
    (to_jsonb(functions) - '{oid,space,name,proname,pronamespace,proowner,proacl,prosqlbody,proargdefaults}'::text[])
    || jsonb_build_object('arguments', pg_get_function_arguments(oid), 'sql', pg_get_function_sqlbody(oid))
)::text
FROM functions
UNION ALL
SELECT 'trigger', name || '.' || tgname, concat(tgenabled, pg_get_triggerdef(pg_trigger.oid, true))
FROM relations JOIN pg_trigger ON tgrelid = relations.oid
WHERE NOT tgisinternal OR tgenabled <> 'O'
UNION ALL
SELECT 'rule', name || '.' || rulename, concat(ev_enabled, pg_get_ruledef(pg_rewrite.oid, true))
FROM relations JOIN pg_rewrite ON ev_class = relations.oid
WHERE rulename <> '_RETURN'
UNION ALL
SELECT 'policy', name || '.' || polname, jsonb_build_object(
    'command', polcmd, 'permissive', polpermissive,
    'roles', (SELECT array_agg(coalesce(rolname, 'public') ORDER BY rolname)
              FROM unnest(polroles) AS role LEFT JOIN pg_roles ON pg_roles.oid = role),
    'using', pg_get_expr(polqual, polrelid), 'check', pg_get_expr(polwithcheck, polrelid)
)::text
FROM relations JOIN pg_policy ON polrelid = relations.oid
UNION ALL
SELECT 'grant', name || ' to ' || role, string_agg(privilege_type || is_grantable, ' ' ORDER BY privilege_type)
FROM owned
CROSS JOIN LATERAL aclexplode(acl)
LEFT JOIN pg_roles ON pg_roles.oid = grantee
CROSS JOIN LATERAL coalesce(rolname::text, 'public') AS role
WHERE grantee <> owned.owner
  AND (role IN ('public', 'agentlog_service', 'agentlog_tenant') OR privilege_type <> 'SELECT')
GROUP BY name, role
UNION ALL
SELECT 'owner', name, CASE
    WHEN owner = (SELECT relowner FROM pg_class WHERE oid = to_regclass(%(owned)s)) THEN 'owner'
    ELSE pg_get_userbyid(owner)
END
FROM owned
UNION ALL
SELECT 'child table', name || '.' || inhrelid::regclass, ''
FROM relations JOIN pg_inherits ON inhparent = relations.oid
UNION ALL
SELECT 'publication', name, pubname::text
FROM relations
JOIN pg_publication_rel ON prrelid = relations.oid AND (prqual IS NOT NULL OR prattrs IS NOT NULL)
JOIN pg_publication ON pg_publication.oid = prpubid
UNION ALL
SELECT 'object', pg_describe_object(classid, objid, 0), ''
FROM pg_depend JOIN spaces ON refobjid = spaces.oid
WHERE refclassid = 'pg_namespace'::regclass
  AND classid NOT IN ('pg_class'::regclass, 'pg_proc'::regclass)
