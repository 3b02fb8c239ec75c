BEGIN TRANSACTION;
CREATE TABLE document_subjects (subject INTEGER NOT NULL, key TEXT NOT NULL,
        PRIMARY KEY (subject, key)) WITHOUT ROWID;
INSERT INTO "document_subjects" VALUES(-1283860022408251964,'rateable/266ea2a3c62359c489fe043de0e76345');
INSERT INTO "document_subjects" VALUES(-1283860022408251964,'thread/web:from-before');
INSERT INTO "document_subjects" VALUES(9075032766270670818,'rateable/266ea2a3c62359c489fe043de0e76345');
INSERT INTO "document_subjects" VALUES(9075032766270670818,'thread/web:from-before');
INSERT INTO "document_subjects" VALUES(9210476111013333072,'rateable/266ea2a3c62359c489fe043de0e76345');
CREATE TABLE documents (
        key TEXT PRIMARY KEY,
        body TEXT NOT NULL,
        version INTEGER NOT NULL
    , subjects TEXT) WITHOUT ROWID;
INSERT INTO "documents" VALUES('busy/chosen','no',1,'[]');
INSERT INTO "documents" VALUES('health/probe','1795806305',1,'[]');
INSERT INTO "documents" VALUES('instance','67d0ad5b-64d6-4882-ab99-1edf39a35d43',1,'[]');
INSERT INTO "documents" VALUES('memory-person/web:local','{}',1,'[]');
INSERT INTO "documents" VALUES('memory-told/web:local','{"threads":[{"thread":"3b117e60-da1b-5d47-9c0e-b54e6d6986ad"}]}',1,'[]');
INSERT INTO "documents" VALUES('past-turn-in/web%3Afrom-before/2026-11-27/web%3Alocal/266ea2a3c62359c489fe043de0e76345','-',1,'[]');
INSERT INTO "documents" VALUES('past-turn/2026-11-27/web%3Alocal/266ea2a3c62359c489fe043de0e76345','{"turn":"266ea2a3c62359c489fe043de0e76345","person":"web:local","account":"web:local","conversation":"web:from-before","assistant":"agent","private":true,"at":1795806305.2194705,"said":"My name is Ada and I like tea.","reply":"I am Parley''s built-in demonstration, no AI: set `agent.model` for a real one.\n\nYou said: My name is Ada and I like tea."}',1,'[]');
INSERT INTO "documents" VALUES('rateable/266ea2a3c62359c489fe043de0e76345','{"run_id":"1f1ea957-4dbc-69a6-be1b-c4205fb8f5ab","thread":"3b117e60-da1b-5d47-9c0e-b54e6d6986ad","conversation":"web:from-before","asker":"web:local","at":1795806307.185208,"message":"message-0001"}',1,'[-1283860022408251964,9075032766270670818,9210476111013333072]');
INSERT INTO "documents" VALUES('run-token-key','9f0b680d4804e07e0a1b6a272b5cd9fb0c9da8e91d81f12eacf021f093dba2c6',1,'[]');
INSERT INTO "documents" VALUES('team-speakers-walked','1795806304.8033657',1,'[]');
INSERT INTO "documents" VALUES('thread/web:from-before','{"owner":"web:local","voices":[["web:local"],["web:local"]],"title":"My name is Ada and I like tea.","last_at":1795806307.3439198,"said":["My name is Ada and I like tea."],"last":[{"id":"message-0001","conversation":{"channel":"web","chat":"from-before"},"sender":{"channel":"web","id":"local","name":"You"},"text":"My name is Ada and I like tea.","addressed":true,"private":true,"sent_at":1795806305.214692}],"rateable":"266ea2a3c62359c489fe043de0e76345"}',1,'[-1283860022408251964,9075032766270670818]');
INSERT INTO "documents" VALUES('web/chat/from-before','{"id":"from-before","title":"My name is Ada and I like tea.","named":false,"created":1795806305.217167,"updated":1795806307.3526158,"topics":[],"waiting":[]}',3,'[]');
INSERT INTO "documents" VALUES('web/chat/waiting-chat','{"id":"waiting-chat","title":"What time is it?","named":false,"created":1795806307.3937216,"updated":1795806307.393736,"topics":[],"waiting":[]}',1,'[]');
INSERT INTO "documents" VALUES('web/id/143e4d39aed5351c3bfdd3235751bf5c','web/log/from-before/-/8204193694515885-143e4d',1,'[]');
INSERT INTO "documents" VALUES('web/id/2e0b5fccb06895a1483dfe1c997dd999','web/log/from-before/-/8204193694785308-2e0b5f',1,'[]');
INSERT INTO "documents" VALUES('web/id/36072a2ddad13affdd160fefe4a1f3cb','web/log/waiting-chat/-/8204193692626851-36072a',1,'[]');
INSERT INTO "documents" VALUES('web/id/93e8f223c0e61c582b222167f4f01b9a','web/log/from-before/-/8204193692659485-93e8f2',1,'[]');
INSERT INTO "documents" VALUES('web/id/b92e7d1c209c86695d52554155d193c5','web/log/from-before/-/8204193692606320-b92e7d',1,'[]');
INSERT INTO "documents" VALUES('web/log/from-before/-/8204193692659485-93e8f2','{"id":"message-0002","role":"user","pos":1795806307340515,"text":"Write a long document about tea","reply_to":"","steps":[],"files":[],"question":null,"asks":0,"final":true,"edited":0,"edit":"","withdrawn":false,"waits":false,"rateable":false,"rating":null,"suggestions":[]}',1,'[]');
INSERT INTO "documents" VALUES('web/log/from-before/-/8204193694515885-143e4d','{"id":"266ea2a3c62359c489fe043de0e76345","role":"agent","pos":1795806305484115,"text":"I am Parley''s built-in demonstration, no AI: set `agent.model` for a real one.\n\nYou said: My name is Ada and I like tea.","reply_to":"message-0001","steps":[],"files":[],"question":null,"asks":0,"final":true,"edited":0,"edit":"","withdrawn":false,"waits":false,"rateable":true,"rating":null,"suggestions":[]}',1,'[]');
INSERT INTO "documents" VALUES('web/log/from-before/-/8204193694785308-2e0b5f','{"id":"message-0001","role":"user","pos":1795806305214692,"text":"My name is Ada and I like tea.","reply_to":"","steps":[],"files":[],"question":null,"asks":0,"final":true,"edited":0,"edit":"","withdrawn":false,"waits":false,"rateable":false,"rating":null,"suggestions":[]}',1,'[]');
INSERT INTO "documents" VALUES('web/log/waiting-chat/-/8204193692626851-36072a','{"id":"message-0003","role":"user","pos":1795806307373149,"text":"What time is it?","reply_to":"","steps":[],"files":[],"question":null,"asks":0,"final":true,"edited":0,"edit":"","withdrawn":false,"waits":false,"rateable":false,"rating":null,"suggestions":[]}',1,'[]');
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
INSERT INTO "items" VALUES(1,'turns/web','web:from-before','',1,0,1,1.79580630521947050099e+09,1.79580630521947050099e+09,1.79580630521947050099e+09,1.7958063073444552422e+09,'{"id":"message-0001","conversation":{"channel":"web","chat":"from-before"},"sender":{"channel":"web","id":"local","name":"You"},"text":"My name is Ada and I like tea.","addressed":true,"private":true,"sent_at":1795806305.214692}','{"stage":"delivered","items":[1],"thread":"3b117e60-da1b-5d47-9c0e-b54e6d6986ad","run_id":"1f1ea957-4dbc-69a6-be1b-c4205fb8f5ab","outcome":"answered","text":"I am Parley''s built-in demonstration, no AI: set `agent.model` for a real one.\n\nYou said: My name is Ada and I like tea.","began":1795806305.7028806,"usage":[{"model":"parley-demonstration","input":8,"output":23}],"tenure":"4f86e46d"}','',1,'[-1283860022408251964,9075032766270670818]');
INSERT INTO "items" VALUES(2,'memory','web:local','learn',0,0,1,1.79580630733852410316e+09,1.79580630733852410316e+09,1.7958063373385241032e+09,NULL,'','','',0,'[9075032766270670818]');
INSERT INTO "items" VALUES(3,'memory','web:local','',0,0,1,1.79580630733852410316e+09,1.79580630733852410316e+09,1.79580630733852410316e+09,NULL,'{"id":"266ea2a3c62359c489fe043de0e76345","person":"web:local","speaker":{"channel":"web","id":"local","name":"You"},"conversation":{"channel":"web","chat":"from-before"},"thread":"3b117e60-da1b-5d47-9c0e-b54e6d6986ad","assistant":"agent","language":"","user_text":"My name is Ada and I like tea.","reply_text":"I am Parley''s built-in demonstration, no AI: set `agent.model` for a real one.\n\nYou said: My name is Ada and I like tea.","at":1795806305.2194705,"private":true}','','',0,'[-1283860022408251964,9075032766270670818]');
INSERT INTO "items" VALUES(4,'turns/web','web:from-before','',0,0,1,1.79580630735884118082e+09,1.79580630735884118082e+09,1.79580630735884118082e+09,NULL,'{"id":"message-0002","conversation":{"channel":"web","chat":"from-before"},"sender":{"channel":"web","id":"local","name":"You"},"text":"Write a long document about tea","addressed":true,"private":true,"sent_at":1795806307.340515}','{"stage":"running","items":[4],"thread":"3b117e60-da1b-5d47-9c0e-b54e6d6986ad","run_id":"1f1ea957-5e0f-697d-82f6-929390f2f720","began":1795806307.4044752,"tenure":"4f86e46d"}','',2,'[-1283860022408251964,9075032766270670818]');
INSERT INTO "items" VALUES(5,'turns/web','web:waiting-chat','',0,0,1,1.79580630740197539326e+09,1.79580630740197539326e+09,1.79580630740197539326e+09,NULL,'{"id":"message-0003","conversation":{"channel":"web","chat":"waiting-chat"},"sender":{"channel":"web","id":"local","name":"You"},"text":"What time is it?","addressed":true,"private":true,"sent_at":1795806307.373149}','','',0,'[-882807140771281120,9075032766270670818]');
CREATE TABLE lanes (
        queue TEXT NOT NULL,
        lane TEXT NOT NULL,
        epoch INTEGER NOT NULL DEFAULT 0,
        node TEXT,
        claimed_at REAL NOT NULL DEFAULT 0,
        ready_at REAL, claims INTEGER NOT NULL DEFAULT 0, trials INTEGER NOT NULL DEFAULT 0,
        PRIMARY KEY (queue, lane)
    ) WITHOUT ROWID;
INSERT INTO "lanes" VALUES('memory','web:local',0,NULL,0.0,1.7958063373385241032e+09,0,0);
INSERT INTO "lanes" VALUES('turns/web','web:from-before',2,'process 17168',1.79580630736858773226e+09,9e999,1,0);
INSERT INTO "lanes" VALUES('turns/web','web:waiting-chat',3,'process 17168',1.7958063074091219902e+09,9e999,1,0);
CREATE TABLE meta (key TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
INSERT INTO "meta" VALUES('deleted',0);
INSERT INTO "meta" VALUES('epoch',3);
INSERT INTO "meta" VALUES('schema',5);
CREATE TABLE names (
        queue TEXT NOT NULL,
        name TEXT NOT NULL,
        put_at REAL NOT NULL, bucket INTEGER,
        PRIMARY KEY (queue, name)
    ) WITHOUT ROWID;
INSERT INTO "names" VALUES('memory','266ea2a3c62359c489fe043de0e76345',1.79580630733852410316e+09,31);
INSERT INTO "names" VALUES('turns/web','web:message-0001',1.79580630521947050099e+09,206);
INSERT INTO "names" VALUES('turns/web','web:message-0002',1.79580630735884118082e+09,206);
INSERT INTO "names" VALUES('turns/web','web:message-0003',1.79580630740197539326e+09,146);
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
INSERT INTO "tallies" VALUES('account/web:local/day/2026-11-27',1798416000.0,1,1,8,23,31,0);
INSERT INTO "tallies" VALUES('channel/web/day/2026-11-27',1798416000.0,1,1,8,23,31,0);
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
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('items',5);
COMMIT;
