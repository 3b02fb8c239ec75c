"""Accepting work: dedupe, delay, slots."""

# ruff: noqa: S608  (built from the constants of this package only)

from __future__ import annotations

from parley.store.postgres.functions.parts import ENTRY, PUTS

REPLACE = """CREATE FUNCTION replace_slot(queue_ text, lane_ text, slot_ text, body_ text, delay_ float8,
    max_wait_ float8, now_ float8) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    old record;
    first float8;
    due float8 := now_ + greatest(delay_, 0);
BEGIN
    SELECT id, first_at, run_at, attempts, node IS NOT NULL AND run_at <= claimed_at AS handed_out INTO old
        FROM items JOIN lanes USING (queue, lane)
        WHERE queue = queue_ AND lane = lane_ AND slot = slot_ AND state = 0;
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    -- What a holder has in hand is on its way: the new body begins a new wait.
    first := CASE WHEN old.handed_out THEN now_ ELSE old.first_at END;
    IF max_wait_ > 0 THEN
        due := least(due, first + max_wait_);
    END IF;
    IF old.attempts > 0 THEN
        due := greatest(due, old.run_at);  -- its back-off still holds
    END IF;
    UPDATE items SET body = body_, note = '', version = version + 1, first_at = first, run_at = due
        WHERE id = old.id;
    PERFORM refresh(queue_, lane_);
    RETURN old.id;
END $$"""

# The upsert locks the lane, even where it changes nothing: ids of one lane grow in the order of commits.
PUT = f"""CREATE FUNCTION put({PUTS}, at_ float8) RETURNS bigint[] LANGUAGE plpgsql {ENTRY} AS $$
DECLARE
    now_ float8 := moment(at_);
    each record;
    due float8;
    item bigint;
    ids bigint[] := '{{}}';
BEGIN
    FOR each IN SELECT * FROM unnest(queues_, lanes_, bodies_, names_, delays_, slots_, max_waits_)
        WITH ORDINALITY AS t (queue, lane, body, name, delay, slot, max_wait, n) ORDER BY n
    LOOP
        item := NULL;
        IF each.name <> '' THEN
            INSERT INTO names VALUES (each.queue, each.name, now_) ON CONFLICT DO NOTHING;
            IF NOT FOUND THEN
                ids := ids || item;
                CONTINUE;
            END IF;
        END IF;
        PERFORM pg_notify(current_schema(), each.queue);
        due := now_ + greatest(each.delay, 0);
        IF each.max_wait > 0 THEN
            due := least(due, now_ + each.max_wait);
        END IF;
        INSERT INTO lanes AS l (queue, lane, ready_at) VALUES (each.queue, each.lane, due)
            ON CONFLICT (queue, lane) DO UPDATE SET ready_at = excluded.ready_at
            WHERE l.ready_at IS NULL AND l.node IS NULL;
        IF each.slot <> '' THEN
            item := replace_slot(each.queue, each.lane, each.slot, each.body, each.delay, each.max_wait,
                now_);
        END IF;
        IF item IS NULL THEN
            INSERT INTO items (queue, lane, slot, body, put_at, first_at, run_at)
                VALUES (each.queue, each.lane, each.slot, each.body, now_, now_, due) RETURNING id INTO item;
        END IF;
        ids := ids || item;
    END LOOP;
    RETURN ids;
END $$"""
