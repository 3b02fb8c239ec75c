"""Working lanes: claim, checkpoint, finish, give back."""

# ruff: noqa: S608  (built from the constants of this package only)

from __future__ import annotations

from parley.store.postgres.functions.parts import CLAIM_OF, ENTRY, ITEM, PUTS

# Lanes first, their heads after it: one statement for both would read heads that are finished already.
CLAIM = f"""CREATE FUNCTION claim(queue_ text, most_ bigint, node_ text, lease_ float8, ticket_ bigint,
    doubtful_ bigint[], at_ float8) RETURNS TABLE (epoch bigint, {ITEM})
LANGUAGE plpgsql {ENTRY} AS $$
#variable_conflict use_column
DECLARE
    now_ float8 := moment(at_);
    each record;
    lapsed_ text[];
    epoch_ bigint;
BEGIN
    SELECT array_agg(name) INTO lapsed_ FROM nodes WHERE until <= now_;
    FOR each IN SELECT l.queue, l.lane FROM lanes l WHERE l.node = ANY (lapsed_) FOR UPDATE SKIP LOCKED LOOP
        PERFORM rearm(each.queue, each.lane);
    END LOOP;
    IF cardinality(doubtful_) > 0 THEN
        FOR each IN SELECT l.queue, l.lane FROM lanes l
            WHERE l.node = node_ AND l.ticket = ANY (doubtful_) FOR UPDATE
        LOOP
            PERFORM rearm(each.queue, each.lane);
        END LOOP;
    END IF;
    INSERT INTO nodes AS n (name, until) VALUES (node_, now_ + lease_)
        ON CONFLICT (name) DO UPDATE SET until = greatest(n.until, excluded.until);
    FOR each IN SELECT l.lane FROM lanes l WHERE l.queue = queue_ AND l.ready_at <= now_
        ORDER BY l.ready_at LIMIT most_ FOR UPDATE SKIP LOCKED
    LOOP
        UPDATE lanes l SET epoch = nextval('epochs'), node = node_, ticket = ticket_, claimed_at = now_,
            ready_at = NULL WHERE l.queue = queue_ AND l.lane = each.lane RETURNING l.epoch INTO epoch_;
        RETURN QUERY SELECT epoch_, w.id, w.queue, w.lane, w.body, w.note, w.attempts, w.version, w.put_at
            FROM (SELECT h.*, bool_and(h.run_at <= now_) OVER (ORDER BY h.id) AS due FROM (
                SELECT * FROM items i WHERE i.queue = queue_ AND i.lane = each.lane AND i.state = 0
                ORDER BY i.id LIMIT 100) h) w WHERE w.due ORDER BY w.id;
        IF NOT FOUND THEN
            PERFORM rearm(queue_, each.lane);  -- a lapsed lane with nothing to do yet
        END IF;
    END LOOP;
END $$"""

NOTE = f"""CREATE FUNCTION note({CLAIM_OF}, item_ bigint, version_ int, note_ text) RETURNS text
LANGUAGE plpgsql {ENTRY} AS $$
BEGIN
    IF NOT held(queue_, lane_, epoch_, node_) THEN
        RETURN 'lost';
    END IF;
    UPDATE items SET note = note_ WHERE id = item_ AND queue = queue_ AND lane = lane_ AND state = 0
        AND version = coalesce(version_, version);
    IF FOUND OR EXISTS (SELECT 1 FROM items WHERE queue = queue_ AND lane = lane_ AND id = item_ AND state = 0
    ) THEN
        RETURN 'ok';
    END IF;
    PERFORM rearm(queue_, lane_);
    RETURN 'gone';
END $$"""

DONE = f"""CREATE FUNCTION done({CLAIM_OF}, ids_ bigint[], versions_ int[], note_ text, keys_ text[],
    texts_ text[], read_ bigint[], {PUTS}, at_ float8) RETURNS text LANGUAGE plpgsql {ENTRY} AS $$
DECLARE
    answer text := standing(queue_, lane_, epoch_, node_, ids_);
    conflict text;
BEGIN
    IF answer <> 'ok' THEN
        RETURN answer;
    END IF;
    IF cardinality(keys_) > 0 THEN
        conflict := write_all(keys_, texts_, read_);
        IF conflict IS NOT NULL THEN
            RETURN 'conflict ' || conflict;
        END IF;
    END IF;
    PERFORM end_items(queue_, lane_, epoch_, node_, ids_, versions_, 1, note_, '', moment(at_));
    IF cardinality(queues_) > 0 THEN
        PERFORM put(queues_, lanes_, bodies_, names_, delays_, slots_, max_waits_, at_);
    END IF;
    PERFORM rearm(queue_, lane_);
    RETURN 'ok';
END $$"""

BURY = f"""CREATE FUNCTION bury({CLAIM_OF}, ids_ bigint[], versions_ int[], reason_ text, at_ float8)
RETURNS text LANGUAGE plpgsql {ENTRY} AS $$
DECLARE answer text := standing(queue_, lane_, epoch_, node_, ids_);
BEGIN
    IF answer = 'ok' THEN
        PERFORM end_items(queue_, lane_, epoch_, node_, ids_, versions_, 2, NULL, reason_, moment(at_));
        PERFORM rearm(queue_, lane_);
    END IF;
    RETURN answer;
END $$"""

RELEASE = f"""CREATE FUNCTION release({CLAIM_OF}) RETURNS text LANGUAGE plpgsql {ENTRY} AS $$
BEGIN
    IF NOT held(queue_, lane_, epoch_, node_) THEN
        RETURN 'lost';
    END IF;
    PERFORM rearm(queue_, lane_);
    RETURN 'ok';
END $$"""

RETRY = f"""CREATE FUNCTION retry({CLAIM_OF}, head_ bigint, delay_ float8, at_ float8) RETURNS text
LANGUAGE plpgsql {ENTRY} AS $$
BEGIN
    IF NOT held(queue_, lane_, epoch_, node_) THEN
        RETURN 'lost';
    END IF;
    UPDATE items SET attempts = attempts + 1, run_at = greatest(run_at, moment(at_) + greatest(delay_, 0))
        WHERE id = head_ AND queue = queue_ AND lane = lane_ AND state = 0;
    PERFORM rearm(queue_, lane_);
    RETURN 'ok';
END $$"""

CANCEL = f"""CREATE FUNCTION cancel(queue_ text, lane_ text, before_ bigint, at_ float8)
RETURNS TABLE ({ITEM}) LANGUAGE plpgsql {ENTRY} AS $$
#variable_conflict use_column
BEGIN
    PERFORM 1 FROM lanes WHERE lanes.queue = queue_ AND lanes.lane = lane_ FOR UPDATE;
    RETURN QUERY WITH ended AS (UPDATE items i SET state = 3, ended_at = moment(at_)
        WHERE i.queue = queue_ AND i.lane = lane_ AND i.id < before_ AND i.state = 0 AND i.note = ''
        RETURNING i.id, i.queue, i.lane, i.body, i.note, i.attempts, i.version, i.put_at)
        SELECT * FROM ended ORDER BY ended.id;
    IF FOUND THEN
        PERFORM refresh(queue_, lane_);
        PERFORM pg_notify(current_schema(), queue_);
    END IF;
END $$"""

WITHDRAW = f"""CREATE FUNCTION withdraw(queue_ text, lane_ text, item_ bigint, at_ float8)
RETURNS boolean LANGUAGE plpgsql {ENTRY} AS $$
BEGIN
    PERFORM 1 FROM lanes WHERE lanes.queue = queue_ AND lanes.lane = lane_ FOR UPDATE;
    UPDATE items SET state = 3, ended_at = moment(at_)
        WHERE queue = queue_ AND lane = lane_ AND id = item_ AND state = 0 AND note = '';
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    PERFORM refresh(queue_, lane_);
    PERFORM pg_notify(current_schema(), queue_);
    RETURN true;
END $$"""
"""Added by a later step of the schema than the others."""

# A revived item leaves its slot to a newer one that waits there.
REVIVE = f"""CREATE FUNCTION revive(item_ bigint, at_ float8) RETURNS boolean
LANGUAGE plpgsql {ENTRY} AS $$
DECLARE dead record;
BEGIN
    SELECT queue, lane INTO dead FROM items WHERE id = item_ AND state = 2;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    INSERT INTO lanes (queue, lane) VALUES (dead.queue, dead.lane)
        ON CONFLICT (queue, lane) DO UPDATE SET queue = excluded.queue;
    UPDATE items SET state = 0, ended_at = NULL, reason = '', attempts = 0, run_at = moment(at_),
        slot = CASE WHEN EXISTS (SELECT 1 FROM items newer WHERE newer.queue = items.queue
        AND newer.lane = items.lane AND newer.slot = items.slot AND newer.state = 0 AND newer.slot <> '')
        THEN '' ELSE slot END WHERE id = item_ AND state = 2;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    PERFORM refresh(dead.queue, dead.lane);
    PERFORM pg_notify(current_schema(), dead.queue);
    RETURN true;
END $$"""

FREE_NODE = f"""CREATE FUNCTION free_node(node_ text) RETURNS void LANGUAGE plpgsql {ENTRY} AS $$
DECLARE each record;
BEGIN
    FOR each IN SELECT queue, lane FROM lanes WHERE node = node_ ORDER BY queue, lane FOR UPDATE LOOP
        PERFORM rearm(each.queue, each.lane);
    END LOOP;
    DELETE FROM nodes WHERE name = node_;
END $$"""
