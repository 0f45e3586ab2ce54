-- What a tenant has defined: its rules (what success is, which tools are shells) and saved filters.
-- Each change is a row: the last of a name holds.
CREATE TABLE agentlog.definitions (
    tenant text COLLATE "C" NOT NULL,
    kind   text COLLATE "C" NOT NULL CHECK (kind IN ('rule', 'filter')),
    name   text COLLATE "C" NOT NULL,
    number bigint      NOT NULL, -- counts up with each change
    value  text,                 -- NULL: taken away
    set_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    set_by text,                 -- id of a key; NULL: the command line, or before any key
    PRIMARY KEY (tenant, kind, name, number)
);

-- Only for the service itself. Nothing is changed or deleted: what held when stays known.
GRANT SELECT, INSERT ON agentlog.definitions TO agentlog_service;

-- A value within a message, by the keys and indexes that lead to it; NULL where there is none. Never
-- fails. NUL, which jsonb refuses, is U+FFFD.
CREATE FUNCTION agentlog.value_in(body bytea, path text[]) RETURNS jsonb
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
    given text := convert_from(body, 'UTF8');
    value json;
BEGIN
    value := CASE
        WHEN strpos(given, '\u0000') = 0 THEN given
        ELSE regexp_replace(given, '(?<!\\)((?:\\\\)*)\\u0000', '\1\ufffd', 'g')
    END::json #> path;
    RETURN CASE
        WHEN json_typeof(value) NOT IN ('object', 'array') THEN agentlog.scalar_of(value)
    END;
EXCEPTION
    WHEN data_exception OR statement_too_complex THEN
        RETURN NULL;
END
$$;
