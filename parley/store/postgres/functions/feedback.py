"""When people said what they think of answers: an index kept as documents are written, by whichever node.

An index on an expression of `documents` would do the same, but then no document could change in place.
"""

# ruff: noqa: S608  (built from the constants of this package only)

from __future__ import annotations

from parley.store.postgres.functions.parts import ENTRY, ORDERED_ENTRY

_IS_FEEDBACK = "{row}.key >= 'feedback/' AND {row}.key < 'feedback0'"

TABLE = """CREATE TABLE feedback_times (at float8 NOT NULL, key text COLLATE "C" NOT NULL,
    PRIMARY KEY (at, key))"""

# NULL where a document has none: it is damaged.
TIME = """CREATE FUNCTION feedback_time(body_ text) RETURNS float8 LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
    RETURN (body_::jsonb ->> 'at')::float8;
EXCEPTION WHEN data_exception THEN
    RETURN NULL;
END $$"""

KEEP = f"""CREATE FUNCTION keep_feedback_time() RETURNS trigger LANGUAGE plpgsql {ENTRY} AS $$
DECLARE time_ float8;
BEGIN
    IF TG_OP <> 'INSERT' THEN
        time_ := feedback_time(OLD.body);
        DELETE FROM feedback_times t WHERE t.at = time_ AND t.key = OLD.key;
    END IF;
    IF TG_OP <> 'DELETE' THEN
        time_ := feedback_time(NEW.body);
        IF time_ IS NOT NULL THEN
            INSERT INTO feedback_times VALUES (time_, NEW.key);
        END IF;
    END IF;
    RETURN NULL;
END $$"""

TRIGGERS = (
    f"""CREATE TRIGGER feedback_kept AFTER INSERT OR UPDATE OF body ON documents FOR EACH ROW
        WHEN ({_IS_FEEDBACK.format(row="NEW")}) EXECUTE FUNCTION keep_feedback_time()""",
    f"""CREATE TRIGGER feedback_removed AFTER DELETE ON documents FOR EACH ROW
        WHEN ({_IS_FEEDBACK.format(row="OLD")}) EXECUTE FUNCTION keep_feedback_time()""",
)

OLDER = f"""INSERT INTO feedback_times SELECT feedback_time(d.body), d.key FROM documents d
    WHERE {_IS_FEEDBACK.format(row="d")} AND feedback_time(d.body) IS NOT NULL"""

PAGE = f"""CREATE FUNCTION feedback_page(at_ float8, key_ text, since_ float8, most_ bigint)
RETURNS TABLE (at float8, key text, body text, version bigint) LANGUAGE plpgsql {ORDERED_ENTRY} AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY SELECT t.at, d.key, d.body, d.version FROM feedback_times t JOIN documents d ON d.key = t.key
        WHERE (t.at, t.key) < (at_, key_) AND t.at >= since_ ORDER BY t.at DESC, t.key DESC LIMIT most_;
END $$"""

ALL = (TABLE, TIME, KEEP, *TRIGGERS, OLDER, PAGE)
"""The statements that make them, in the order of need."""
