SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
CREATE SCHEMA parley;
CREATE FUNCTION parley.add_tallies(tallies_ jsonb, node_ text) RETURNS void
    LANGUAGE plpgsql
    AS $$
BEGIN
    INSERT INTO tallies AS t (name, node, until, turns, metered, input, output, unpriced, cost)
        SELECT name, node_, max(until), sum(turns), sum(metered), sum(input), sum(output), sum(unpriced), sum(cost)
        FROM jsonb_to_recordset(tallies_) AS j (name text, until float8,
    turns bigint, metered bigint, input bigint, output bigint, unpriced bigint, cost bigint, most bigint) GROUP BY name ORDER BY name
        ON CONFLICT (name, node) DO UPDATE SET
        turns = t.turns + excluded.turns, metered = t.metered + excluded.metered, input = t.input + excluded.input, output = t.output + excluded.output, unpriced = t.unpriced + excluded.unpriced, cost = t.cost + excluded.cost;
END $$;
CREATE FUNCTION parley.bucket_of(lane_ text) RETURNS smallint
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$ SELECT get_byte(sha256(convert_to(lane_, 'UTF8')), 0)::smallint $$;
CREATE FUNCTION parley.bury(queue_ text, lane_ text, epoch_ bigint, node_ text, ids_ bigint[], versions_ integer[], reason_ text, at_ double precision) RETURNS text
    LANGUAGE plpgsql
    SET search_path TO 'parley'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS $$
DECLARE answer text := standing(queue_, lane_, epoch_, node_, ids_);
BEGIN
    IF answer = 'ok' THEN
        PERFORM end_items(queue_, lane_, epoch_, node_, ids_, versions_, 2, NULL, reason_, moment(at_));
        PERFORM rearm(queue_, lane_);
    END IF;
    RETURN answer;
END $$;
CREATE FUNCTION parley.cancel(queue_ text, lane_ text, before_ bigint, at_ double precision) RETURNS TABLE(id bigint, queue text, lane text, body text, note text, attempts integer, version integer, put_at double precision)
    LANGUAGE plpgsql
    SET search_path TO 'parley'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS $$
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
END $$;
CREATE FUNCTION parley.claim(queue_ text, most_ bigint, node_ text, lease_ double precision, ticket_ bigint, doubtful_ bigint[], at_ double precision) RETURNS TABLE(epoch bigint, id bigint, queue text, lane text, body text, note text, attempts integer, version integer, put_at double precision)
    LANGUAGE plpgsql
    SET search_path TO 'parley'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS $$
BEGIN
    RETURN QUERY SELECT c.epoch, c.id, c.queue, c.lane, c.body, c.note, c.attempts, c.version, c.put_at
        FROM claim_counted(queue_, most_, node_, lease_, ticket_, doubtful_, at_) c;
END $$;
CREATE FUNCTION parley.claim_counted(queue_ text, most_ bigint, node_ text, lease_ double precision, ticket_ bigint, doubtful_ bigint[], at_ double precision) RETURNS TABLE(epoch bigint, crashes integer, tried integer, id bigint, queue text, lane text, body text, note text, attempts integer, version integer, put_at double precision)
    LANGUAGE plpgsql
    SET search_path TO 'parley'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    SET enable_sort TO 'off'
    SET enable_bitmapscan TO 'off'
    AS $$
#variable_conflict use_column
DECLARE
    now_ float8 := moment(at_);
    lapsed_ text;
    each record;
    epoch_ bigint;
    crashes_ int;
    trials_ int;
BEGIN
    FOR lapsed_ IN SELECT name FROM nodes WHERE until <= now_ LOOP
        FOR each IN SELECT l.queue, l.lane FROM lanes l WHERE l.node = lapsed_ AND l.ready_at IS NULL
            FOR UPDATE SKIP LOCKED
        LOOP
            PERFORM lapse(each.queue, each.lane);
        END LOOP;
    END LOOP;
    IF cardinality(doubtful_) > 0 THEN
        FOR each IN SELECT l.queue, l.lane FROM lanes l
            WHERE l.node = node_ AND l.ready_at IS NULL AND l.ticket = ANY (doubtful_) FOR UPDATE
        LOOP
            UPDATE lanes l SET claims = greatest(l.claims - 1, 0)  -- nobody began to work on it
                WHERE l.queue = each.queue AND l.lane = each.lane;
            PERFORM lapse(each.queue, each.lane);
        END LOOP;
    END IF;
    INSERT INTO nodes AS n (name, until) VALUES (node_, now_ + lease_)
        ON CONFLICT (name) DO UPDATE SET until = greatest(n.until, excluded.until);
    FOR each IN SELECT l.lane, l.epoch, l.claims, l.trials FROM lanes l
        WHERE l.queue = queue_ AND l.ready_at <= now_ ORDER BY l.ready_at LIMIT most_ FOR UPDATE SKIP LOCKED
    LOOP
        crashes_ := each.claims;
        trials_ := each.trials;
        IF crashes_ > 0 AND each.epoch = (SELECT i.progress FROM items i
            WHERE i.queue = queue_ AND i.lane = each.lane AND i.state = 0 ORDER BY i.id LIMIT 1)
        THEN
            crashes_ := 0;
            trials_ := 0;
        END IF;
        UPDATE lanes l SET epoch = nextval('epochs'), node = node_, ticket = ticket_, claimed_at = now_,
            ready_at = NULL, claims = crashes_ + 1, trials = trials_
            WHERE l.queue = queue_ AND l.lane = each.lane RETURNING l.epoch INTO epoch_;
        RETURN QUERY SELECT epoch_, crashes_, trials_, w.id, w.queue, w.lane, w.body, w.note, w.attempts,
            w.version, w.put_at
            FROM (SELECT h.*, bool_and(h.run_at <= now_) OVER (ORDER BY h.id) AS due FROM (
                SELECT * FROM items i WHERE i.queue = queue_ AND i.lane = each.lane AND i.state = 0
                ORDER BY i.id LIMIT 100) h) w WHERE w.due ORDER BY w.id;
        IF NOT FOUND THEN
            UPDATE lanes l SET claims = crashes_ WHERE l.queue = queue_ AND l.lane = each.lane;
            PERFORM lapse(queue_, each.lane);  -- a lapsed lane with nothing to do yet
        END IF;
    END LOOP;
END $$;
CREATE FUNCTION parley.clear_days(kind_ text, before_ double precision, most_ bigint) RETURNS bigint
    LANGUAGE plpgsql
    SET search_path TO 'parley'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS $$
DECLARE
    over_ int[] := ARRAY(SELECT d.day FROM days d WHERE d.kind = kind_ AND (d.day + 1) * 86400.0 <= before_);
    gone bigint;
BEGIN
    IF kind_ = 'items' THEN
        DELETE FROM ended_items e WHERE e.day = ANY (over_) AND e.id IN (SELECT o.id FROM ended_items o
            WHERE o.day = ANY (over_) LIMIT most_);
    ELSE
        DELETE FROM dated_names n WHERE n.day = ANY (over_)
            AND (n.queue, n.name, last_part_first(n.name) COLLATE "C") IN (
            SELECT o.queue, o.name, last_part_first(o.name) COLLATE "C" FROM dated_names o
            WHERE o.day = ANY (over_) LIMIT most_);
    END IF;
    GET DIAGNOSTICS gone = ROW_COUNT;
    RETURN gone;
END $$;
CREATE FUNCTION parley.day_of(at_ double precision) RETURNS integer
    LANGUAGE sql IMMUTABLE STRICT
    AS $$ SELECT floor(at_ / 86400)::int $$;
CREATE FUNCTION parley.dead_beside(item_ bigint) RETURNS TABLE(id bigint, queue text, lane text, body text, note text, attempts integer, version integer, put_at double precision, ended_at double precision)
    LANGUAGE plpgsql
    SET search_path TO 'parley'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    SET enable_sort TO 'off'
    SET enable_bitmapscan TO 'off'
    AS $$
#variable_conflict use_column
DECLARE one record;
BEGIN
    SELECT i.queue, i.lane, i.ended_at INTO one FROM items i WHERE i.id = item_ AND i.state = 2;
    RETURN QUERY SELECT i.id, i.queue, i.lane, i.body,
        CASE i.note WHEN '' THEN i.reason ELSE i.note || chr(10) || i.reason END, i.attempts, i.version,
        i.put_at, i.ended_at FROM items i WHERE i.state = 2 AND i.ended_at <= one.ended_at
        AND i.ended_at >= one.ended_at AND i.queue = one.queue AND i.lane = one.lane
        ORDER BY i.ended_at DESC, i.id DESC;
END $$;
CREATE FUNCTION parley.dead_letters(most_ bigint) RETURNS TABLE(id bigint, queue text, lane text, body text, note text, attempts integer, version integer, put_at double precision)
    LANGUAGE plpgsql
    SET search_path TO 'parley'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    SET enable_sort TO 'off'
    SET enable_bitmapscan TO 'off'
    AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY SELECT i.id, i.queue, i.lane, i.body,
        CASE i.note WHEN '' THEN i.reason ELSE i.note || chr(10) || i.reason END, i.attempts, i.version,
        i.put_at FROM items i WHERE i.state = 2 AND i.ended_at IS NOT NULL
        ORDER BY i.ended_at DESC, i.id DESC LIMIT most_;
END $$;
CREATE FUNCTION parley.dead_page(most_ bigint, at_ double precision, item_ bigint) RETURNS TABLE(id bigint, queue text, lane text, body text, note text, attempts integer, version integer, put_at double precision, ended_at double precision)
    LANGUAGE plpgsql
    SET search_path TO 'parley'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    SET enable_sort TO 'off'
    SET enable_bitmapscan TO 'off'
    AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY SELECT i.id, i.queue, i.lane, i.body,
        CASE i.note WHEN '' THEN i.reason ELSE i.note || chr(10) || i.reason END, i.attempts, i.version,
        i.put_at, i.ended_at FROM items i WHERE i.state = 2 AND i.ended_at <= at_
        AND (i.ended_at < at_ OR i.id < item_) ORDER BY i.ended_at DESC, i.id DESC LIMIT most_;
END $$;
CREATE FUNCTION parley.document_page(prefix_ text, last_ text, after_ text, most_ bigint) RETURNS TABLE(key text, body text, version bigint)
    LANGUAGE plpgsql
    SET search_path TO 'parley'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    SET enable_sort TO 'off'
    SET enable_bitmapscan TO 'off'
    AS $$
#variable_conflict use_column
BEGIN
    IF after_ COLLATE "C" >= prefix_ COLLATE "C" THEN
        RETURN QUERY SELECT d.key, d.body, d.version FROM documents d WHERE d.key > after_ AND d.key < last_
            ORDER BY d.key LIMIT most_;
    ELSE
        RETURN QUERY SELECT d.key, d.body, d.version FROM documents d WHERE d.key >= prefix_
            AND d.key < last_ ORDER BY d.key LIMIT most_;
    END IF;
END $$;
CREATE FUNCTION parley.documents_about(subjects_ bigint[], prefix_ text, last_ text, after_ text, most_ bigint) RETURNS TABLE(key text, body text, version bigint)
    LANGUAGE plpgsql
    SET search_path TO 'parley'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    SET enable_sort TO 'off'
    SET enable_bitmapscan TO 'off'
    AS $$
#variable_conflict use_column
DECLARE
    keys_ text[] := '{}';
    first_ text := greatest(prefix_ COLLATE "C", after_ COLLATE "C");
BEGIN
    FOR place IN 1 .. coalesce(cardinality(subjects_), 0) LOOP
        keys_ := keys_ || ARRAY(SELECT s.key FROM document_subjects s WHERE s.subject = subjects_[place]
            AND s.key >= first_ AND s.key < last_ ORDER BY s.key LIMIT most_ + 1);
    END LOOP;
    RETURN QUERY SELECT d.key, d.body, d.version FROM documents d
        WHERE d.key = ANY (keys_) AND d.key > after_ ORDER BY d.key LIMIT most_;
END $$;
CREATE FUNCTION parley.documents_brought() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'parley'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS $$
BEGIN
    IF TG_OP = 'UPDATE' THEN
        DELETE FROM document_subjects s WHERE s.subject = ANY (OLD.subjects) AND s.key = OLD.key;
    END IF;
    INSERT INTO unindexed_documents VALUES (NEW.key) ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;
CREATE FUNCTION parley.documents_indexed() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'parley'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS $$
BEGIN
    IF TG_OP = 'UPDATE' THEN
        DELETE FROM document_subjects s WHERE s.subject = ANY (OLD.subjects) AND s.key = OLD.key;
        DELETE FROM unindexed_documents u WHERE u.key = NEW.key;
    END IF;
    INSERT INTO document_subjects SELECT unnest(NEW.subjects), NEW.key ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;
CREATE FUNCTION parley.documents_removed() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'parley'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS $$
BEGIN
    DELETE FROM document_subjects s WHERE s.subject = ANY (OLD.subjects) AND s.key = OLD.key;
    DELETE FROM unindexed_documents u WHERE u.key = OLD.key;
    RETURN NULL;
END $$;
CREATE FUNCTION parley.documents_until(hour_ bigint, key_ text, last_ bigint, prefix_ text, end_ text, most_ bigint) RETURNS TABLE(hour bigint, key text, body text, version bigint)
    LANGUAGE plpgsql
    SET search_path TO 'parley'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    SET enable_sort TO 'off'
    SET enable_bitmapscan TO 'off'
    AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY SELECT s.subject, d.key, d.body, d.version
        FROM document_subjects s JOIN documents d ON d.key = s.key
        WHERE (s.subject, s.key) > (hour_, key_) AND s.subject <= last_ AND s.key >= prefix_ AND s.key < end_
        ORDER BY s.subject, s.key LIMIT most_;
END $$;
CREATE FUNCTION parley.done(queue_ text, lane_ text, epoch_ bigint, node_ text, ids_ bigint[], versions_ integer[], note_ text, keys_ text[], texts_ text[], read_ bigint[], queues_ text[], lanes_ text[], bodies_ text[], names_ text[], delays_ double precision[], slots_ text[], max_waits_ double precision[], at_ double precision) RETURNS text
    LANGUAGE plpgsql
    SET search_path TO 'parley'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS $$
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
END $$;
CREATE FUNCTION parley.done_about(queue_ text, lane_ text, epoch_ bigint, node_ text, ids_ bigint[], versions_ integer[], note_ text, keys_ text[], texts_ text[], read_ bigint[], queues_ text[], lanes_ text[], bodies_ text[], names_ text[], delays_ double precision[], slots_ text[], max_waits_ double precision[], at_ double precision, tallies_ jsonb, abouts_ text[], documents_about_ text[]) RETURNS text
    LANGUAGE plpgsql
    SET search_path TO 'parley'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS $$
DECLARE made record;
BEGIN
    SELECT * INTO made FROM done_ready(queue_, lane_, epoch_, node_, ids_, versions_, note_, keys_, texts_,
        read_, queues_, lanes_, bodies_, names_, delays_, slots_, max_waits_, at_, tallies_, abouts_,
        documents_about_);
    PERFORM pg_notify(current_schema(), t.queue) FROM unnest(queue_ || queues_, made.due) AS t (queue, due)
        WHERE t.due IS NOT NULL;
    RETURN made.answer;
END $$;
CREATE FUNCTION parley.done_counted(queue_ text, lane_ text, epoch_ bigint, node_ text, ids_ bigint[], versions_ integer[], note_ text, keys_ text[], texts_ text[], read_ bigint[], queues_ text[], lanes_ text[], bodies_ text[], names_ text[], delays_ double precision[], slots_ text[], max_waits_ double precision[], at_ double precision, tallies_ jsonb) RETURNS text
    LANGUAGE plpgsql
    SET search_path TO 'parley'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS $$
DECLARE
    answer text := done(queue_, lane_, epoch_, node_, ids_, versions_, note_, keys_, texts_, read_,
        queues_, lanes_, bodies_, names_, delays_, slots_, max_waits_, at_);
BEGIN
    IF answer = 'ok' THEN
        PERFORM add_tallies(tallies_, node_);
    END IF;
    RETURN answer;
END $$;
CREATE FUNCTION parley.done_ready(queue_ text, lane_ text, epoch_ bigint, node_ text, ids_ bigint[], versions_ integer[], note_ text, keys_ text[], texts_ text[], read_ bigint[], queues_ text[], lanes_ text[], bodies_ text[], names_ text[], delays_ double precision[], slots_ text[], max_waits_ double precision[], at_ double precision, tallies_ jsonb, abouts_ text[], documents_about_ text[], OUT answer text, OUT due double precision[]) RETURNS record
    LANGUAGE plpgsql
    SET search_path TO 'parley'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS $$
DECLARE
    conflict text;
    made record;
    now_ float8 := moment(at_);
BEGIN
    answer := standing(queue_, lane_, epoch_, node_, ids_);
    due := '{}';
    IF answer <> 'ok' THEN
        RETURN;
    END IF;
    IF cardinality(keys_) > 0 THEN
        conflict := write_all_about(keys_, texts_, read_, documents_about_);
        IF conflict IS NOT NULL THEN
            answer := 'conflict ' || conflict;
            RETURN;
        END IF;
    END IF;
    PERFORM end_items(queue_, lane_, epoch_, node_, ids_, versions_, 1, note_, '', now_);
    IF cardinality(queues_) > 0 THEN
        SELECT * INTO made FROM put_ready(queues_, lanes_, bodies_, names_, delays_, slots_, max_waits_,
            abouts_, at_);
        due := made.due;
    END IF;
    IF tallies_ IS NOT NULL THEN
        PERFORM add_tallies(tallies_, node_);
    END IF;
    due := free_lane(queue_, lane_) - now_ || due;
END $$;
CREATE FUNCTION parley.drop_days(kind_ text, before_ double precision, most_ bigint) RETURNS bigint
    LANGUAGE plpgsql
    SET search_path TO 'parley'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    SET lock_timeout TO '200ms'
    AS $$
DECLARE
    each record;
    gone bigint := 0;
BEGIN
    FOR each IN SELECT d.day FROM days d WHERE d.kind = kind_ AND (d.day + 1) * 86400.0 <= before_
        FOR UPDATE SKIP LOCKED
    LOOP
        IF kind_ = 'items' THEN
            gone := gone + drop_partition('ended_items', each.day);
            PERFORM drop_partition('ended_subjects', each.day);
        ELSE
            gone := gone + drop_partition('dated_names', each.day);
        END IF;
        DELETE FROM days d WHERE d.kind = kind_ AND d.day = each.day;
    END LOOP;
    RETURN gone;
EXCEPTION
    WHEN lock_not_available THEN
        RETURN 0;
    WHEN insufficient_privilege THEN
        RETURN clear_days(kind_, before_, most_);
END $$;
CREATE FUNCTION parley.drop_lease(name_ text, node_ text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'parley'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS $$
BEGIN
    DELETE FROM leases WHERE name = name_ AND node = node_;
    IF FOUND THEN
        PERFORM pg_notify(current_schema(), 'lease/' || name_);
    END IF;
END $$;
CREATE FUNCTION parley.drop_partition(parent_ text, day_ integer) RETURNS bigint
    LANGUAGE plpgsql
    AS $$
DECLARE
    name_ text := parent_ || '_' || day_;
    rows_ bigint := (SELECT c.reltuples FROM pg_class c WHERE c.oid = name_::regclass);
BEGIN
    IF rows_ < 0 THEN  -- so young or small that nobody has looked
        EXECUTE format('SELECT count(*) FROM %I', name_) INTO rows_;
    END IF;
    EXECUTE format('DROP TABLE %I', name_);
    RETURN rows_;
END $$;
CREATE FUNCTION parley.end_items(queue_ text, lane_ text, epoch_ bigint, node_ text, ids_ bigint[], versions_ integer[], state_ integer, note_ text, reason_ text, now_ double precision) RETURNS void
    LANGUAGE plpgsql
    AS $$
DECLARE
    day_ int := day_of(now_);
    moved bigint := 0;
BEGIN
    IF state_ = 1 AND EXISTS (SELECT 1 FROM days d WHERE d.kind = 'items' AND d.day = day_) THEN
        WITH gone AS (DELETE FROM items i USING unnest(ids_, versions_) AS t (i, v)
            WHERE i.id = t.i AND i.version = t.v AND i.state = 0 AND i.queue = queue_ AND i.lane = lane_
            AND i.subjects IS NOT NULL RETURNING i.*),
        kept AS (INSERT INTO ended_items (id, queue, lane, slot, attempts, version, put_at, first_at, run_at, body, subjects, progress, state, ended_at, note, reason, day)
            SELECT id, queue, lane, slot, attempts, version, put_at, first_at, run_at, body, subjects, progress, state_, now_, coalesce(note_, note), reason_, day_ FROM gone),
        found AS (INSERT INTO ended_subjects SELECT unnest(subjects), id, day_ FROM gone)
        SELECT count(*) INTO moved FROM gone;
    END IF;
    IF moved < cardinality(ids_) THEN
        UPDATE items SET state = state_, ended_at = now_, note = coalesce(note_, note), reason = reason_
            FROM unnest(ids_, versions_) AS t (i, v)
            WHERE id = t.i AND version = t.v AND state = 0 AND queue = queue_ AND lane = lane_;
    END IF;
END $$;
CREATE FUNCTION parley.end_of_page(after_ bigint, most_ bigint) RETURNS bigint
    LANGUAGE plpgsql
    SET search_path TO 'parley'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    SET enable_sort TO 'off'
    SET enable_bitmapscan TO 'off'
    AS $$
BEGIN
    RETURN (SELECT max(id) FROM (SELECT a.id FROM all_items a WHERE a.id > after_
        ORDER BY a.id LIMIT most_) AS slice);
END $$;
CREATE FUNCTION parley.ended_items_about(day_ integer, subjects_ bigint[], after_ bigint, most_ bigint) RETURNS bigint[]
    LANGUAGE plpgsql
    SET search_path TO 'parley'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    SET enable_sort TO 'off'
    SET enable_bitmapscan TO 'off'
    AS $$
DECLARE
    found_ bigint[] := '{}';
    here_ bigint[];
    range_ bigint := after_ >> 14;
BEGIN
    WHILE range_ IS NOT NULL AND cardinality(found_) < most_ LOOP
        WITH RECURSIVE block (range, place) AS (
            SELECT range_, 0
            UNION ALL
            SELECT (SELECT (s.id >> 14) FROM ended_subjects s WHERE s.day = day_ AND (s.id >> 14) > r.range ORDER BY (s.id >> 14) LIMIT 1), r.place + 1
                FROM block r WHERE r.range IS NOT NULL AND r.place < 64)
        SELECT ARRAY(SELECT DISTINCT f.id FROM block b CROSS JOIN unnest(subjects_) AS t (subject)
            CROSS JOIN LATERAL (SELECT s.id FROM ended_subjects s WHERE s.day = day_ AND (s.id >> 14) = b.range
                AND s.subject = t.subject AND s.id > after_ ORDER BY s.id LIMIT most_) f
            WHERE b.place < 64 ORDER BY f.id LIMIT most_ - cardinality(found_)),
            (SELECT b.range FROM block b WHERE b.place = 64)
            INTO here_, range_;
        found_ := found_ || here_;
    END LOOP;
    RETURN found_;
END $$;
CREATE FUNCTION parley.ended_removed() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'parley'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS $$
BEGIN
    DELETE FROM ended_subjects s WHERE s.day = OLD.day AND s.subject = ANY (OLD.subjects) AND s.id = OLD.id AND (s.id >> 14) = (OLD.id >> 14);
    RETURN NULL;
END $$;
CREATE FUNCTION parley.feedback_page(at_ double precision, key_ text, since_ double precision, most_ bigint) RETURNS TABLE(at double precision, key text, body text, version bigint)
    LANGUAGE plpgsql
    SET search_path TO 'parley'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    SET enable_sort TO 'off'
    SET enable_bitmapscan TO 'off'
    AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY SELECT t.at, d.key, d.body, d.version FROM feedback_times t JOIN documents d ON d.key = t.key
        WHERE (t.at, t.key) < (at_, key_) AND t.at >= since_ ORDER BY t.at DESC, t.key DESC LIMIT most_;
END $$;
CREATE FUNCTION parley.feedback_time(body_ text) RETURNS double precision
    LANGUAGE plpgsql IMMUTABLE
    AS $$
BEGIN
    RETURN (body_::jsonb ->> 'at')::float8;
EXCEPTION WHEN data_exception THEN
    RETURN NULL;
END $$;
CREATE FUNCTION parley.free_lane(queue_ text, lane_ text) RETURNS double precision
    LANGUAGE plpgsql
    AS $$
DECLARE head float8 := (SELECT run_at FROM items WHERE items.queue = queue_ AND items.lane = lane_ AND state = 0
    ORDER BY id LIMIT 1);
BEGIN
    UPDATE lanes SET node = NULL, ready_at = head, claims = 0, trials = 0
        WHERE lanes.queue = queue_ AND lanes.lane = lane_;
    RETURN head;
END $$;
CREATE FUNCTION parley.free_node(node_ text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'parley'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS $$
DECLARE each record;
BEGIN
    FOR each IN SELECT queue, lane FROM lanes WHERE node = node_ ORDER BY queue, lane FOR UPDATE LOOP
        PERFORM rearm(each.queue, each.lane);
    END LOOP;
    FOR each IN SELECT name FROM leases WHERE node = node_ ORDER BY name FOR UPDATE LOOP
        PERFORM drop_lease(each.name, node_);
    END LOOP;
    DELETE FROM nodes WHERE name = node_;
    PERFORM pg_notify(current_schema(), 'nodes');
END $$;
CREATE FUNCTION parley.has_hour(subjects_ bigint[]) RETURNS boolean
    LANGUAGE sql IMMUTABLE
    AS $$ SELECT EXISTS (SELECT 1 FROM unnest(subjects_) s WHERE s BETWEEN 0 AND 9999999) $$;
CREATE FUNCTION parley.held(queue_ text, lane_ text, epoch_ bigint, node_ text) RETURNS boolean
    LANGUAGE plpgsql
    AS $$
DECLARE now record;
BEGIN
    SELECT epoch, node INTO now FROM lanes WHERE lanes.queue = queue_ AND lanes.lane = lane_ FOR UPDATE;
    RETURN FOUND AND now.epoch = epoch_ AND coalesce(now.node = node_, false);
END $$;
CREATE FUNCTION parley.hold(queues_ text[], lanes_ text[], made_ boolean[]) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'parley'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS $$
BEGIN
    INSERT INTO lanes (queue, lane)
        SELECT q, l FROM unnest(queues_, lanes_, made_) AS t (q, l, made) WHERE made ORDER BY q, l
        ON CONFLICT DO NOTHING;
    PERFORM 1 FROM lanes WHERE (lanes.queue, lanes.lane) IN (SELECT * FROM unnest(queues_, lanes_))
        ORDER BY lanes.queue, lanes.lane FOR UPDATE;
END $$;
CREATE FUNCTION parley.insert_name(day_ integer, queue_ text, name_ text, at_ double precision, bucket_ smallint) RETURNS boolean
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF EXISTS (SELECT 1 FROM days d WHERE d.kind = 'names' AND d.day = day_) THEN
        INSERT INTO dated_names (queue, name, put_at, bucket, day) VALUES (queue_, name_, at_, bucket_, day_)
            ON CONFLICT DO NOTHING;
    ELSE
        INSERT INTO names (queue, name, put_at, bucket) VALUES (queue_, name_, at_, bucket_)
            ON CONFLICT DO NOTHING;
    END IF;
    RETURN FOUND;
END $$;
CREATE FUNCTION parley.is_index_whole() RETURNS boolean
    LANGUAGE sql
    SET search_path TO 'parley'
    AS $$
    SELECT NOT EXISTS (SELECT 1 FROM index_walks) AND NOT EXISTS (SELECT 1 FROM unindexed_items)
        AND NOT EXISTS (SELECT 1 FROM unindexed_documents) $$;
CREATE FUNCTION parley.items_about(subjects_ bigint[], after_ bigint, most_ bigint) RETURNS bigint[]
    LANGUAGE plpgsql
    SET search_path TO 'parley'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    SET enable_sort TO 'off'
    SET enable_bitmapscan TO 'off'
    AS $$
DECLARE
    found_ bigint[] := open_items_about(subjects_, after_, most_);
    day_ int;
BEGIN
    FOR day_ IN SELECT d.day FROM days d WHERE d.kind = 'items' LOOP
        found_ := found_ || ended_items_about(day_, subjects_, after_, most_);
    END LOOP;
    RETURN ARRAY(SELECT DISTINCT id FROM unnest(found_) AS f (id) ORDER BY id LIMIT most_);
END $$;
CREATE FUNCTION parley.items_brought() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'parley'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS $$
BEGIN
    IF TG_OP = 'UPDATE' THEN
        DELETE FROM item_subjects s WHERE s.subject = ANY (OLD.subjects) AND s.id = OLD.id AND (s.id >> 14) = (OLD.id >> 14);
    END IF;
    INSERT INTO unindexed_items VALUES (NEW.id) ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;
CREATE FUNCTION parley.items_indexed() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'parley'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS $$
BEGIN
    IF TG_OP = 'UPDATE' THEN
        DELETE FROM item_subjects s WHERE s.subject = ANY (OLD.subjects) AND s.id = OLD.id AND (s.id >> 14) = (OLD.id >> 14);
        DELETE FROM unindexed_items u WHERE OLD.subjects IS NULL AND u.id = NEW.id;
    END IF;
    INSERT INTO item_subjects SELECT unnest(NEW.subjects), NEW.id ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;
CREATE FUNCTION parley.items_removed() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'parley'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS $$
BEGIN
    DELETE FROM item_subjects s WHERE s.subject = ANY (OLD.subjects) AND s.id = OLD.id AND (s.id >> 14) = (OLD.id >> 14);
    DELETE FROM unindexed_items u WHERE OLD.subjects IS NULL AND u.id = OLD.id;
    RETURN NULL;
END $$;
CREATE FUNCTION parley.keep_feedback_time() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'parley'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS $$
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
END $$;
CREATE FUNCTION parley.lapse(queue_ text, lane_ text) RETURNS void
    LANGUAGE plpgsql
    AS $$
DECLARE head float8 := (SELECT run_at FROM items WHERE items.queue = queue_ AND items.lane = lane_ AND state = 0
    ORDER BY id LIMIT 1);
BEGIN
    UPDATE lanes SET node = NULL, ready_at = head WHERE lanes.queue = queue_ AND lanes.lane = lane_;
    IF head IS NOT NULL THEN
        PERFORM pg_notify(current_schema(), queue_);
    END IF;
END $$;
CREATE FUNCTION parley.last_part_first(name_ text) RETURNS text
    LANGUAGE sql IMMUTABLE
    AS $$ SELECT reverse(split_part(reverse(name_), ':', 1)) || ':'
        || left(name_, length(name_) - length(split_part(reverse(name_), ':', 1))) $$;
CREATE FUNCTION parley.make_day(kind_ text, day_ integer) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'parley'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS $$
BEGIN
    INSERT INTO days VALUES (kind_, day_) ON CONFLICT DO NOTHING;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    IF kind_ = 'items' THEN
        PERFORM make_partition('ended_items', day_, 'id');
        PERFORM make_partition('ended_subjects', day_, '(id >> 14), subject, id');
    ELSE
        PERFORM make_partition('dated_names', day_, 'queue, last_part_first(name) COLLATE "C"');
    END IF;
END $$;
CREATE FUNCTION parley.make_days(kind_ text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'parley'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS $$
BEGIN
    FOR ahead IN 1 .. 2 LOOP
        PERFORM make_day(kind_, day_of(moment(NULL)) + ahead);
    END LOOP;
EXCEPTION WHEN insufficient_privilege THEN
    RETURN;  -- of a user who may not make tables: the rows stay where they are
END $$;
CREATE FUNCTION parley.make_partition(parent_ text, day_ integer, index_ text) RETURNS void
    LANGUAGE plpgsql
    AS $$
DECLARE name_ text := parent_ || '_' || day_;
BEGIN
    EXECUTE format('CREATE TABLE %I (LIKE %I)', name_, parent_);
    EXECUTE format('CREATE UNIQUE INDEX ON %I (%s)', name_, index_);
    EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES IN (%s)', parent_, name_, day_);
END $$;
CREATE FUNCTION parley.moment(at_ double precision) RETURNS double precision
    LANGUAGE sql
    AS $$ SELECT coalesce(at_, extract(epoch FROM clock_timestamp())::float8) $$;
CREATE FUNCTION parley.newest_items(before_ bigint, most_ bigint) RETURNS TABLE(id bigint, queue text, lane text)
    LANGUAGE plpgsql
    SET search_path TO 'parley'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    SET enable_sort TO 'off'
    SET enable_bitmapscan TO 'off'
    AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY SELECT a.id, a.queue, a.lane FROM all_items a WHERE a.id < before_
        ORDER BY a.id DESC LIMIT most_;
END $$;
CREATE FUNCTION parley.next_ready(queue_ text, at_ double precision) RETURNS double precision
    LANGUAGE plpgsql
    SET search_path TO 'parley'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    SET enable_sort TO 'off'
    SET enable_bitmapscan TO 'off'
    AS $$
DECLARE
    due float8;
    each record;
BEGIN
    SELECT l.ready_at INTO due FROM lanes l WHERE l.queue = queue_ AND l.ready_at IS NOT NULL
        ORDER BY l.ready_at LIMIT 1;
    FOR each IN SELECT name, until FROM nodes WHERE due IS NULL OR until < due LOOP
        PERFORM 1 FROM lanes l WHERE l.node = each.name AND l.queue = queue_ AND l.ready_at IS NULL LIMIT 1;
        IF FOUND THEN
            due := least(due, each.until);
        END IF;
    END LOOP;
    RETURN due - moment(at_);
END $$;
CREATE FUNCTION parley.note(queue_ text, lane_ text, epoch_ bigint, node_ text, item_ bigint, version_ integer, note_ text) RETURNS text
    LANGUAGE plpgsql
    SET search_path TO 'parley'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS $$
BEGIN
    IF NOT held(queue_, lane_, epoch_, node_) THEN
        RETURN 'lost';
    END IF;
    UPDATE items SET note = note_, progress = CASE note WHEN note_ THEN progress ELSE epoch_ END
        WHERE id = item_ AND queue = queue_ AND lane = lane_ AND state = 0
        AND version = coalesce(version_, version);
    IF FOUND OR EXISTS (SELECT 1 FROM items WHERE queue = queue_ AND lane = lane_ AND id = item_ AND state = 0
    ) THEN
        RETURN 'ok';
    END IF;
    PERFORM rearm(queue_, lane_);
    RETURN 'gone';
END $$;
CREATE FUNCTION parley.note_name(queue_ text, name_ text, at_ double precision, bucket_ smallint) RETURNS boolean
    LANGUAGE plpgsql
    AS $$
DECLARE day_ int := day_of(at_);
BEGIN
    IF (EXISTS (SELECT 1 FROM names n WHERE n.queue = queue_ AND n.name = name_)
        OR EXISTS (SELECT 1 FROM dated_names n WHERE n.queue = queue_ AND n.name = name_
        AND last_part_first(n.name) COLLATE "C" = last_part_first(name_) COLLATE "C")) THEN
        RETURN false;
    END IF;
    IF day_of(at_ - 60) < day_
        AND EXISTS (SELECT 1 FROM days d WHERE d.kind = 'names' AND d.day IN (day_ - 1, day_))
    THEN
        IF NOT insert_name(day_ - 1, queue_, name_, at_, bucket_) THEN
            RETURN false;
        END IF;
    END IF;
    RETURN insert_name(day_, queue_, name_, at_, bucket_);
END $$;
CREATE FUNCTION parley.open_items_about(subjects_ bigint[], after_ bigint, most_ bigint) RETURNS bigint[]
    LANGUAGE plpgsql
    SET search_path TO 'parley'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    SET enable_sort TO 'off'
    SET enable_bitmapscan TO 'off'
    AS $$
DECLARE
    found_ bigint[] := '{}';
    here_ bigint[];
    range_ bigint := after_ >> 14;
BEGIN
    WHILE range_ IS NOT NULL AND cardinality(found_) < most_ LOOP
        WITH RECURSIVE block (range, place) AS (
            SELECT range_, 0
            UNION ALL
            SELECT (SELECT (s.id >> 14) FROM item_subjects s WHERE (s.id >> 14) > r.range ORDER BY (s.id >> 14) LIMIT 1), r.place + 1
                FROM block r WHERE r.range IS NOT NULL AND r.place < 64)
        SELECT ARRAY(SELECT DISTINCT f.id FROM block b CROSS JOIN unnest(subjects_) AS t (subject)
            CROSS JOIN LATERAL (SELECT s.id FROM item_subjects s WHERE (s.id >> 14) = b.range
                AND s.subject = t.subject AND s.id > after_ ORDER BY s.id LIMIT most_) f
            WHERE b.place < 64 ORDER BY f.id LIMIT most_ - cardinality(found_)),
            (SELECT b.range FROM block b WHERE b.place = 64)
            INTO here_, range_;
        found_ := found_ || here_;
    END LOOP;
    RETURN found_;
END $$;
CREATE FUNCTION parley.prune_lanes(queue_ text, lane_ text, most_ bigint, OUT gone bigint, OUT last_queue text, OUT last_lane text) RETURNS record
    LANGUAGE plpgsql
    SET search_path TO 'parley'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    SET enable_sort TO 'off'
    SET enable_bitmapscan TO 'off'
    AS $$
DECLARE each record;
BEGIN
    gone := 0;
    FOR each IN SELECT l.queue, l.lane, l.ready_at IS NULL AND l.node IS NULL AS empty FROM lanes l
        WHERE (l.queue, l.lane) > (queue_, lane_) ORDER BY l.queue, l.lane LIMIT most_
    LOOP
        last_queue := each.queue;
        last_lane := each.lane;
        IF each.empty THEN
            DELETE FROM lanes l WHERE l.queue = each.queue AND l.lane = each.lane
                AND l.ready_at IS NULL AND l.node IS NULL;
            IF FOUND THEN
                gone := gone + 1;
            END IF;
        END IF;
    END LOOP;
END $$;
CREATE FUNCTION parley.put(queues_ text[], lanes_ text[], bodies_ text[], names_ text[], delays_ double precision[], slots_ text[], max_waits_ double precision[], at_ double precision) RETURNS bigint[]
    LANGUAGE plpgsql
    SET search_path TO 'parley'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS $$
BEGIN
    RETURN put_about(queues_, lanes_, bodies_, names_, delays_, slots_, max_waits_,
        array_fill(NULL::text, ARRAY[cardinality(queues_)]), at_);
END $$;
CREATE FUNCTION parley.put_about(queues_ text[], lanes_ text[], bodies_ text[], names_ text[], delays_ double precision[], slots_ text[], max_waits_ double precision[], abouts_ text[], at_ double precision) RETURNS bigint[]
    LANGUAGE plpgsql
    SET search_path TO 'parley'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS $$
DECLARE made record;
BEGIN
    SELECT * INTO made FROM put_ready(queues_, lanes_, bodies_, names_, delays_, slots_, max_waits_, abouts_,
        at_);
    PERFORM pg_notify(current_schema(), t.queue) FROM unnest(queues_, made.due) AS t (queue, due)
        WHERE t.due IS NOT NULL;
    RETURN made.ids;
END $$;
CREATE FUNCTION parley.put_ready(queues_ text[], lanes_ text[], bodies_ text[], names_ text[], delays_ double precision[], slots_ text[], max_waits_ double precision[], abouts_ text[], at_ double precision, OUT ids bigint[], OUT due double precision[]) RETURNS record
    LANGUAGE plpgsql
    SET search_path TO 'parley'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS $$
DECLARE
    now_ float8 := moment(at_);
    each record;
    ready float8;
    is_known boolean;
    item bigint;
BEGIN
    ids := '{}';
    due := '{}';
    FOR each IN SELECT * FROM unnest(queues_, lanes_, bodies_, names_, delays_, slots_, max_waits_, abouts_)
        WITH ORDINALITY AS t (queue, lane, body, name, delay, slot, max_wait, about, n) ORDER BY n
    LOOP
        item := NULL;
        IF each.name <> '' THEN
            IF NOT note_name(each.queue, each.name, now_, bucket_of(each.lane)) THEN
                ids := ids || item;
                due := due || NULL::float8;
                CONTINUE;
            END IF;
        END IF;
        ready := now_ + greatest(each.delay, 0);
        IF each.max_wait > 0 THEN
            ready := least(ready, now_ + each.max_wait);
        END IF;
        INSERT INTO lanes AS l (queue, lane, ready_at) VALUES (each.queue, each.lane, ready)
            ON CONFLICT (queue, lane) DO UPDATE SET ready_at = excluded.ready_at
            WHERE l.ready_at IS NULL AND l.node IS NULL;
        is_known := FOUND AND each.slot = '';
        IF each.slot <> '' THEN
            item := replace_slot(each.queue, each.lane, each.slot, each.body, each.delay, each.max_wait,
                now_);
        END IF;
        IF item IS NULL THEN
            INSERT INTO items (queue, lane, slot, body, put_at, first_at, run_at, subjects)
                VALUES (each.queue, each.lane, each.slot, each.body, now_, now_, ready, each.about::bigint[])
                RETURNING id INTO item;
        ELSE
            UPDATE items SET subjects = each.about::bigint[]
                WHERE id = item AND subjects IS DISTINCT FROM each.about::bigint[];
        END IF;
        IF NOT is_known THEN
            SELECT l.ready_at INTO ready FROM lanes l WHERE l.queue = each.queue AND l.lane = each.lane;
        END IF;
        ids := ids || item;
        due := due || ready - now_;
    END LOOP;
END $$;
CREATE FUNCTION parley.rearm(queue_ text, lane_ text) RETURNS void
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF free_lane(queue_, lane_) IS NOT NULL THEN
        PERFORM pg_notify(current_schema(), queue_);
    END IF;
END $$;
CREATE FUNCTION parley.refresh(queue_ text, lane_ text) RETURNS void
    LANGUAGE plpgsql
    AS $$
BEGIN
    UPDATE lanes SET ready_at = (SELECT run_at FROM items WHERE items.queue = queue_ AND items.lane = lane_ AND state = 0
    ORDER BY id LIMIT 1) WHERE lanes.queue = queue_ AND lanes.lane = lane_ AND node IS NULL;
END $$;
CREATE FUNCTION parley.release(queue_ text, lane_ text, epoch_ bigint, node_ text) RETURNS text
    LANGUAGE plpgsql
    SET search_path TO 'parley'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS $$
BEGIN
    IF NOT held(queue_, lane_, epoch_, node_) THEN
        RETURN 'lost';
    END IF;
    PERFORM rearm(queue_, lane_);
    RETURN 'ok';
END $$;
CREATE FUNCTION parley.renew_node(name_ text, seconds_ double precision, report_ text, channel_ text, at_ double precision, OUT told double precision, OUT holding bigint, OUT channels text[], OUT lanes_of bigint[]) RETURNS record
    LANGUAGE plpgsql
    SET search_path TO 'parley'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    SET enable_sort TO 'off'
    SET enable_bitmapscan TO 'off'
    AS $$
DECLARE
    now_ float8 := moment(at_);
    before text := (SELECT n.channel FROM nodes n WHERE n.name = name_);
BEGIN
    IF before IS DISTINCT FROM channel_ THEN
        PERFORM pg_notify(current_schema(), 'nodes');
    END IF;
    SELECT count(*) INTO holding FROM lanes l WHERE l.node = name_ AND l.ready_at IS NULL;
    INSERT INTO nodes AS n (name, until, report, channel, held)
        VALUES (name_, now_ + seconds_, report_, channel_, holding)
        ON CONFLICT (name) DO UPDATE SET until = greatest(n.until, excluded.until),
        report = excluded.report, channel = excluded.channel, held = excluded.held;
    SELECT coalesce(array_agg(coalesce(nullif(n.channel, ''), current_schema())), '{}'),
        coalesce(array_agg(n.held), '{}')
        INTO channels, lanes_of FROM nodes n WHERE n.name <> name_ AND n.until > now_ + seconds_ / 2;
    told := moment(NULL);
END $$;
CREATE FUNCTION parley.replace_slot(queue_ text, lane_ text, slot_ text, body_ text, delay_ double precision, max_wait_ double precision, now_ double precision) RETURNS bigint
    LANGUAGE plpgsql
    AS $$
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
END $$;
CREATE FUNCTION parley.retry(queue_ text, lane_ text, epoch_ bigint, node_ text, head_ bigint, delay_ double precision, at_ double precision) RETURNS text
    LANGUAGE plpgsql
    SET search_path TO 'parley'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS $$
BEGIN
    IF NOT held(queue_, lane_, epoch_, node_) THEN
        RETURN 'lost';
    END IF;
    UPDATE items SET attempts = attempts + 1, run_at = greatest(run_at, moment(at_) + greatest(delay_, 0))
        WHERE id = head_ AND queue = queue_ AND lane = lane_ AND state = 0;
    PERFORM rearm(queue_, lane_);
    RETURN 'ok';
END $$;
CREATE FUNCTION parley.retry_ready(queue_ text, lane_ text, epoch_ bigint, node_ text, head_ bigint, delay_ double precision, at_ double precision, OUT answer text, OUT due double precision[]) RETURNS record
    LANGUAGE plpgsql
    SET search_path TO 'parley'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS $$
DECLARE now_ float8 := moment(at_);
BEGIN
    answer := 'lost';
    due := '{}';
    IF held(queue_, lane_, epoch_, node_) THEN
        UPDATE items SET attempts = attempts + 1, run_at = greatest(run_at, now_ + greatest(delay_, 0))
            WHERE id = head_ AND queue = queue_ AND lane = lane_ AND state = 0;
        answer := 'ok';
        due := ARRAY[free_lane(queue_, lane_) - now_];
    END IF;
END $$;
CREATE FUNCTION parley.revive(item_ bigint, at_ double precision) RETURNS boolean
    LANGUAGE plpgsql
    SET search_path TO 'parley'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS $$
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
END $$;
CREATE FUNCTION parley.set_trials(queue_ text, lane_ text, epoch_ bigint, node_ text, trials_ integer) RETURNS text
    LANGUAGE plpgsql
    SET search_path TO 'parley'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS $$
BEGIN
    IF NOT held(queue_, lane_, epoch_, node_) THEN
        RETURN 'lost';
    END IF;
    UPDATE lanes SET trials = trials_ WHERE lanes.queue = queue_ AND lanes.lane = lane_;
    RETURN 'ok';
END $$;
CREATE FUNCTION parley.standing(queue_ text, lane_ text, epoch_ bigint, node_ text, ids_ bigint[]) RETURNS text
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF NOT held(queue_, lane_, epoch_, node_) THEN
        RETURN 'lost';
    END IF;
    -- Queue and lane besides the ids, or a plan from young days looks through all that waits.
    IF cardinality(ids_) = 0 OR EXISTS (SELECT 1 FROM items WHERE items.queue = queue_ AND items.lane = lane_
        AND id = ANY (ids_) AND state = 0)
    THEN
        RETURN 'ok';
    END IF;
    PERFORM rearm(queue_, lane_);
    RETURN 'gone';
END $$;
CREATE FUNCTION parley.take_lease(name_ text, node_ text, seconds_ double precision, at_ double precision, OUT holder text, OUT remaining double precision) RETURNS record
    LANGUAGE plpgsql
    SET search_path TO 'parley'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS $$
DECLARE now_ float8 := moment(at_);
BEGIN
    INSERT INTO leases AS l VALUES (name_, node_, now_ + seconds_)
        ON CONFLICT (name) DO UPDATE SET node = excluded.node, until = excluded.until
        WHERE l.node = excluded.node OR l.until <= now_;
    SELECT l.node, l.until - now_ INTO holder, remaining FROM leases l WHERE l.name = name_;
END $$;
CREATE FUNCTION parley.tally(tallies_ jsonb, once_ text, node_ text, at_ double precision) RETURNS boolean
    LANGUAGE plpgsql
    SET search_path TO 'parley'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS $$
BEGIN
    IF once_ <> '' AND (EXISTS (SELECT 1 FROM names n WHERE n.queue = 'tallies' AND n.name = once_)
        OR EXISTS (SELECT 1 FROM dated_names n WHERE n.queue = 'tallies' AND n.name = once_
        AND last_part_first(n.name) COLLATE "C" = last_part_first(once_) COLLATE "C")) THEN
        RETURN true;
    END IF;
    IF EXISTS (SELECT 1 FROM jsonb_to_recordset(tallies_) AS j (name text, until float8,
    turns bigint, metered bigint, input bigint, output bigint, unpriced bigint, cost bigint, most bigint) WHERE j.most > 0 AND j.most < j.turns +
        (SELECT coalesce(sum(t.turns), 0) FROM tallies t WHERE t.name = j.name))
    THEN
        RETURN false;
    END IF;
    IF once_ <> '' THEN
        IF NOT note_name('tallies', once_, moment(at_), NULL) THEN
            RETURN true;  -- another node was faster just now
        END IF;
    END IF;
    PERFORM add_tallies(tallies_, node_);
    RETURN true;
END $$;
CREATE FUNCTION parley.uncount(prefixes_ text[], highest_ text) RETURNS bigint
    LANGUAGE plpgsql
    SET search_path TO 'parley'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    SET enable_sort TO 'off'
    SET enable_bitmapscan TO 'off'
    AS $$
DECLARE
    prefix_ text;
    removed bigint := 0;
BEGIN
    FOREACH prefix_ IN ARRAY prefixes_ LOOP
        WITH gone AS (DELETE FROM tallies t WHERE t.name >= prefix_ AND t.name < prefix_ || highest_
            RETURNING t.name)
        SELECT removed + count(DISTINCT gone.name) INTO removed FROM gone;
    END LOOP;
    RETURN removed;
END $$;
CREATE FUNCTION parley.unsettle() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    NEW.subjects := NULL;
    RETURN NEW;
END $$;
CREATE FUNCTION parley.withdraw(queue_ text, lane_ text, item_ bigint, at_ double precision) RETURNS boolean
    LANGUAGE plpgsql
    SET search_path TO 'parley'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS $$
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
END $$;
CREATE FUNCTION parley.write(key_ text, body_ text, read_ bigint) RETURNS bigint
    LANGUAGE plpgsql
    SET search_path TO 'parley'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS $$
BEGIN
    RETURN write_about(key_, body_, read_, NULL);
END $$;
CREATE FUNCTION parley.write_about(key_ text, body_ text, read_ bigint, about_ text) RETURNS bigint
    LANGUAGE plpgsql
    SET search_path TO 'parley'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS $$
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
END $$;
CREATE FUNCTION parley.write_all(keys_ text[], texts_ text[], read_ bigint[]) RETURNS text
    LANGUAGE plpgsql
    AS $$
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
END $$;
CREATE FUNCTION parley.write_all_about(keys_ text[], texts_ text[], read_ bigint[], abouts_ text[]) RETURNS text
    LANGUAGE plpgsql
    AS $$
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
END $$;
CREATE TABLE parley.ended_items (
    id bigint NOT NULL,
    queue text NOT NULL COLLATE pg_catalog."C",
    lane text NOT NULL COLLATE pg_catalog."C",
    slot text NOT NULL COLLATE pg_catalog."C",
    state integer NOT NULL,
    attempts integer NOT NULL,
    version integer NOT NULL,
    put_at double precision NOT NULL,
    first_at double precision NOT NULL,
    run_at double precision NOT NULL,
    ended_at double precision,
    body text NOT NULL,
    note text NOT NULL,
    reason text NOT NULL,
    progress bigint NOT NULL,
    subjects bigint[],
    day integer NOT NULL
)
PARTITION BY LIST (day);
CREATE TABLE parley.items (
    id bigint NOT NULL,
    queue text NOT NULL COLLATE pg_catalog."C",
    lane text NOT NULL COLLATE pg_catalog."C",
    slot text NOT NULL COLLATE pg_catalog."C",
    state integer DEFAULT 0 NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    put_at double precision NOT NULL,
    first_at double precision NOT NULL,
    run_at double precision NOT NULL,
    ended_at double precision,
    body text NOT NULL,
    note text DEFAULT ''::text NOT NULL,
    reason text DEFAULT ''::text NOT NULL,
    progress bigint DEFAULT 0 NOT NULL,
    subjects bigint[]
)
WITH (fillfactor='50', autovacuum_vacuum_scale_factor='0.02', autovacuum_vacuum_threshold='2000', autovacuum_analyze_scale_factor='0.02');
CREATE VIEW parley.all_items AS
 SELECT items.id,
    items.queue,
    items.lane,
    items.slot,
    items.state,
    items.attempts,
    items.version,
    items.put_at,
    items.first_at,
    items.run_at,
    items.ended_at,
    items.body,
    items.note,
    items.reason,
    items.subjects
   FROM parley.items
UNION ALL
 SELECT ended_items.id,
    ended_items.queue,
    ended_items.lane,
    ended_items.slot,
    ended_items.state,
    ended_items.attempts,
    ended_items.version,
    ended_items.put_at,
    ended_items.first_at,
    ended_items.run_at,
    ended_items.ended_at,
    ended_items.body,
    ended_items.note,
    ended_items.reason,
    ended_items.subjects
   FROM parley.ended_items;
CREATE TABLE parley.dated_names (
    queue text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    put_at double precision NOT NULL,
    bucket smallint,
    day integer NOT NULL
)
PARTITION BY LIST (day);
CREATE TABLE parley.names (
    queue text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    put_at double precision NOT NULL,
    bucket smallint
);
CREATE VIEW parley.all_names AS
 SELECT names.queue,
    names.name,
    names.put_at,
    names.bucket
   FROM parley.names
UNION
 SELECT dated_names.queue,
    dated_names.name,
    dated_names.put_at,
    dated_names.bucket
   FROM parley.dated_names;
CREATE TABLE parley.dated_names_20787 (
    queue text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    put_at double precision NOT NULL,
    bucket smallint,
    day integer NOT NULL
);
CREATE TABLE parley.dated_names_20788 (
    queue text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    put_at double precision NOT NULL,
    bucket smallint,
    day integer NOT NULL
);
CREATE TABLE parley.dated_names_20789 (
    queue text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    put_at double precision NOT NULL,
    bucket smallint,
    day integer NOT NULL
);
CREATE TABLE parley.days (
    kind text NOT NULL,
    day integer NOT NULL
);
CREATE TABLE parley.document_subjects (
    subject bigint NOT NULL,
    key text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE parley.documents (
    key text NOT NULL COLLATE pg_catalog."C",
    body text NOT NULL,
    version bigint NOT NULL,
    subjects bigint[]
)
WITH (fillfactor='70', autovacuum_vacuum_scale_factor='0.05', autovacuum_analyze_scale_factor='0.05');
CREATE TABLE parley.ended_items_20787 (
    id bigint NOT NULL,
    queue text NOT NULL COLLATE pg_catalog."C",
    lane text NOT NULL COLLATE pg_catalog."C",
    slot text NOT NULL COLLATE pg_catalog."C",
    state integer NOT NULL,
    attempts integer NOT NULL,
    version integer NOT NULL,
    put_at double precision NOT NULL,
    first_at double precision NOT NULL,
    run_at double precision NOT NULL,
    ended_at double precision,
    body text NOT NULL,
    note text NOT NULL,
    reason text NOT NULL,
    progress bigint NOT NULL,
    subjects bigint[],
    day integer NOT NULL
);
CREATE TABLE parley.ended_items_20788 (
    id bigint NOT NULL,
    queue text NOT NULL COLLATE pg_catalog."C",
    lane text NOT NULL COLLATE pg_catalog."C",
    slot text NOT NULL COLLATE pg_catalog."C",
    state integer NOT NULL,
    attempts integer NOT NULL,
    version integer NOT NULL,
    put_at double precision NOT NULL,
    first_at double precision NOT NULL,
    run_at double precision NOT NULL,
    ended_at double precision,
    body text NOT NULL,
    note text NOT NULL,
    reason text NOT NULL,
    progress bigint NOT NULL,
    subjects bigint[],
    day integer NOT NULL
);
CREATE TABLE parley.ended_items_20789 (
    id bigint NOT NULL,
    queue text NOT NULL COLLATE pg_catalog."C",
    lane text NOT NULL COLLATE pg_catalog."C",
    slot text NOT NULL COLLATE pg_catalog."C",
    state integer NOT NULL,
    attempts integer NOT NULL,
    version integer NOT NULL,
    put_at double precision NOT NULL,
    first_at double precision NOT NULL,
    run_at double precision NOT NULL,
    ended_at double precision,
    body text NOT NULL,
    note text NOT NULL,
    reason text NOT NULL,
    progress bigint NOT NULL,
    subjects bigint[],
    day integer NOT NULL
);
CREATE TABLE parley.ended_subjects (
    subject bigint NOT NULL,
    id bigint NOT NULL,
    day integer NOT NULL
)
PARTITION BY LIST (day);
CREATE TABLE parley.ended_subjects_20787 (
    subject bigint NOT NULL,
    id bigint NOT NULL,
    day integer NOT NULL
);
CREATE TABLE parley.ended_subjects_20788 (
    subject bigint NOT NULL,
    id bigint NOT NULL,
    day integer NOT NULL
);
CREATE TABLE parley.ended_subjects_20789 (
    subject bigint NOT NULL,
    id bigint NOT NULL,
    day integer NOT NULL
);
CREATE SEQUENCE parley.epochs
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
CREATE TABLE parley.feedback_times (
    at double precision NOT NULL,
    key text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE parley.index_walks (
    name text NOT NULL,
    "position" text NOT NULL
);
CREATE TABLE parley.item_subjects (
    subject bigint NOT NULL,
    id bigint NOT NULL
);
ALTER TABLE parley.items ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME parley.items_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE parley.lanes (
    queue text NOT NULL COLLATE pg_catalog."C",
    lane text NOT NULL COLLATE pg_catalog."C",
    epoch bigint DEFAULT 0 NOT NULL,
    node text COLLATE pg_catalog."C",
    ticket bigint DEFAULT 0 NOT NULL,
    claimed_at double precision DEFAULT 0 NOT NULL,
    ready_at double precision,
    claims integer DEFAULT 0 NOT NULL,
    trials integer DEFAULT 0 NOT NULL
)
WITH (fillfactor='50', autovacuum_vacuum_scale_factor='0.05', autovacuum_vacuum_threshold='1000', autovacuum_analyze_scale_factor='0.05');
CREATE TABLE parley.leases (
    name text NOT NULL COLLATE pg_catalog."C",
    node text NOT NULL COLLATE pg_catalog."C",
    until double precision NOT NULL
);
CREATE TABLE parley.meta (
    schema_version integer NOT NULL
);
CREATE TABLE parley.nodes (
    name text NOT NULL COLLATE pg_catalog."C",
    until double precision NOT NULL,
    since double precision DEFAULT EXTRACT(epoch FROM clock_timestamp()) NOT NULL,
    report text DEFAULT ''::text NOT NULL,
    channel text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    held bigint DEFAULT 0 NOT NULL
)
WITH (fillfactor='50', autovacuum_vacuum_threshold='500');
CREATE TABLE parley.tallies (
    name text NOT NULL COLLATE pg_catalog."C",
    node text NOT NULL COLLATE pg_catalog."C",
    until double precision NOT NULL,
    turns bigint NOT NULL,
    metered bigint NOT NULL,
    input bigint NOT NULL,
    output bigint NOT NULL,
    unpriced bigint NOT NULL,
    cost bigint NOT NULL
);
CREATE TABLE parley.unindexed_documents (
    key text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE parley.unindexed_items (
    id bigint NOT NULL
);
CREATE SEQUENCE parley.versions
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER TABLE ONLY parley.dated_names ATTACH PARTITION parley.dated_names_20787 FOR VALUES IN (20787);
ALTER TABLE ONLY parley.dated_names ATTACH PARTITION parley.dated_names_20788 FOR VALUES IN (20788);
ALTER TABLE ONLY parley.dated_names ATTACH PARTITION parley.dated_names_20789 FOR VALUES IN (20789);
ALTER TABLE ONLY parley.ended_items ATTACH PARTITION parley.ended_items_20787 FOR VALUES IN (20787);
ALTER TABLE ONLY parley.ended_items ATTACH PARTITION parley.ended_items_20788 FOR VALUES IN (20788);
ALTER TABLE ONLY parley.ended_items ATTACH PARTITION parley.ended_items_20789 FOR VALUES IN (20789);
ALTER TABLE ONLY parley.ended_subjects ATTACH PARTITION parley.ended_subjects_20787 FOR VALUES IN (20787);
ALTER TABLE ONLY parley.ended_subjects ATTACH PARTITION parley.ended_subjects_20788 FOR VALUES IN (20788);
ALTER TABLE ONLY parley.ended_subjects ATTACH PARTITION parley.ended_subjects_20789 FOR VALUES IN (20789);
INSERT INTO parley.dated_names_20787 VALUES ('turns/web', 'web:message-0001', 1796012546.109648, 206, 20787);
INSERT INTO parley.dated_names_20787 VALUES ('memory', 'cdc323b4e96057c489dcf830efdd01c6', 1796012547.605096, 31, 20787);
INSERT INTO parley.dated_names_20787 VALUES ('turns/web', 'web:message-0002', 1796012547.635731, 206, 20787);
INSERT INTO parley.dated_names_20787 VALUES ('turns/web', 'web:message-0003', 1796012547.68394, 146, 20787);
INSERT INTO parley.days VALUES ('items', 20787);
INSERT INTO parley.days VALUES ('items', 20788);
INSERT INTO parley.days VALUES ('items', 20789);
INSERT INTO parley.days VALUES ('names', 20787);
INSERT INTO parley.days VALUES ('names', 20788);
INSERT INTO parley.days VALUES ('names', 20789);
INSERT INTO parley.document_subjects VALUES (498892, 'rateable/cdc323b4e96057c489dcf830efdd01c6');
INSERT INTO parley.document_subjects VALUES (-6004001114737524318, 'rateable/cdc323b4e96057c489dcf830efdd01c6');
INSERT INTO parley.document_subjects VALUES (-1283860022408251964, 'rateable/cdc323b4e96057c489dcf830efdd01c6');
INSERT INTO parley.document_subjects VALUES (9075032766270670818, 'rateable/cdc323b4e96057c489dcf830efdd01c6');
INSERT INTO parley.document_subjects VALUES (-1283860022408251964, 'thread/web:from-before');
INSERT INTO parley.document_subjects VALUES (9075032766270670818, 'thread/web:from-before');
INSERT INTO parley.documents VALUES ('instance', 'a832e5c6-8f40-44cb-99cc-c0a56196154b', 1, '{}');
INSERT INTO parley.documents VALUES ('run-token-key', 'a829f24e8986aac633fc868d9ad84ae4061e0baddde27c6a4655a8a3ea08b90b', 2, '{}');
INSERT INTO parley.documents VALUES ('health/probe', '1796012546', 3, '{}');
INSERT INTO parley.documents VALUES ('team-speakers-walked', '1796012545.862202', 4, '{}');
INSERT INTO parley.documents VALUES ('web/id/2e0b5fccb06895a1483dfe1c997dd999', 'web/log/from-before/-/8203987453918436-2e0b5f', 5, '{}');
INSERT INTO parley.documents VALUES ('web/log/from-before/-/8203987453918436-2e0b5f', '{"id":"message-0001","role":"user","pos":1796012546081564,"text":"My name is Ada and I like tea.","reply_to":"","steps":[],"files":[],"question":null,"asks":0,"final":true,"edited":0,"edit":"","withdrawn":false,"waits":false,"rateable":false,"rating":null,"suggestions":[]}', 6, '{}');
INSERT INTO parley.documents VALUES ('busy/chosen', 'no', 8, '{}');
INSERT INTO parley.documents VALUES ('memory-told/web:local', '{"threads":[{"thread":"23ba7bcc-a061-5d23-8bb7-24799b13bf0e"}]}', 9, '{}');
INSERT INTO parley.documents VALUES ('web/id/68267658c1667f4e6a26db448b1b658b', 'web/log/from-before/-/8203987453848373-682676', 10, '{}');
INSERT INTO parley.documents VALUES ('rateable/cdc323b4e96057c489dcf830efdd01c6', '{"run_id":"1f1ec75a-5f55-6f49-8652-ede7e7c27960","thread":"23ba7bcc-a061-5d23-8bb7-24799b13bf0e","conversation":"web:from-before","asker":"web:local","at":1796012547.5397007,"message":"message-0001"}', 11, '{498892,-6004001114737524318,-1283860022408251964,9075032766270670818}');
INSERT INTO parley.documents VALUES ('web/log/from-before/-/8203987453848373-682676', '{"id":"cdc323b4e96057c489dcf830efdd01c6","role":"agent","pos":1796012546151627,"text":"I am Parley''s built-in demonstration, no AI: set `agent.model` for a real one.\n\nYou said: My name is Ada and I like tea.","reply_to":"message-0001","steps":[],"files":[],"question":null,"asks":0,"final":true,"edited":0,"edit":"","withdrawn":false,"waits":false,"rateable":true,"rating":null,"suggestions":[]}', 12, '{}');
INSERT INTO parley.documents VALUES ('web/id/93e8f223c0e61c582b222167f4f01b9a', 'web/log/from-before/-/8203987452389714-93e8f2', 14, '{}');
INSERT INTO parley.documents VALUES ('web/log/from-before/-/8203987452389714-93e8f2', '{"id":"message-0002","role":"user","pos":1796012547610286,"text":"Write a long document about tea","reply_to":"","steps":[],"files":[],"question":null,"asks":0,"final":true,"edited":0,"edit":"","withdrawn":false,"waits":false,"rateable":false,"rating":null,"suggestions":[]}', 15, '{}');
INSERT INTO parley.documents VALUES ('past-turn/2026-11-30/web%3Alocal/cdc323b4e96057c489dcf830efdd01c6', '{"turn":"cdc323b4e96057c489dcf830efdd01c6","person":"web:local","account":"web:local","conversation":"web:from-before","assistant":"agent","private":true,"at":1796012546.109648,"said":"My name is Ada and I like tea.","reply":"I am Parley''s built-in demonstration, no AI: set `agent.model` for a real one.\n\nYou said: My name is Ada and I like tea."}', 16, '{}');
INSERT INTO parley.documents VALUES ('past-turn-in/web%3Afrom-before/2026-11-30/web%3Alocal/cdc323b4e96057c489dcf830efdd01c6', '-', 17, '{}');
INSERT INTO parley.documents VALUES ('memory-person/web:local', '{}', 18, '{}');
INSERT INTO parley.documents VALUES ('thread/web:from-before', '{"owner":"web:local","voices":[["web:local"],["web:local"]],"title":"My name is Ada and I like tea.","last_at":1796012547.618828,"said":["My name is Ada and I like tea."],"last":[{"id":"message-0001","conversation":{"channel":"web","chat":"from-before"},"sender":{"channel":"web","id":"local","name":"You"},"text":"My name is Ada and I like tea.","addressed":true,"private":true,"sent_at":1796012546.081564}],"rateable":"cdc323b4e96057c489dcf830efdd01c6"}', 19, '{-1283860022408251964,9075032766270670818}');
INSERT INTO parley.documents VALUES ('web/chat/from-before', '{"id":"from-before","title":"My name is Ada and I like tea.","named":false,"created":1796012546.0905836,"updated":1796012547.6288183,"topics":[],"waiting":[]}', 20, '{}');
INSERT INTO parley.documents VALUES ('web/id/36072a2ddad13affdd160fefe4a1f3cb', 'web/log/waiting-chat/-/8203987452357036-36072a', 21, '{}');
INSERT INTO parley.documents VALUES ('web/log/waiting-chat/-/8203987452357036-36072a', '{"id":"message-0003","role":"user","pos":1796012547642964,"text":"What time is it?","reply_to":"","steps":[],"files":[],"question":null,"asks":0,"final":true,"edited":0,"edit":"","withdrawn":false,"waits":false,"rateable":false,"rating":null,"suggestions":[]}', 22, '{}');
INSERT INTO parley.documents VALUES ('web/id/a24c5004c70b788b67f9b82ce025653e', 'web/log/from-before/-/8203987452340552-a24c50', 23, '{}');
INSERT INTO parley.documents VALUES ('web/chat/waiting-chat', '{"id":"waiting-chat","title":"What time is it?","named":false,"created":1796012547.670614,"updated":1796012547.6706219,"topics":[],"waiting":[]}', 24, '{}');
INSERT INTO parley.ended_items_20787 VALUES (1, 'turns/web', 'web:from-before', '', 1, 0, 1, 1796012546.109648, 1796012546.109648, 1796012546.109648, 1796012547.619559, '{"id":"message-0001","conversation":{"channel":"web","chat":"from-before"},"sender":{"channel":"web","id":"local","name":"You"},"text":"My name is Ada and I like tea.","addressed":true,"private":true,"sent_at":1796012546.081564}', '{"stage":"delivered","items":[1],"thread":"23ba7bcc-a061-5d23-8bb7-24799b13bf0e","run_id":"1f1ec75a-5f55-6f49-8652-ede7e7c27960","outcome":"answered","text":"I am Parley''s built-in demonstration, no AI: set `agent.model` for a real one.\n\nYou said: My name is Ada and I like tea.","began":1796012546.4911928,"usage":[{"model":"parley-demonstration","input":8,"output":23}],"tenure":"f5196204"}', '', 1, '{-1283860022408251964,9075032766270670818}', 20787);
INSERT INTO parley.ended_subjects_20787 VALUES (-1283860022408251964, 1, 20787);
INSERT INTO parley.ended_subjects_20787 VALUES (9075032766270670818, 1, 20787);
INSERT INTO parley.item_subjects VALUES (9075032766270670818, 2);
INSERT INTO parley.item_subjects VALUES (-1283860022408251964, 3);
INSERT INTO parley.item_subjects VALUES (9075032766270670818, 3);
INSERT INTO parley.item_subjects VALUES (-1283860022408251964, 4);
INSERT INTO parley.item_subjects VALUES (9075032766270670818, 4);
INSERT INTO parley.item_subjects VALUES (-882807140771281120, 5);
INSERT INTO parley.item_subjects VALUES (9075032766270670818, 5);
INSERT INTO parley.items OVERRIDING SYSTEM VALUE VALUES (2, 'memory', 'web:local', 'learn', 0, 0, 1, 1796012547.605096, 1796012547.605096, 1796012577.605096, NULL, '', '', '', 0, '{9075032766270670818}');
INSERT INTO parley.items OVERRIDING SYSTEM VALUE VALUES (3, 'memory', 'web:local', '', 0, 0, 1, 1796012547.605096, 1796012547.605096, 1796012547.605096, NULL, '{"id":"cdc323b4e96057c489dcf830efdd01c6","person":"web:local","speaker":{"channel":"web","id":"local","name":"You"},"conversation":{"channel":"web","chat":"from-before"},"thread":"23ba7bcc-a061-5d23-8bb7-24799b13bf0e","assistant":"agent","language":"","user_text":"My name is Ada and I like tea.","reply_text":"I am Parley''s built-in demonstration, no AI: set `agent.model` for a real one.\n\nYou said: My name is Ada and I like tea.","at":1796012546.109648,"private":true}', '', '', 0, '{-1283860022408251964,9075032766270670818}');
INSERT INTO parley.items OVERRIDING SYSTEM VALUE VALUES (4, 'turns/web', 'web:from-before', '', 0, 0, 1, 1796012547.635731, 1796012547.635731, 1796012547.635731, NULL, '{"id":"message-0002","conversation":{"channel":"web","chat":"from-before"},"sender":{"channel":"web","id":"local","name":"You"},"text":"Write a long document about tea","addressed":true,"private":true,"sent_at":1796012547.610286}', '{"stage":"running","items":[4],"thread":"23ba7bcc-a061-5d23-8bb7-24799b13bf0e","run_id":"1f1ec75a-6a85-606e-8a62-46376496961e","began":1796012547.6624541,"tenure":"f5196204"}', '', 2, '{-1283860022408251964,9075032766270670818}');
INSERT INTO parley.items OVERRIDING SYSTEM VALUE VALUES (5, 'turns/web', 'web:waiting-chat', '', 0, 0, 1, 1796012547.68394, 1796012547.68394, 1796012547.68394, NULL, '{"id":"message-0003","conversation":{"channel":"web","chat":"waiting-chat"},"sender":{"channel":"web","id":"local","name":"You"},"text":"What time is it?","addressed":true,"private":true,"sent_at":1796012547.642964}', '', '', 0, '{-882807140771281120,9075032766270670818}');
INSERT INTO parley.lanes VALUES ('memory', 'web:local', 0, NULL, 0, 0, 1796012577.605096, 0, 0);
INSERT INTO parley.lanes VALUES ('turns/web', 'web:from-before', 2, 'vm-5576-e51d', 3965721283564589736, 1796012547.643114, NULL, 1, 0);
INSERT INTO parley.lanes VALUES ('turns/web', 'web:waiting-chat', 3, 'vm-5576-e51d', 2133970072116744888, 1796012547.702071, NULL, 1, 0);
INSERT INTO parley.leases VALUES ('the embedded agent', 'vm-5576-e51d', 1796012550.23174);
INSERT INTO parley.meta VALUES (16);
INSERT INTO parley.nodes VALUES ('vm-5576-e51d', 1796012562.702071, 1796012545.804485, '{"version":"0.1.0","agent":"embedded","clock":"","channels":{"web":"starting"}}', 'parley/f56c276ea57e26ee', 0);
INSERT INTO parley.tallies VALUES ('2026-11-30/04/account/web:local/', 'vm-5576-e51d', 1798675200, 1, 1, 8, 23, 31, 0);
INSERT INTO parley.tallies VALUES ('channel/web/day/2026-11-30', 'vm-5576-e51d', 1798675200, 1, 1, 8, 23, 31, 0);
SELECT pg_catalog.setval('parley.epochs', 3, true);
SELECT pg_catalog.setval('parley.items_id_seq', 5, true);
SELECT pg_catalog.setval('parley.versions', 24, true);
ALTER TABLE ONLY parley.days
    ADD CONSTRAINT days_pkey PRIMARY KEY (kind, day);
ALTER TABLE ONLY parley.document_subjects
    ADD CONSTRAINT document_subjects_pkey PRIMARY KEY (subject, key);
ALTER TABLE ONLY parley.documents
    ADD CONSTRAINT documents_pkey PRIMARY KEY (key);
ALTER TABLE ONLY parley.feedback_times
    ADD CONSTRAINT feedback_times_pkey PRIMARY KEY (at, key);
ALTER TABLE ONLY parley.index_walks
    ADD CONSTRAINT index_walks_pkey PRIMARY KEY (name);
ALTER TABLE ONLY parley.items
    ADD CONSTRAINT items_pkey PRIMARY KEY (id);
ALTER TABLE ONLY parley.lanes
    ADD CONSTRAINT lanes_pkey PRIMARY KEY (queue, lane);
ALTER TABLE ONLY parley.leases
    ADD CONSTRAINT leases_pkey PRIMARY KEY (name);
ALTER TABLE ONLY parley.names
    ADD CONSTRAINT names_pkey PRIMARY KEY (queue, name);
ALTER TABLE ONLY parley.nodes
    ADD CONSTRAINT nodes_pkey PRIMARY KEY (name);
ALTER TABLE ONLY parley.tallies
    ADD CONSTRAINT tallies_pkey PRIMARY KEY (name, node);
ALTER TABLE ONLY parley.unindexed_documents
    ADD CONSTRAINT unindexed_documents_pkey PRIMARY KEY (key);
ALTER TABLE ONLY parley.unindexed_items
    ADD CONSTRAINT unindexed_items_pkey PRIMARY KEY (id);
CREATE UNIQUE INDEX dated_names_20787_queue_last_part_first_idx ON parley.dated_names_20787 USING btree (queue, parley.last_part_first(name));
CREATE UNIQUE INDEX dated_names_20788_queue_last_part_first_idx ON parley.dated_names_20788 USING btree (queue, parley.last_part_first(name));
CREATE UNIQUE INDEX dated_names_20789_queue_last_part_first_idx ON parley.dated_names_20789 USING btree (queue, parley.last_part_first(name));
CREATE UNIQUE INDEX ended_items_20787_id_idx ON parley.ended_items_20787 USING btree (id);
CREATE UNIQUE INDEX ended_items_20788_id_idx ON parley.ended_items_20788 USING btree (id);
CREATE UNIQUE INDEX ended_items_20789_id_idx ON parley.ended_items_20789 USING btree (id);
CREATE UNIQUE INDEX ended_subjects_20787_expr_subject_id_idx ON parley.ended_subjects_20787 USING btree (((id >> 14)), subject, id);
CREATE UNIQUE INDEX ended_subjects_20788_expr_subject_id_idx ON parley.ended_subjects_20788 USING btree (((id >> 14)), subject, id);
CREATE UNIQUE INDEX ended_subjects_20789_expr_subject_id_idx ON parley.ended_subjects_20789 USING btree (((id >> 14)), subject, id);
CREATE UNIQUE INDEX item_subjects_by_range ON parley.item_subjects USING btree (((id >> 14)), subject, id);
CREATE INDEX items_ended ON parley.items USING btree (state, ended_at) WHERE (ended_at IS NOT NULL);
CREATE UNIQUE INDEX items_slot ON parley.items USING btree (queue, lane, slot) WHERE ((state = 0) AND (slot <> ''::text));
CREATE INDEX items_waiting ON parley.items USING btree (queue, lane, id) WHERE (state = 0);
CREATE INDEX lanes_held ON parley.lanes USING btree (node, queue) WHERE (node IS NOT NULL);
CREATE INDEX lanes_ready ON parley.lanes USING btree (queue, ready_at) WHERE (ready_at IS NOT NULL);
CREATE INDEX names_by_age ON parley.names USING btree (put_at);
CREATE INDEX tallies_by_age ON parley.tallies USING btree (until);
CREATE TRIGGER brought AFTER INSERT ON parley.documents FOR EACH ROW WHEN ((new.subjects IS NULL)) EXECUTE FUNCTION parley.documents_brought();
CREATE TRIGGER brought AFTER INSERT ON parley.items FOR EACH ROW WHEN ((new.subjects IS NULL)) EXECUTE FUNCTION parley.items_brought();
CREATE TRIGGER changed AFTER UPDATE OF subjects ON parley.documents FOR EACH ROW WHEN (((new.subjects IS NOT NULL) AND (new.subjects IS DISTINCT FROM old.subjects))) EXECUTE FUNCTION parley.documents_indexed();
CREATE TRIGGER changed AFTER UPDATE OF subjects ON parley.items FOR EACH ROW WHEN (((new.subjects IS NOT NULL) AND (new.subjects IS DISTINCT FROM old.subjects))) EXECUTE FUNCTION parley.items_indexed();
CREATE TRIGGER feedback_kept AFTER INSERT OR UPDATE OF body ON parley.documents FOR EACH ROW WHEN (((new.key >= 'feedback/'::text) AND (new.key < 'feedback0'::text))) EXECUTE FUNCTION parley.keep_feedback_time();
CREATE TRIGGER feedback_removed AFTER DELETE ON parley.documents FOR EACH ROW WHEN (((old.key >= 'feedback/'::text) AND (old.key < 'feedback0'::text))) EXECUTE FUNCTION parley.keep_feedback_time();
CREATE TRIGGER made AFTER INSERT ON parley.documents FOR EACH ROW WHEN ((new.subjects <> '{}'::bigint[])) EXECUTE FUNCTION parley.documents_indexed();
CREATE TRIGGER made AFTER INSERT ON parley.items FOR EACH ROW WHEN ((new.subjects <> '{}'::bigint[])) EXECUTE FUNCTION parley.items_indexed();
CREATE TRIGGER removed AFTER DELETE ON parley.documents FOR EACH ROW WHEN (((old.subjects IS NULL) OR (old.subjects <> '{}'::bigint[]))) EXECUTE FUNCTION parley.documents_removed();
CREATE TRIGGER removed AFTER DELETE ON parley.ended_items FOR EACH ROW EXECUTE FUNCTION parley.ended_removed();
CREATE TRIGGER removed AFTER DELETE ON parley.items FOR EACH ROW WHEN (((old.subjects IS NULL) OR (old.subjects <> '{}'::bigint[]))) EXECUTE FUNCTION parley.items_removed();
CREATE TRIGGER undated BEFORE INSERT OR UPDATE OF subjects ON parley.documents FOR EACH ROW WHEN (((((new.key >= 'feedback/'::text) AND (new.key < 'feedback0'::text)) OR ((new.key >= 'feedback-prompt/'::text) AND (new.key < 'feedback-prompt0'::text)) OR ((new.key >= 'question/'::text) AND (new.key < 'question0'::text)) OR ((new.key >= 'rateable/'::text) AND (new.key < 'rateable0'::text))) AND (NOT parley.has_hour(new.subjects)))) EXECUTE FUNCTION parley.unsettle();
CREATE TRIGGER unsettled AFTER UPDATE OF subjects ON parley.documents FOR EACH ROW WHEN ((new.subjects IS NULL)) EXECUTE FUNCTION parley.documents_brought();
CREATE TRIGGER unsettled AFTER UPDATE OF subjects ON parley.items FOR EACH ROW WHEN ((new.subjects IS NULL)) EXECUTE FUNCTION parley.items_brought();
