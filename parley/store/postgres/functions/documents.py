"""Versioned values."""

# ruff: noqa: S608  (built from the constants of this package only)

from __future__ import annotations

from parley.store.postgres.functions.parts import ENTRY

# Versions come from one counter: a document made anew is never taken for the one that was deleted.
WRITE = f"""CREATE FUNCTION write(key_ text, body_ text, read_ bigint) RETURNS bigint
LANGUAGE plpgsql {ENTRY} AS $$
DECLARE written bigint;
BEGIN
    IF read_ = 0 THEN
        INSERT INTO documents VALUES (key_, body_, nextval('versions')) ON CONFLICT DO NOTHING
            RETURNING version INTO written;
    ELSE
        UPDATE documents SET body = body_, version = nextval('versions') WHERE key = key_ AND version = read_
            RETURNING version INTO written;
    END IF;
    RETURN written;
END $$"""

# All or nothing: the key of the first that changed meanwhile, or NULL.
WRITE_ALL = """CREATE FUNCTION write_all(keys_ text[], texts_ text[], read_ bigint[]) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE each record;
BEGIN
    FOR each IN SELECT * FROM unnest(keys_, texts_, read_) AS t (key, body, version) LOOP
        IF write(each.key, each.body, each.version) IS NULL THEN
            RAISE EXCEPTION USING ERRCODE = 'PY001', MESSAGE = each.key;
        END IF;
    END LOOP;
    RETURN NULL;
EXCEPTION WHEN SQLSTATE 'PY001' THEN
    RETURN SQLERRM;
END $$"""
