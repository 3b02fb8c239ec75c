"""Whom rows are about: an index of persons and conversations, kept as rows are written.

`subjects` of a row are the numbers of core.ports.subjects; NULL where nobody has looked yet. Such rows are in
`unindexed_...`, as those that older nodes write, or beyond the position of a walk that is still to come.
"""

# ruff: noqa: S608  (built from the constants of this package only)

from __future__ import annotations

from parley.store.postgres.functions.parts import CLAIM_OF, ENTRY, ORDERED_ENTRY, PUTS

_TABLES = (("items", "item", "id", "bigint"), ("documents", "document", "key", 'text COLLATE "C"'))

# A trigger of rows that nobody indexed, one of rows that are indexed or change, and one of rows that go.
_INDEX = """
ALTER TABLE {table} ADD COLUMN subjects bigint[];
CREATE TABLE {one}_subjects (subject bigint NOT NULL, {key} {kind} NOT NULL, PRIMARY KEY (subject, {key}));
CREATE TABLE unindexed_{table} ({key} {kind} PRIMARY KEY);
CREATE FUNCTION {table}_brought() RETURNS trigger LANGUAGE plpgsql {entry} AS $$
BEGIN
    IF TG_OP = 'UPDATE' THEN
        DELETE FROM {one}_subjects s WHERE s.subject = ANY (OLD.subjects) AND s.{key} = OLD.{key};
    END IF;
    INSERT INTO unindexed_{table} VALUES (NEW.{key}) ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;
CREATE FUNCTION {table}_indexed() RETURNS trigger LANGUAGE plpgsql {entry} AS $$
BEGIN
    IF TG_OP = 'UPDATE' THEN
        DELETE FROM {one}_subjects s WHERE s.subject = ANY (OLD.subjects) AND s.{key} = OLD.{key};
        DELETE FROM unindexed_{table} u WHERE OLD.subjects IS NULL AND u.{key} = NEW.{key};
    END IF;
    INSERT INTO {one}_subjects SELECT unnest(NEW.subjects), NEW.{key} ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;
CREATE FUNCTION {table}_removed() RETURNS trigger LANGUAGE plpgsql {entry} AS $$
BEGIN
    DELETE FROM {one}_subjects s WHERE s.subject = ANY (OLD.subjects) AND s.{key} = OLD.{key};
    DELETE FROM unindexed_{table} u WHERE OLD.subjects IS NULL AND u.{key} = OLD.{key};
    RETURN NULL;
END $$;
CREATE TRIGGER made AFTER INSERT ON {table} FOR EACH ROW
    WHEN (NEW.subjects <> '{{}}') EXECUTE FUNCTION {table}_indexed();
CREATE TRIGGER brought AFTER INSERT ON {table} FOR EACH ROW
    WHEN (NEW.subjects IS NULL) EXECUTE FUNCTION {table}_brought();
CREATE TRIGGER changed AFTER UPDATE OF subjects ON {table} FOR EACH ROW
    WHEN (NEW.subjects IS NOT NULL AND NEW.subjects IS DISTINCT FROM OLD.subjects)
    EXECUTE FUNCTION {table}_indexed();
CREATE TRIGGER unsettled AFTER UPDATE OF subjects ON {table} FOR EACH ROW
    WHEN (NEW.subjects IS NULL) EXECUTE FUNCTION {table}_brought();
CREATE TRIGGER removed AFTER DELETE ON {table} FOR EACH ROW
    WHEN (OLD.subjects IS NULL OR OLD.subjects <> '{{}}') EXECUTE FUNCTION {table}_removed()
"""

_WALKS = (
    "CREATE TABLE index_walks (name text PRIMARY KEY, position text NOT NULL)",
    "INSERT INTO index_walks SELECT 'items', '0' WHERE EXISTS (SELECT 1 FROM items)",
    "INSERT INTO index_walks SELECT 'documents', '' WHERE EXISTS (SELECT 1 FROM documents)",
)

WRITE = f"""CREATE FUNCTION write_about(key_ text, body_ text, read_ bigint, about_ text) RETURNS bigint
LANGUAGE plpgsql {ENTRY} AS $$
DECLARE written bigint;
BEGIN
    IF read_ = 0 THEN
        INSERT INTO documents (key, body, version, subjects)
            VALUES (key_, body_, nextval('versions'), about_::bigint[]) ON CONFLICT DO NOTHING
            RETURNING version INTO written;
    ELSE
        UPDATE documents SET body = body_, version = nextval('versions'), subjects = about_::bigint[]
            WHERE key = key_ AND version = read_ RETURNING version INTO written;
    END IF;
    RETURN written;
END $$"""

# Of older nodes, as the functions below with the names of earlier steps: what they write is indexed later.
OLD_WRITE = f"""CREATE OR REPLACE FUNCTION write(key_ text, body_ text, read_ bigint) RETURNS bigint
LANGUAGE plpgsql {ENTRY} AS $$
BEGIN
    RETURN write_about(key_, body_, read_, NULL);
END $$"""

WRITE_ALL = """CREATE FUNCTION write_all_about(keys_ text[], texts_ text[], read_ bigint[], abouts_ text[])
RETURNS text LANGUAGE plpgsql AS $$
DECLARE each record;
BEGIN
    FOR each IN SELECT * FROM unnest(keys_, texts_, read_, abouts_) AS t (key, body, version, about) LOOP
        IF write_about(each.key, each.body, each.version, each.about) IS NULL THEN
            RAISE EXCEPTION USING ERRCODE = 'PY001', MESSAGE = each.key;
        END IF;
    END LOOP;
    RETURN NULL;
EXCEPTION WHEN SQLSTATE 'PY001' THEN
    RETURN SQLERRM;
END $$"""

# The upsert locks the lane, even where it changes nothing: ids of one lane grow in the order of commits.
PUT = f"""CREATE FUNCTION put_about({PUTS}, abouts_ text[], at_ float8) RETURNS bigint[]
LANGUAGE plpgsql {ENTRY} AS $$
DECLARE
    now_ float8 := moment(at_);
    each record;
    due float8;
    item bigint;
    ids bigint[] := '{{}}';
BEGIN
    FOR each IN SELECT * FROM unnest(queues_, lanes_, bodies_, names_, delays_, slots_, max_waits_, abouts_)
        WITH ORDINALITY AS t (queue, lane, body, name, delay, slot, max_wait, about, n) ORDER BY n
    LOOP
        item := NULL;
        IF each.name <> '' THEN
            INSERT INTO names VALUES (each.queue, each.name, now_) ON CONFLICT DO NOTHING;
            IF NOT FOUND THEN
                ids := ids || item;
                CONTINUE;
            END IF;
        END IF;
        due := now_ + greatest(each.delay, 0);
        IF each.max_wait > 0 THEN
            due := least(due, now_ + each.max_wait);
        END IF;
        INSERT INTO lanes AS l (queue, lane, ready_at) VALUES (each.queue, each.lane, due)
            ON CONFLICT (queue, lane) DO UPDATE SET ready_at = excluded.ready_at
            WHERE l.ready_at IS NULL AND l.node IS NULL;
        IF FOUND OR each.slot <> '' THEN
            PERFORM pg_notify(current_schema(), each.queue);  -- a lane with work already is known of
        END IF;
        IF each.slot <> '' THEN
            item := replace_slot(each.queue, each.lane, each.slot, each.body, each.delay, each.max_wait,
                now_);
        END IF;
        IF item IS NULL THEN
            INSERT INTO items (queue, lane, slot, body, put_at, first_at, run_at, subjects)
                VALUES (each.queue, each.lane, each.slot, each.body, now_, now_, due, each.about::bigint[])
                RETURNING id INTO item;
        ELSE
            UPDATE items SET subjects = each.about::bigint[]
                WHERE id = item AND subjects IS DISTINCT FROM each.about::bigint[];
        END IF;
        ids := ids || item;
    END LOOP;
    RETURN ids;
END $$"""

OLD_PUT = f"""CREATE OR REPLACE FUNCTION put({PUTS}, at_ float8) RETURNS bigint[]
LANGUAGE plpgsql {ENTRY} AS $$
BEGIN
    RETURN put_about(queues_, lanes_, bodies_, names_, delays_, slots_, max_waits_,
        array_fill(NULL::text, ARRAY[cardinality(queues_)]), at_);
END $$"""

DONE = f"""CREATE FUNCTION done_about({CLAIM_OF}, ids_ bigint[], versions_ int[], note_ text, keys_ text[],
    texts_ text[], read_ bigint[], {PUTS}, at_ float8, tallies_ jsonb, abouts_ text[],
    documents_about_ text[])
RETURNS text LANGUAGE plpgsql {ENTRY} AS $$
DECLARE
    answer text := standing(queue_, lane_, epoch_, node_, ids_);
    conflict text;
BEGIN
    IF answer <> 'ok' THEN
        RETURN answer;
    END IF;
    IF cardinality(keys_) > 0 THEN
        conflict := write_all_about(keys_, texts_, read_, documents_about_);
        IF conflict IS NOT NULL THEN
            RETURN 'conflict ' || conflict;
        END IF;
    END IF;
    PERFORM end_items(queue_, lane_, epoch_, node_, ids_, versions_, 1, note_, '', moment(at_));
    IF cardinality(queues_) > 0 THEN
        PERFORM put_about(queues_, lanes_, bodies_, names_, delays_, slots_, max_waits_, abouts_, at_);
    END IF;
    IF tallies_ IS NOT NULL THEN
        PERFORM add_tallies(tallies_, node_);
    END IF;
    PERFORM rearm(queue_, lane_);
    RETURN 'ok';
END $$"""

IS_WHOLE = """CREATE FUNCTION is_index_whole() RETURNS boolean LANGUAGE sql SET search_path FROM CURRENT AS $$
    SELECT NOT EXISTS (SELECT 1 FROM index_walks) AND NOT EXISTS (SELECT 1 FROM unindexed_items)
        AND NOT EXISTS (SELECT 1 FROM unindexed_documents) $$"""

# The ids of the next items about somebody, and the documents: by the index alone, in the order of the keys.
ITEMS_ABOUT = f"""CREATE FUNCTION items_about(subjects_ bigint[], after_ bigint, most_ bigint)
RETURNS bigint[] LANGUAGE plpgsql {ORDERED_ENTRY} AS $$
DECLARE found_ bigint[] := '{{}}';
BEGIN
    FOR place IN 1 .. coalesce(cardinality(subjects_), 0) LOOP
        found_ := found_ || ARRAY(SELECT s.id FROM item_subjects s WHERE s.subject = subjects_[place]
            AND s.id > after_ ORDER BY s.id LIMIT most_);
    END LOOP;
    RETURN ARRAY(SELECT DISTINCT id FROM unnest(found_) AS f (id) ORDER BY id LIMIT most_);
END $$"""

DOCUMENTS_ABOUT = f"""CREATE FUNCTION documents_about(subjects_ bigint[], prefix_ text, last_ text,
    after_ text, most_ bigint) RETURNS TABLE (key text, body text, version bigint)
LANGUAGE plpgsql {ORDERED_ENTRY} AS $$
#variable_conflict use_column
DECLARE
    keys_ text[] := '{{}}';
    first_ text := greatest(prefix_ COLLATE "C", after_ COLLATE "C");
BEGIN
    FOR place IN 1 .. coalesce(cardinality(subjects_), 0) LOOP
        keys_ := keys_ || ARRAY(SELECT s.key FROM document_subjects s WHERE s.subject = subjects_[place]
            AND s.key >= first_ AND s.key < last_ ORDER BY s.key LIMIT most_ + 1);
    END LOOP;
    RETURN QUERY SELECT d.key, d.body, d.version FROM documents d
        WHERE d.key = ANY (keys_) AND d.key > after_ ORDER BY d.key LIMIT most_;
END $$"""

ALL = (
    *(_INDEX.format(table=t, one=o, key=k, kind=kind, entry=ENTRY) for t, o, k, kind in _TABLES),
    *(*_WALKS, WRITE, OLD_WRITE, WRITE_ALL, PUT, OLD_PUT, DONE, IS_WHOLE, ITEMS_ABOUT, DOCUMENTS_ABOUT),
)
"""The statements that make them, in the order of need."""
