BEGIN TRANSACTION;
CREATE TABLE documents (
        key TEXT PRIMARY KEY,
        body TEXT NOT NULL,
        version INTEGER NOT NULL
    ) WITHOUT ROWID;
INSERT INTO "documents" VALUES('busy/chosen','no',1);
INSERT INTO "documents" VALUES('health/probe','1795639312',1);
INSERT INTO "documents" VALUES('instance','ae60ceb7-22ea-442a-ae27-ae8bacaa28bd',1);
INSERT INTO "documents" VALUES('memory-told/web:local','{"threads":[{"thread":"ce0ebaaa-00a3-56ea-b51f-0184167e1c6f"}]}',1);
INSERT INTO "documents" VALUES('past-turn/2026-11-25/web%3Alocal/cc6987654f2f529287666ad1b95dd9dd','{"turn":"cc6987654f2f529287666ad1b95dd9dd","person":"web:local","account":"web:local","conversation":"web:from-before","assistant":"agent","private":true,"at":1795639313.015897,"said":"My name is Ada and I like tea.","reply":"Hello! I am Parley''s built-in demonstration: a small program, no AI. Set `agent.model` to talk to a real one.\n\nYou said: My name is Ada and I like tea."}',1);
INSERT INTO "documents" VALUES('rateable/cc6987654f2f529287666ad1b95dd9dd','{"run_id":"1f1e910a-5b1d-601b-9868-07ae452d99cb","thread":"ce0ebaaa-00a3-56ea-b51f-0184167e1c6f","conversation":"web:from-before","asker":"web:local","at":1795639314.356499}',1);
INSERT INTO "documents" VALUES('run-token-key','b723e54e633af67e25c86fc435c36e58b8cfb74245396f6a9eb3cfa5778d9534',1);
INSERT INTO "documents" VALUES('thread/web:from-before','{"owner":"web:local","voices":[["web:local"],["web:local"]],"title":"My name is Ada and I like tea.","last_at":1795639314.3650224,"said":["My name is Ada and I like tea."],"last":[{"id":"message-0001","conversation":{"channel":"web","chat":"from-before"},"sender":{"channel":"web","id":"local","name":"You"},"text":"My name is Ada and I like tea.","addressed":true,"private":true,"sent_at":1795639313.015897}],"rateable":"cc6987654f2f529287666ad1b95dd9dd"}',1);
INSERT INTO "documents" VALUES('web/chat/from-before','{"id":"from-before","title":"My name is Ada and I like tea.","named":false,"created":1795639313.0203338,"updated":1795639314.3789604,"topics":[],"waiting":[]}',3);
INSERT INTO "documents" VALUES('web/chat/waiting-chat','{"id":"waiting-chat","title":"What time is it?","named":false,"created":1795639314.3964784,"updated":1795639314.3964818,"topics":[],"waiting":[]}',1);
INSERT INTO "documents" VALUES('web/id/2b2ca71420cb3baf86ca305600b7d1b9','web/log/from-before/-/8204360686772477-2b2ca7',1);
INSERT INTO "documents" VALUES('web/id/2e0b5fccb06895a1483dfe1c997dd999','web/log/from-before/-/8204360686984103-2e0b5f',1);
INSERT INTO "documents" VALUES('web/id/36072a2ddad13affdd160fefe4a1f3cb','web/log/waiting-chat/-/8204360685615034-36072a',1);
INSERT INTO "documents" VALUES('web/id/6c99aea5d281b6c44e537b69040eae0d','web/log/from-before/-/8204360685603539-6c99ae',1);
INSERT INTO "documents" VALUES('web/id/93e8f223c0e61c582b222167f4f01b9a','web/log/from-before/-/8204360685622125-93e8f2',1);
INSERT INTO "documents" VALUES('web/log/from-before/-/8204360685622125-93e8f2','{"id":"message-0002","role":"user","pos":1795639314377875,"text":"Write a long document about tea","reply_to":"","steps":[],"files":[],"question":null,"asks":0,"final":true,"edited":0,"edit":"","withdrawn":false,"rateable":false,"rating":null}',1);
INSERT INTO "documents" VALUES('web/log/from-before/-/8204360686772477-2b2ca7','{"id":"cc6987654f2f529287666ad1b95dd9dd","role":"agent","pos":1795639313227523,"text":"Hello! I am Parley''s built-in demonstration: a small program, no AI. Set `agent.model` to talk to a real one.\n\nYou said: My name is Ada and I like tea.","reply_to":"message-0001","steps":[],"files":[],"question":null,"asks":0,"final":true,"edited":0,"edit":"","withdrawn":false,"rateable":true,"rating":null}',1);
INSERT INTO "documents" VALUES('web/log/from-before/-/8204360686984103-2e0b5f','{"id":"message-0001","role":"user","pos":1795639313015897,"text":"My name is Ada and I like tea.","reply_to":"","steps":[],"files":[],"question":null,"asks":0,"final":true,"edited":0,"edit":"","withdrawn":false,"rateable":false,"rating":null}',1);
INSERT INTO "documents" VALUES('web/log/waiting-chat/-/8204360685615034-36072a','{"id":"message-0003","role":"user","pos":1795639314384966,"text":"What time is it?","reply_to":"","steps":[],"files":[],"question":null,"asks":0,"final":true,"edited":0,"edit":"","withdrawn":false,"rateable":false,"rating":null}',1);
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
    , progress INTEGER NOT NULL DEFAULT 0);
INSERT INTO "items" VALUES(1,'turns/web','web:from-before','',1,0,1,1.79563931303980445861e+09,1.79563931303980445861e+09,1.79563931303980445861e+09,1.79563931436525654793e+09,'{"id":"message-0001","conversation":{"channel":"web","chat":"from-before"},"sender":{"channel":"web","id":"local","name":"You"},"text":"My name is Ada and I like tea.","addressed":true,"private":true,"sent_at":1795639313.015897}','{"stage":"delivered","items":[1],"thread":"ce0ebaaa-00a3-56ea-b51f-0184167e1c6f","run_id":"1f1e910a-5b1d-601b-9868-07ae452d99cb","outcome":"answered","text":"Hello! I am Parley''s built-in demonstration: a small program, no AI. Set `agent.model` to talk to a real one.\n\nYou said: My name is Ada and I like tea.","began":1795639313.391902,"usage":[{"model":"parley-demonstration","input":8,"output":29}],"tenure":"f72f08f6"}','',1);
INSERT INTO "items" VALUES(2,'memory','web:local','learn',0,0,1,1.79563931436289048191e+09,1.79563931436289048191e+09,1.79563934436289048199e+09,NULL,'','','',0);
INSERT INTO "items" VALUES(3,'memory','web:local','',0,0,1,1.79563931436289048191e+09,1.79563931436289048191e+09,1.79563931436289048191e+09,NULL,'{"id":"cc6987654f2f529287666ad1b95dd9dd","person":"web:local","speaker":{"channel":"web","id":"local","name":"You"},"conversation":{"channel":"web","chat":"from-before"},"thread":"ce0ebaaa-00a3-56ea-b51f-0184167e1c6f","assistant":"agent","language":"","user_text":"My name is Ada and I like tea.","reply_text":"Hello! I am Parley''s built-in demonstration: a small program, no AI. Set `agent.model` to talk to a real one.\n\nYou said: My name is Ada and I like tea.","at":1795639313.015897,"private":true}','','',0);
INSERT INTO "items" VALUES(4,'turns/web','web:from-before','',0,0,1,1.79563931437963104249e+09,1.79563931437963104249e+09,1.79563931437963104249e+09,NULL,'{"id":"message-0002","conversation":{"channel":"web","chat":"from-before"},"sender":{"channel":"web","id":"local","name":"You"},"text":"Write a long document about tea","addressed":true,"private":true,"sent_at":1795639314.377875}','{"stage":"running","items":[4],"thread":"ce0ebaaa-00a3-56ea-b51f-0184167e1c6f","run_id":"1f1e910a-64c2-6dda-8e77-4db7c38923e9","began":1795639314.4000957,"tenure":"f72f08f6"}','',2);
INSERT INTO "items" VALUES(5,'turns/web','web:waiting-chat','',0,0,1,1.79563931440668654443e+09,1.79563931440668654443e+09,1.79563931440668654443e+09,NULL,'{"id":"message-0003","conversation":{"channel":"web","chat":"waiting-chat"},"sender":{"channel":"web","id":"local","name":"You"},"text":"What time is it?","addressed":true,"private":true,"sent_at":1795639314.384966}','','',0);
CREATE TABLE lanes (
        queue TEXT NOT NULL,
        lane TEXT NOT NULL,
        epoch INTEGER NOT NULL DEFAULT 0,
        node TEXT,
        claimed_at REAL NOT NULL DEFAULT 0,
        ready_at REAL, claims INTEGER NOT NULL DEFAULT 0, trials INTEGER NOT NULL DEFAULT 0,
        PRIMARY KEY (queue, lane)
    ) WITHOUT ROWID;
INSERT INTO "lanes" VALUES('memory','web:local',0,NULL,0.0,1.79563934436289048199e+09,0,0);
INSERT INTO "lanes" VALUES('turns/web','web:from-before',2,'process 22495',1.79563931438094782824e+09,9e999,1,0);
INSERT INTO "lanes" VALUES('turns/web','web:waiting-chat',3,'process 22495',1.79563931440883874893e+09,9e999,1,0);
CREATE TABLE meta (key TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
INSERT INTO "meta" VALUES('deleted',0);
INSERT INTO "meta" VALUES('epoch',3);
INSERT INTO "meta" VALUES('schema',3);
CREATE TABLE names (
        queue TEXT NOT NULL,
        name TEXT NOT NULL,
        put_at REAL NOT NULL,
        PRIMARY KEY (queue, name)
    ) WITHOUT ROWID;
INSERT INTO "names" VALUES('turns/web','web:message-0001',1.79563931303980445861e+09);
INSERT INTO "names" VALUES('memory','cc6987654f2f529287666ad1b95dd9dd',1.79563931436289048191e+09);
INSERT INTO "names" VALUES('turns/web','web:message-0002',1.79563931437963104249e+09);
INSERT INTO "names" VALUES('turns/web','web:message-0003',1.79563931440668654443e+09);
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
INSERT INTO "tallies" VALUES('account/web:local/day/2026-11-25',1798243200.0,1,1,8,29,37,0);
INSERT INTO "tallies" VALUES('channel/web/day/2026-11-25',1798243200.0,1,1,8,29,37,0);
INSERT INTO "tallies" VALUES('chat/web:from-before/day/2026-11-25',1798243200.0,1,1,8,29,37,0);
CREATE INDEX lanes_ready ON lanes (queue, ready_at) WHERE ready_at IS NOT NULL;
CREATE INDEX lanes_held ON lanes (node) WHERE node IS NOT NULL;
CREATE INDEX items_waiting ON items (queue, lane, id) WHERE state = 0;
CREATE UNIQUE INDEX items_slot ON items (queue, lane, slot) WHERE state = 0 AND slot <> '';
CREATE INDEX items_ended ON items (state, ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX names_by_age ON names (put_at);
CREATE INDEX tallies_by_age ON tallies (until);
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('items',5);
COMMIT;
