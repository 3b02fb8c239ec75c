"""Since which hour documents are kept: a number among those of the persons whom they are about.

See core.ports.subjects.
"""

# ruff: noqa: S608  (built from the constants of this package only)

from __future__ import annotations

from parley.store.postgres.functions.parts import ENTRY, ORDERED_ENTRY

# Those of this step, whatever core.ports.subjects has later: a step that was released never changes.
_DATED = ("feedback/", "feedback-prompt/", "question/", "rateable/")
_HOURS = "0 AND 9999999"

# By ranges of keys, as LIKE would escape what the prefixes have.
_IS_DATED = " OR ".join(f"{{row}}.key >= '{prefix}' AND {{row}}.key < '{prefix[:-1]}0'" for prefix in _DATED)

# What a node of an older step writes has no hour: it counts as not indexed, and a newer node indexes it.
HAS_HOUR = f"""CREATE FUNCTION has_hour(subjects_ bigint[]) RETURNS boolean LANGUAGE sql IMMUTABLE AS
    $$ SELECT EXISTS (SELECT 1 FROM unnest(subjects_) s WHERE s BETWEEN {_HOURS}) $$"""

UNSETTLE = """CREATE FUNCTION unsettle() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.subjects := NULL;
    RETURN NEW;
END $$"""

TRIGGER = f"""CREATE TRIGGER undated BEFORE INSERT OR UPDATE OF subjects ON documents FOR EACH ROW
    WHEN (({_IS_DATED.format(row="NEW")}) AND NOT has_hour(NEW.subjects)) EXECUTE FUNCTION unsettle()"""

# A row may be among those to index although it is indexed, since the next statement.
INDEXED = f"""CREATE OR REPLACE FUNCTION documents_indexed() RETURNS trigger LANGUAGE plpgsql {ENTRY} AS $$
BEGIN
    IF TG_OP = 'UPDATE' THEN
        DELETE FROM document_subjects s WHERE s.subject = ANY (OLD.subjects) AND s.key = OLD.key;
        DELETE FROM unindexed_documents u WHERE u.key = NEW.key;
    END IF;
    INSERT INTO document_subjects SELECT unnest(NEW.subjects), NEW.key ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$"""

REMOVED = f"""CREATE OR REPLACE FUNCTION documents_removed() RETURNS trigger LANGUAGE plpgsql {ENTRY} AS $$
BEGIN
    DELETE FROM document_subjects s WHERE s.subject = ANY (OLD.subjects) AND s.key = OLD.key;
    DELETE FROM unindexed_documents u WHERE u.key = OLD.key;
    RETURN NULL;
END $$"""

OLDER = f"""INSERT INTO unindexed_documents SELECT d.key FROM documents d
    WHERE {_IS_DATED.format(row="d")} ON CONFLICT DO NOTHING"""

UNTIL = f"""CREATE FUNCTION documents_until(hour_ bigint, key_ text, last_ bigint, prefix_ text, end_ text,
    most_ bigint) RETURNS TABLE (hour bigint, key text, body text, version bigint)
LANGUAGE plpgsql {ORDERED_ENTRY} AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY SELECT s.subject, d.key, d.body, d.version
        FROM document_subjects s JOIN documents d ON d.key = s.key
        WHERE (s.subject, s.key) > (hour_, key_) AND s.subject <= last_ AND s.key >= prefix_ AND s.key < end_
        ORDER BY s.subject, s.key LIMIT most_;
END $$"""

ALL = (HAS_HOUR, UNSETTLE, INDEXED, REMOVED, OLDER, TRIGGER, UNTIL)
"""The statements that make them, in the order of need."""
