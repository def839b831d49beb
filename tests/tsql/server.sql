-- What a database of PostgreSQL needs to answer as one of SQL Server: types, functions and catalogue views.
CREATE SCHEMA dbo;
CREATE SCHEMA sys;
CREATE EXTENSION citext SCHEMA dbo;
SET search_path = dbo, sys;

-- NVARCHAR(n) counts the units of UTF-16: a character beyond the first plane counts twice.
CREATE FUNCTION dbo.fits(given text, units integer) RETURNS boolean IMMUTABLE STRICT LANGUAGE sql
    RETURN octet_length(given) <= units
        OR length(given) + length(regexp_replace(given, E'[^\U00010000-\U0010FFFF]', '', 'g')) <= units;

-- words_n: the usual collation, which ignores case. code_n: a binary one; spaces at the end do not count either.
CREATE FUNCTION dbo.provide_text_type(kind text, units integer) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    wanted text := format('dbo.%s_%s', kind, units);
    base text := CASE kind WHEN 'code' THEN 'bpchar COLLATE "C"' ELSE 'dbo.citext' END;
BEGIN
    IF to_regtype(wanted) IS NULL THEN
        EXECUTE format(
            'CREATE DOMAIN %s AS %s CONSTRAINT fits_in_utf16 CHECK (dbo.fits(VALUE::text, %s))', wanted, base, units
        );
    END IF;
END $$;

CREATE FUNCTION dbo.joined(first text, second text) RETURNS text IMMUTABLE STRICT LANGUAGE sql RETURN first || second;
CREATE OPERATOR dbo.+ (FUNCTION = dbo.joined, LEFTARG = text, RIGHTARG = text);
CREATE FUNCTION dbo.sysutcdatetime() RETURNS timestamp VOLATILE LANGUAGE sql
    RETURN clock_timestamp() AT TIME ZONE 'UTC';
CREATE FUNCTION dbo.db_name() RETURNS text STABLE LANGUAGE sql RETURN current_database();
CREATE FUNCTION dbo.object_name(id oid) RETURNS text STABLE LANGUAGE sql
    RETURN (SELECT relname FROM pg_class WHERE oid = id);
CREATE FUNCTION dbo.col_name(id oid, number integer) RETURNS text STABLE LANGUAGE sql
    RETURN (SELECT attname FROM pg_attribute WHERE attrelid = id AND attnum = number);
CREATE FUNCTION dbo.serverproperty(name text) RETURNS text STABLE LANGUAGE sql RETURN '16.0.0.0';

CREATE SCHEMA tables_only;
CREATE VIEW tables_only.columns AS SELECT * FROM information_schema.columns WHERE table_schema = 'dbo';
CREATE VIEW tables_only.tables AS SELECT * FROM information_schema.tables WHERE table_schema = 'dbo';

CREATE TABLE sys.settings AS SELECT 0 AS is_read_committed_snapshot_on;
CREATE VIEW sys.databases AS SELECT current_database() AS name, is_read_committed_snapshot_on FROM sys.settings;

-- Other sessions cannot be seen.
CREATE FUNCTION dbo.has_perms_by_name(securable text, class text, permission text) RETURNS integer IMMUTABLE
    LANGUAGE sql RETURN 1;
CREATE FUNCTION dbo.sysdatetime() RETURNS timestamp VOLATILE LANGUAGE sql RETURN clock_timestamp()::timestamp;
CREATE FUNCTION dbo.db_id() RETURNS integer STABLE LANGUAGE sql RETURN 1;
CREATE FUNCTION dbo.object_id(name text) RETURNS oid STABLE LANGUAGE sql RETURN to_regclass('dbo.' || name);
CREATE TABLE sys.dm_exec_sessions (
    session_id integer, host_name text, host_process_id integer, program_name text, login_name text,
    last_request_end_time timestamp, database_id integer, status text, open_transaction_count integer
);
CREATE TABLE sys.dm_tran_locks (
    request_session_id integer, resource_database_id integer, request_mode text, resource_associated_entity_id bigint
);
CREATE TABLE sys.partitions (hobt_id bigint, object_id oid);

CREATE VIEW sys.schemas AS SELECT oid AS schema_id, nspname AS name FROM pg_namespace;
CREATE VIEW sys.objects AS
    SELECT oid AS object_id, relname AS name, relnamespace AS schema_id, 'U' AS type FROM pg_class WHERE relkind = 'r';
CREATE VIEW sys.tables AS
    SELECT oid AS object_id, relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'dbo'::regnamespace;
CREATE VIEW sys.check_constraints AS
    SELECT conrelid AS parent_object_id, conname AS name, pg_get_constraintdef(oid) AS definition
    FROM pg_constraint WHERE contype = 'c' AND conrelid <> 0 AND connamespace = 'dbo'::regnamespace;
CREATE VIEW sys.foreign_keys AS
    SELECT conrelid AS parent_object_id, conname AS name, confrelid AS referenced_object_id
    FROM pg_constraint WHERE contype = 'f' AND connamespace = 'dbo'::regnamespace;
CREATE VIEW sys.indexes AS
    SELECT i.indrelid AS object_id, c.relname AS name, i.indisunique AS is_unique, i.indisprimary AS is_primary_key,
           pg_get_expr(i.indpred, i.indrelid) AS filter_definition, i.indexrelid AS index_id
    FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid;
CREATE VIEW sys.index_columns AS
    SELECT i.indrelid AS object_id, i.indexrelid AS index_id, k.ordinality AS key_ordinal, k.number::integer AS column_id
    FROM pg_index i, unnest(i.indkey) WITH ORDINALITY AS k (number, ordinality);
