BEGIN TRANSACTION;
CREATE TABLE document_subjects (subject INTEGER NOT NULL, key TEXT NOT NULL,
        PRIMARY KEY (subject, key)) WITHOUT ROWID;
INSERT INTO "document_subjects" VALUES(-1283860022408251964,'rateable/25fd7cafd17a526d88c21424f98c8a6c');
INSERT INTO "document_subjects" VALUES(-1283860022408251964,'thread/web:from-before');
INSERT INTO "document_subjects" VALUES(7383407990909708238,'rateable/25fd7cafd17a526d88c21424f98c8a6c');
INSERT INTO "document_subjects" VALUES(9075032766270670818,'rateable/25fd7cafd17a526d88c21424f98c8a6c');
INSERT INTO "document_subjects" VALUES(9075032766270670818,'thread/web:from-before');
CREATE TABLE documents (
        key TEXT PRIMARY KEY,
        body TEXT NOT NULL,
        version INTEGER NOT NULL
    , subjects TEXT) WITHOUT ROWID;
INSERT INTO "documents" VALUES('busy/chosen','no',1,'[]');
INSERT INTO "documents" VALUES('health/probe','1795873031',1,'[]');
INSERT INTO "documents" VALUES('instance','75c5cab1-14e4-4ca7-be73-17427c5883e5',1,'[]');
INSERT INTO "documents" VALUES('memory-person/web:local','{}',1,'[]');
INSERT INTO "documents" VALUES('memory-told/web:local','{"threads":[{"thread":"e9c6e49a-ba66-50c1-b2a8-20aa71e77343"}]}',1,'[]');
INSERT INTO "documents" VALUES('past-turn-in/web%3Afrom-before/2026-11-28/web%3Alocal/25fd7cafd17a526d88c21424f98c8a6c','-',1,'[]');
INSERT INTO "documents" VALUES('past-turn/2026-11-28/web%3Alocal/25fd7cafd17a526d88c21424f98c8a6c','{"turn":"25fd7cafd17a526d88c21424f98c8a6c","person":"web:local","account":"web:local","conversation":"web:from-before","assistant":"agent","private":true,"at":1795873032.7844234,"said":"My name is Ada and I like tea.","reply":"I am Parley''s built-in demonstration, no AI: set `agent.model` for a real one.\n\nYou said: My name is Ada and I like tea."}',1,'[]');
INSERT INTO "documents" VALUES('rateable/25fd7cafd17a526d88c21424f98c8a6c','{"run_id":"1f1eb30d-1fe0-612e-b81c-27fb01f59621","thread":"e9c6e49a-ba66-50c1-b2a8-20aa71e77343","conversation":"web:from-before","asker":"web:local","at":1795873036.4456723,"message":"message-0001"}',1,'[-1283860022408251964,7383407990909708238,9075032766270670818]');
INSERT INTO "documents" VALUES('run-token-key','30b8e1b08e29a28b8e283a3bb4e334a4f441e91498151797f8d6f2b55162b737',1,'[]');
INSERT INTO "documents" VALUES('team-speakers-walked','1795873030.9625738',1,'[]');
INSERT INTO "documents" VALUES('thread/web:from-before','{"owner":"web:local","voices":[["web:local"],["web:local"]],"title":"My name is Ada and I like tea.","last_at":1795873036.6966078,"said":["My name is Ada and I like tea."],"last":[{"id":"message-0001","conversation":{"channel":"web","chat":"from-before"},"sender":{"channel":"web","id":"local","name":"You"},"text":"My name is Ada and I like tea.","addressed":true,"private":true,"sent_at":1795873032.740858}],"rateable":"25fd7cafd17a526d88c21424f98c8a6c"}',1,'[-1283860022408251964,9075032766270670818]');
INSERT INTO "documents" VALUES('web/chat/from-before','{"id":"from-before","title":"My name is Ada and I like tea.","named":false,"created":1795873032.7564359,"updated":1795873036.735837,"topics":[],"waiting":[]}',3,'[]');
INSERT INTO "documents" VALUES('web/chat/waiting-chat','{"id":"waiting-chat","title":"What time is it?","named":false,"created":1795873036.8211737,"updated":1795873036.8211827,"topics":[],"waiting":[]}',1,'[]');
INSERT INTO "documents" VALUES('web/id/104b6cc8b847286bb0775451d1ba8c2e','web/log/from-before/-/8204126963166365-104b6c',1,'[]');
INSERT INTO "documents" VALUES('web/id/2e0b5fccb06895a1483dfe1c997dd999','web/log/from-before/-/8204126967259142-2e0b5f',1,'[]');
INSERT INTO "documents" VALUES('web/id/36072a2ddad13affdd160fefe4a1f3cb','web/log/waiting-chat/-/8204126963224301-36072a',1,'[]');
INSERT INTO "documents" VALUES('web/id/93e8f223c0e61c582b222167f4f01b9a','web/log/from-before/-/8204126963302083-93e8f2',1,'[]');
INSERT INTO "documents" VALUES('web/id/b9c2d1402dd5eba2607ec1d24ccca300','web/log/from-before/-/8204126966114903-b9c2d1',1,'[]');
INSERT INTO "documents" VALUES('web/log/from-before/-/8204126963302083-93e8f2','{"id":"message-0002","role":"user","pos":1795873036697917,"text":"Write a long document about tea","reply_to":"","steps":[],"files":[],"question":null,"asks":0,"final":true,"edited":0,"edit":"","withdrawn":false,"waits":false,"rateable":false,"rating":null,"suggestions":[]}',1,'[]');
INSERT INTO "documents" VALUES('web/log/from-before/-/8204126966114903-b9c2d1','{"id":"25fd7cafd17a526d88c21424f98c8a6c","role":"agent","pos":1795873033885097,"text":"I am Parley''s built-in demonstration, no AI: set `agent.model` for a real one.\n\nYou said: My name is Ada and I like tea.","reply_to":"message-0001","steps":[],"files":[],"question":null,"asks":0,"final":true,"edited":0,"edit":"","withdrawn":false,"waits":false,"rateable":true,"rating":null,"suggestions":[]}',1,'[]');
INSERT INTO "documents" VALUES('web/log/from-before/-/8204126967259142-2e0b5f','{"id":"message-0001","role":"user","pos":1795873032740858,"text":"My name is Ada and I like tea.","reply_to":"","steps":[],"files":[],"question":null,"asks":0,"final":true,"edited":0,"edit":"","withdrawn":false,"waits":false,"rateable":false,"rating":null,"suggestions":[]}',1,'[]');
INSERT INTO "documents" VALUES('web/log/waiting-chat/-/8204126963224301-36072a','{"id":"message-0003","role":"user","pos":1795873036775699,"text":"What time is it?","reply_to":"","steps":[],"files":[],"question":null,"asks":0,"final":true,"edited":0,"edit":"","withdrawn":false,"waits":false,"rateable":false,"rating":null,"suggestions":[]}',1,'[]');
CREATE TABLE feedback_times (at REAL NOT NULL, key TEXT NOT NULL, PRIMARY KEY (at, key)) WITHOUT ROWID;
CREATE TABLE index_walks (name TEXT PRIMARY KEY, position NOT NULL) WITHOUT ROWID;
CREATE TABLE item_subjects (subject INTEGER NOT NULL, id INTEGER NOT NULL,
        PRIMARY KEY (subject, id)) WITHOUT ROWID;
INSERT INTO "item_subjects" VALUES(-1283860022408251964,1);
INSERT INTO "item_subjects" VALUES(-1283860022408251964,3);
INSERT INTO "item_subjects" VALUES(-1283860022408251964,4);
INSERT INTO "item_subjects" VALUES(-882807140771281120,5);
INSERT INTO "item_subjects" VALUES(9075032766270670818,1);
INSERT INTO "item_subjects" VALUES(9075032766270670818,2);
INSERT INTO "item_subjects" VALUES(9075032766270670818,3);
INSERT INTO "item_subjects" VALUES(9075032766270670818,4);
INSERT INTO "item_subjects" VALUES(9075032766270670818,5);
CREATE TABLE items (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        queue TEXT NOT NULL,
        lane TEXT NOT NULL,
        slot TEXT NOT NULL,
        state INTEGER NOT NULL DEFAULT 0,
        attempts INTEGER NOT NULL DEFAULT 0,
        version INTEGER NOT NULL DEFAULT 1,
        put_at REAL NOT NULL,
        first_at REAL NOT NULL,
        run_at REAL NOT NULL,
        ended_at REAL,
        body TEXT NOT NULL,
        note TEXT NOT NULL DEFAULT '',
        reason TEXT NOT NULL DEFAULT ''
    , progress INTEGER NOT NULL DEFAULT 0, subjects TEXT);
INSERT INTO "items" VALUES(1,'turns/web','web:from-before','',1,0,1,1.79587303278442335123e+09,1.79587303278442335123e+09,1.79587303278442335123e+09,1.79587303669697022434e+09,'{"id":"message-0001","conversation":{"channel":"web","chat":"from-before"},"sender":{"channel":"web","id":"local","name":"You"},"text":"My name is Ada and I like tea.","addressed":true,"private":true,"sent_at":1795873032.740858}','{"stage":"delivered","items":[1],"thread":"e9c6e49a-ba66-50c1-b2a8-20aa71e77343","run_id":"1f1eb30d-1fe0-612e-b81c-27fb01f59621","outcome":"answered","text":"I am Parley''s built-in demonstration, no AI: set `agent.model` for a real one.\n\nYou said: My name is Ada and I like tea.","began":1795873033.9597,"usage":[{"model":"parley-demonstration","input":8,"output":23}],"tenure":"bc4ea053"}','',1,'[-1283860022408251964,9075032766270670818]');
INSERT INTO "items" VALUES(2,'memory','web:local','learn',0,0,1,1.79587303667075562471e+09,1.79587303667075562471e+09,1.79587306667075562475e+09,NULL,'','','',0,'[9075032766270670818]');
INSERT INTO "items" VALUES(3,'memory','web:local','',0,0,1,1.79587303667075562471e+09,1.79587303667075562471e+09,1.79587303667075562471e+09,NULL,'{"id":"25fd7cafd17a526d88c21424f98c8a6c","person":"web:local","speaker":{"channel":"web","id":"local","name":"You"},"conversation":{"channel":"web","chat":"from-before"},"thread":"e9c6e49a-ba66-50c1-b2a8-20aa71e77343","assistant":"agent","language":"","user_text":"My name is Ada and I like tea.","reply_text":"I am Parley''s built-in demonstration, no AI: set `agent.model` for a real one.\n\nYou said: My name is Ada and I like tea.","at":1795873032.7844234,"private":true}','','',0,'[-1283860022408251964,9075032766270670818]');
INSERT INTO "items" VALUES(4,'turns/web','web:from-before','',0,0,1,1.79587303675244116781e+09,1.79587303675244116781e+09,1.79587303675244116781e+09,NULL,'{"id":"message-0002","conversation":{"channel":"web","chat":"from-before"},"sender":{"channel":"web","id":"local","name":"You"},"text":"Write a long document about tea","addressed":true,"private":true,"sent_at":1795873036.697917}','{"stage":"running","items":[4],"thread":"e9c6e49a-ba66-50c1-b2a8-20aa71e77343","run_id":"1f1eb30d-3b8d-691b-8981-cd0383b2613d","began":1795873036.8449943,"tenure":"bc4ea053"}','',2,'[-1283860022408251964,9075032766270670818]');
INSERT INTO "items" VALUES(5,'turns/web','web:waiting-chat','',0,0,1,1.79587303683451938625e+09,1.79587303683451938625e+09,1.79587303683451938625e+09,NULL,'{"id":"message-0003","conversation":{"channel":"web","chat":"waiting-chat"},"sender":{"channel":"web","id":"local","name":"You"},"text":"What time is it?","addressed":true,"private":true,"sent_at":1795873036.775699}','{"stage":"running","items":[5],"thread":"ac1f5ea6-fafe-5a6a-8362-cb6cfa579cf7","tenure":"bc4ea053"}','',3,'[-882807140771281120,9075032766270670818]');
CREATE TABLE lanes (
        queue TEXT NOT NULL,
        lane TEXT NOT NULL,
        epoch INTEGER NOT NULL DEFAULT 0,
        node TEXT,
        claimed_at REAL NOT NULL DEFAULT 0,
        ready_at REAL, claims INTEGER NOT NULL DEFAULT 0, trials INTEGER NOT NULL DEFAULT 0,
        PRIMARY KEY (queue, lane)
    ) WITHOUT ROWID;
INSERT INTO "lanes" VALUES('memory','web:local',0,NULL,0.0,1.79587306667075562475e+09,0,0);
INSERT INTO "lanes" VALUES('turns/web','web:from-before',2,'process 25690',1.79587303677040886883e+09,9e999,1,0);
INSERT INTO "lanes" VALUES('turns/web','web:waiting-chat',3,'process 25690',1.79587303684268450743e+09,9e999,1,0);
CREATE TABLE meta (key TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
INSERT INTO "meta" VALUES('deleted',0);
INSERT INTO "meta" VALUES('epoch',3);
INSERT INTO "meta" VALUES('schema',6);
CREATE TABLE names (
        queue TEXT NOT NULL,
        name TEXT NOT NULL,
        put_at REAL NOT NULL, bucket INTEGER,
        PRIMARY KEY (queue, name)
    ) WITHOUT ROWID;
INSERT INTO "names" VALUES('memory','25fd7cafd17a526d88c21424f98c8a6c',1.79587303667075562471e+09,31);
INSERT INTO "names" VALUES('turns/web','web:message-0001',1.79587303278442335123e+09,206);
INSERT INTO "names" VALUES('turns/web','web:message-0002',1.79587303675244116781e+09,206);
INSERT INTO "names" VALUES('turns/web','web:message-0003',1.79587303683451938625e+09,146);
CREATE TABLE tallies (
        name TEXT PRIMARY KEY,
        until REAL NOT NULL,
        turns INTEGER NOT NULL,
        metered INTEGER NOT NULL,
        input INTEGER NOT NULL,
        output INTEGER NOT NULL,
        unpriced INTEGER NOT NULL,
        cost INTEGER NOT NULL
    ) WITHOUT ROWID;
INSERT INTO "tallies" VALUES('account/web:local/day/2026-11-28',1798502400.0,1,1,8,23,31,0);
INSERT INTO "tallies" VALUES('channel/web/day/2026-11-28',1798502400.0,1,1,8,23,31,0);
CREATE TABLE unindexed_documents (key TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE unindexed_items (id INTEGER PRIMARY KEY) WITHOUT ROWID;
CREATE INDEX lanes_ready ON lanes (queue, ready_at) WHERE ready_at IS NOT NULL;
CREATE INDEX lanes_held ON lanes (node) WHERE node IS NOT NULL;
CREATE INDEX items_waiting ON items (queue, lane, id) WHERE state = 0;
CREATE UNIQUE INDEX items_slot ON items (queue, lane, slot) WHERE state = 0 AND slot <> '';
CREATE INDEX items_ended ON items (state, ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX names_by_age ON names (put_at);
CREATE INDEX tallies_by_age ON tallies (until);
CREATE TRIGGER items_made AFTER INSERT ON items WHEN NEW.subjects IS NOT NULL BEGIN
        INSERT INTO item_subjects SELECT value, NEW.id FROM json_each(NEW.subjects) WHERE true
        ON CONFLICT DO NOTHING; END;
CREATE TRIGGER items_brought AFTER INSERT ON items WHEN NEW.subjects IS NULL BEGIN
        INSERT INTO unindexed_items VALUES (NEW.id) ON CONFLICT DO NOTHING; END;
CREATE TRIGGER items_changed AFTER UPDATE OF subjects ON items
        WHEN NEW.subjects IS NOT OLD.subjects BEGIN
        DELETE FROM item_subjects WHERE id = OLD.id
            AND subject IN (SELECT value FROM json_each(OLD.subjects));
        INSERT INTO item_subjects SELECT value, NEW.id FROM json_each(NEW.subjects) WHERE true
            ON CONFLICT DO NOTHING;
        DELETE FROM unindexed_items WHERE id = NEW.id; END;
CREATE TRIGGER items_removed AFTER DELETE ON items BEGIN
        DELETE FROM item_subjects WHERE id = OLD.id
            AND subject IN (SELECT value FROM json_each(OLD.subjects));
        DELETE FROM unindexed_items WHERE OLD.subjects IS NULL AND id = OLD.id; END;
CREATE TRIGGER documents_made AFTER INSERT ON documents WHEN NEW.subjects IS NOT NULL BEGIN
        INSERT INTO document_subjects SELECT value, NEW.key FROM json_each(NEW.subjects) WHERE true
        ON CONFLICT DO NOTHING; END;
CREATE TRIGGER documents_brought AFTER INSERT ON documents WHEN NEW.subjects IS NULL BEGIN
        INSERT INTO unindexed_documents VALUES (NEW.key) ON CONFLICT DO NOTHING; END;
CREATE TRIGGER documents_changed AFTER UPDATE OF subjects ON documents
        WHEN NEW.subjects IS NOT OLD.subjects BEGIN
        DELETE FROM document_subjects WHERE key = OLD.key
            AND subject IN (SELECT value FROM json_each(OLD.subjects));
        INSERT INTO document_subjects SELECT value, NEW.key FROM json_each(NEW.subjects) WHERE true
            ON CONFLICT DO NOTHING;
        DELETE FROM unindexed_documents WHERE key = NEW.key; END;
CREATE TRIGGER documents_removed AFTER DELETE ON documents BEGIN
        DELETE FROM document_subjects WHERE key = OLD.key
            AND subject IN (SELECT value FROM json_each(OLD.subjects));
        DELETE FROM unindexed_documents WHERE OLD.subjects IS NULL AND key = OLD.key; END;
CREATE TRIGGER feedback_made AFTER INSERT ON documents WHEN NEW.key >= 'feedback/' AND NEW.key < 'feedback0' BEGIN
        INSERT INTO feedback_times SELECT json_extract(CASE WHEN json_valid(NEW.body) THEN NEW.body END, '$.at'), NEW.key WHERE typeof(json_extract(CASE WHEN json_valid(NEW.body) THEN NEW.body END, '$.at')) IN ('integer', 'real'); END;
CREATE TRIGGER feedback_changed AFTER UPDATE OF body ON documents WHEN NEW.key >= 'feedback/' AND NEW.key < 'feedback0' BEGIN
        DELETE FROM feedback_times WHERE at = json_extract(CASE WHEN json_valid(OLD.body) THEN OLD.body END, '$.at') AND key = OLD.key;
        INSERT INTO feedback_times SELECT json_extract(CASE WHEN json_valid(NEW.body) THEN NEW.body END, '$.at'), NEW.key WHERE typeof(json_extract(CASE WHEN json_valid(NEW.body) THEN NEW.body END, '$.at')) IN ('integer', 'real'); END;
CREATE TRIGGER feedback_removed AFTER DELETE ON documents WHEN OLD.key >= 'feedback/' AND OLD.key < 'feedback0' BEGIN
        DELETE FROM feedback_times WHERE at = json_extract(CASE WHEN json_valid(OLD.body) THEN OLD.body END, '$.at') AND key = OLD.key; END;
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('items',5);
COMMIT;
