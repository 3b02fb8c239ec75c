PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE meta (key TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
INSERT INTO meta VALUES('deleted',0);
INSERT INTO meta VALUES('epoch',3);
INSERT INTO meta VALUES('schema',2);
CREATE TABLE lanes (
        queue TEXT NOT NULL,
        lane TEXT NOT NULL,
        epoch INTEGER NOT NULL DEFAULT 0,
        node TEXT,
        claimed_at REAL NOT NULL DEFAULT 0,
        ready_at REAL,
        PRIMARY KEY (queue, lane)
    ) WITHOUT ROWID;
INSERT INTO lanes VALUES('memory','web:local',0,NULL,0.0,1795582454.2158339024);
INSERT INTO lanes VALUES('turns/web','web:from-before',2,'process 19134',1795582425.9280049801,1e999);
INSERT INTO lanes VALUES('turns/web','web:waiting-chat',3,'process 19134',1795582425.9528961181,1e999);
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
    );
INSERT INTO items VALUES(1,'turns/web','web:from-before','',1,0,1,1795582423.0448002814,1795582423.0448002814,1795582423.0448002814,1795582424.2277185916,'{"id":"message-0001","conversation":{"channel":"web","chat":"from-before"},"sender":{"channel":"web","id":"local","name":"You"},"text":"My name is Ada and I like tea.","addressed":true,"private":true,"sent_at":1795582423.03948}','{"stage":"delivered","items":[1],"thread":"938ddf90-0108-5355-8d69-c3af0a4ab5e6","run_id":"1f1e88c3-06fb-60b0-b512-45671359933e","outcome":"answered","text":"Hello! I am Parley''s built-in demonstration: a small program, no AI. Set `agent.model` to talk to a real one.\n\nYou said: My name is Ada and I like tea.","began":1795582423.095786,"usage":[{"model":"parley-demonstration","input":8,"output":29}]}','');
INSERT INTO items VALUES(2,'memory','web:local','learn',0,0,1,1795582424.2158339023,1795582424.2158339023,1795582454.2158339024,NULL,'','','');
INSERT INTO items VALUES(3,'memory','web:local','',0,0,1,1795582424.2158339023,1795582424.2158339023,1795582424.2158339023,NULL,'{"id":"7be20374c5de5b92a141dff527912527","person":"web:local","speaker":{"channel":"web","id":"local","name":"You"},"conversation":{"channel":"web","chat":"from-before"},"thread":"938ddf90-0108-5355-8d69-c3af0a4ab5e6","assistant":"agent","language":"","user_text":"My name is Ada and I like tea.","reply_text":"Hello! I am Parley''s built-in demonstration: a small program, no AI. Set `agent.model` to talk to a real one.\n\nYou said: My name is Ada and I like tea.","at":1795582423.03948,"private":true}','','');
INSERT INTO items VALUES(4,'turns/web','web:from-before','',0,0,1,1795582425.9247238636,1795582425.9247238636,1795582425.9247238636,NULL,'{"id":"message-0002","conversation":{"channel":"web","chat":"from-before"},"sender":{"channel":"web","id":"local","name":"You"},"text":"Write a long document about tea","addressed":true,"private":true,"sent_at":1795582425.922056}','{"stage":"running","items":[4],"thread":"938ddf90-0108-5355-8d69-c3af0a4ab5e6","run_id":"1f1e88c3-2227-6ca4-8b61-87dd0b6d2cd3","began":1795582425.9394064}','');
INSERT INTO items VALUES(5,'turns/web','web:waiting-chat','',0,0,1,1795582425.9502339363,1795582425.9502339363,1795582425.9502339363,NULL,'{"id":"message-0003","conversation":{"channel":"web","chat":"waiting-chat"},"sender":{"channel":"web","id":"local","name":"You"},"text":"What time is it?","addressed":true,"private":true,"sent_at":1795582425.929239}','{"stage":"running","items":[5],"thread":"1101884b-30b2-53a5-9442-5f855f4970b7","run_id":"1f1e88c3-2275-6f3a-a59d-c84de1ff28fd","began":1795582425.9727876}','');
CREATE TABLE names (
        queue TEXT NOT NULL,
        name TEXT NOT NULL,
        put_at REAL NOT NULL,
        PRIMARY KEY (queue, name)
    ) WITHOUT ROWID;
INSERT INTO names VALUES('turns/web','web:message-0001',1795582423.0448002814);
INSERT INTO names VALUES('memory','7be20374c5de5b92a141dff527912527',1795582424.2158339023);
INSERT INTO names VALUES('turns/web','web:message-0002',1795582425.9247238636);
INSERT INTO names VALUES('turns/web','web:message-0003',1795582425.9502339363);
CREATE TABLE documents (
        key TEXT PRIMARY KEY,
        body TEXT NOT NULL,
        version INTEGER NOT NULL
    ) WITHOUT ROWID;
INSERT INTO documents VALUES('busy/chosen','no',1);
INSERT INTO documents VALUES('health/probe','1795582422',1);
INSERT INTO documents VALUES('instance','f13c0bc5-06bf-47b5-b84d-204e501665bb',1);
INSERT INTO documents VALUES('thread/web:from-before','{"owner":"web:local","voices":[["web:local"],["web:local"]],"title":"My name is Ada and I like tea.","last_at":1795582424.2272139,"said":["My name is Ada and I like tea."],"last":[{"id":"message-0001","conversation":{"channel":"web","chat":"from-before"},"sender":{"channel":"web","id":"local","name":"You"},"text":"My name is Ada and I like tea.","addressed":true,"private":true,"sent_at":1795582423.03948}]}',1);
INSERT INTO documents VALUES('web/chat/from-before','{"id":"from-before","title":"My name is Ada and I like tea.","named":false,"created":1795582423.040792,"updated":1795582425.9231653,"topics":[]}',3);
INSERT INTO documents VALUES('web/chat/waiting-chat','{"id":"waiting-chat","title":"What time is it?","named":false,"created":1795582425.9440532,"updated":1795582425.9440594,"topics":[]}',1);
INSERT INTO documents VALUES('web/id/0853e726ba8944c23264f0d30aeb22e4','web/log/from-before/-/8204417576909085-0853e7',1);
INSERT INTO documents VALUES('web/id/2e0b5fccb06895a1483dfe1c997dd999','web/log/from-before/-/8204417576960520-2e0b5f',1);
INSERT INTO documents VALUES('web/id/36072a2ddad13affdd160fefe4a1f3cb','web/log/waiting-chat/-/8204417574070761-36072a',1);
INSERT INTO documents VALUES('web/id/58fe62181fdbf2b7d8bc6e53a1b8a857','web/log/waiting-chat/-/8204417574028697-58fe62',1);
INSERT INTO documents VALUES('web/id/93e8f223c0e61c582b222167f4f01b9a','web/log/from-before/-/8204417574077944-93e8f2',1);
INSERT INTO documents VALUES('web/id/d3c2b6f938e5e5d4456b29d5f7cbdb30','web/log/from-before/-/8204417574061671-d3c2b6',1);
INSERT INTO documents VALUES('web/log/from-before/-/8204417574077944-93e8f2','{"id":"message-0002","role":"user","pos":1795582425922056,"text":"Write a long document about tea","reply_to":"","steps":[],"files":[],"question":null,"asks":0,"final":true,"edited":0,"edit":""}',1);
INSERT INTO documents VALUES('web/log/from-before/-/8204417576909085-0853e7','{"id":"7be20374c5de5b92a141dff527912527","role":"agent","pos":1795582423090915,"text":"Hello! I am Parley''s built-in demonstration: a small program, no AI. Set `agent.model` to talk to a real one.\n\nYou said: My name is Ada and I like tea.","reply_to":"message-0001","steps":[],"files":[],"question":null,"asks":0,"final":true,"edited":0,"edit":""}',1);
INSERT INTO documents VALUES('web/log/from-before/-/8204417576960520-2e0b5f','{"id":"message-0001","role":"user","pos":1795582423039480,"text":"My name is Ada and I like tea.","reply_to":"","steps":[],"files":[],"question":null,"asks":0,"final":true,"edited":0,"edit":""}',1);
INSERT INTO documents VALUES('web/log/waiting-chat/-/8204417574070761-36072a','{"id":"message-0003","role":"user","pos":1795582425929239,"text":"What time is it?","reply_to":"","steps":[],"files":[],"question":null,"asks":0,"final":true,"edited":0,"edit":""}',1);
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
INSERT INTO tallies VALUES('account/web:local/day/2026-11-25',1798243200.0,1,1,8,29,37,0);
INSERT INTO tallies VALUES('channel/web/day/2026-11-25',1798243200.0,1,1,8,29,37,0);
INSERT INTO tallies VALUES('chat/web:from-before/day/2026-11-25',1798243200.0,1,1,8,29,37,0);
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES('items',5);
CREATE INDEX lanes_ready ON lanes (queue, ready_at) WHERE ready_at IS NOT NULL;
CREATE INDEX lanes_held ON lanes (node) WHERE node IS NOT NULL;
CREATE INDEX items_waiting ON items (queue, lane, id) WHERE state = 0;
CREATE UNIQUE INDEX items_slot ON items (queue, lane, slot) WHERE state = 0 AND slot <> '';
CREATE INDEX items_ended ON items (state, ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX names_by_age ON names (put_at);
CREATE INDEX tallies_by_age ON tallies (until);
COMMIT;
