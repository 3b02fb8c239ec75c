PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE meta (key TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
INSERT INTO meta VALUES('deleted',0);
INSERT INTO meta VALUES('epoch',3);
INSERT INTO meta VALUES('schema',1);
CREATE TABLE lanes (
        queue TEXT NOT NULL,
        lane TEXT NOT NULL,
        epoch INTEGER NOT NULL DEFAULT 0,
        node TEXT,
        claimed_at REAL NOT NULL DEFAULT 0,
        ready_at REAL,
        PRIMARY KEY (queue, lane)
    ) WITHOUT ROWID;
INSERT INTO lanes VALUES('memory','web:local',0,NULL,0.0,1795582445.3918607235);
INSERT INTO lanes VALUES('turns/web','web:from-before',2,'process 19001',1795582417.2859013079,1e999);
INSERT INTO lanes VALUES('turns/web','web:waiting-chat',3,'process 19001',1795582417.337143898,1e999);
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
INSERT INTO items VALUES(1,'turns/web','web:from-before','',1,0,1,1795582414.4235892295,1795582414.4235892295,1795582414.4235892295,1795582415.3926837443,'{"id":"message-0001","conversation":{"channel":"web","chat":"from-before"},"sender":{"channel":"web","id":"local","name":"You"},"text":"My name is Ada and I like tea.","addressed":true,"private":true,"sent_at":1795582414.408246}','{"stage":"delivered","items":[1],"thread":"b086040a-cfc1-56a1-90bb-514e94eb455f","run_id":"1f1e88c2-b46c-61ad-a5b7-979fc713ff9e","last_event":"1000000002","outcome":"answered","text":"Hello! I am Parley''s built-in demonstration: a small program, no AI. Set `agent.model` to talk to a real one.\n\nYou said: My name is Ada and I like tea.","began":1795582414.432937}','');
INSERT INTO items VALUES(2,'memory','web:local','learn',0,0,1,1795582415.3918607234,1795582415.3918607234,1795582445.3918607235,NULL,'','','');
INSERT INTO items VALUES(3,'memory','web:local','',0,0,1,1795582415.3918607234,1795582415.3918607234,1795582415.3918607234,NULL,'{"id":"60983fdbf6995f4084422ca212378c5a","person":"web:local","speaker":{"channel":"web","id":"local","name":"You"},"conversation":{"channel":"web","chat":"from-before"},"thread":"b086040a-cfc1-56a1-90bb-514e94eb455f","assistant":"agent","language":"","user_text":"My name is Ada and I like tea.","reply_text":"Hello! I am Parley''s built-in demonstration: a small program, no AI. Set `agent.model` to talk to a real one.\n\nYou said: My name is Ada and I like tea.","at":1795582414.408246,"private":true}','','');
INSERT INTO items VALUES(4,'turns/web','web:from-before','',0,0,1,1795582417.2818400859,1795582417.2818400859,1795582417.2818400859,NULL,'{"id":"message-0002","conversation":{"channel":"web","chat":"from-before"},"sender":{"channel":"web","id":"local","name":"You"},"text":"Write a long document about tea","addressed":true,"private":true,"sent_at":1795582417.258058}','{"stage":"running","items":[4],"thread":"b086040a-cfc1-56a1-90bb-514e94eb455f","run_id":"1f1e88c2-cfde-6793-a564-9141713aecba","last_event":"1000000004","began":1795582417.3208385}','');
INSERT INTO items VALUES(5,'turns/web','web:waiting-chat','',0,0,1,1795582417.3196387291,1795582417.3196387291,1795582417.3196387291,NULL,'{"id":"message-0003","conversation":{"channel":"web","chat":"waiting-chat"},"sender":{"channel":"web","id":"local","name":"You"},"text":"What time is it?","addressed":true,"private":true,"sent_at":1795582417.28684}','{"stage":"running","items":[5],"thread":"f4066ed8-07d1-5db7-9219-9a3ce2f692bf","run_id":"1f1e88c2-d07c-6f3a-a300-4b5bdffb54da","last_event":"1000000002","began":1795582417.3839586}','');
CREATE TABLE names (
        queue TEXT NOT NULL,
        name TEXT NOT NULL,
        put_at REAL NOT NULL,
        PRIMARY KEY (queue, name)
    ) WITHOUT ROWID;
INSERT INTO names VALUES('turns/web','web:message-0001',1795582414.4235892295);
INSERT INTO names VALUES('memory','60983fdbf6995f4084422ca212378c5a',1795582415.3918607234);
INSERT INTO names VALUES('turns/web','web:message-0002',1795582417.2818400859);
INSERT INTO names VALUES('turns/web','web:message-0003',1795582417.3196387291);
CREATE TABLE documents (
        key TEXT PRIMARY KEY,
        body TEXT NOT NULL,
        version INTEGER NOT NULL
    ) WITHOUT ROWID;
INSERT INTO documents VALUES('health/probe','1795582414',1);
INSERT INTO documents VALUES('instance','71a66e59-2e28-464e-89bd-62f47414da83',1);
INSERT INTO documents VALUES('thread/web:from-before','{"title":"My name is Ada and I like tea.","last_at":1795582415.392504,"said":["My name is Ada and I like tea."],"last":[{"id":"message-0001","conversation":{"channel":"web","chat":"from-before"},"sender":{"channel":"web","id":"local","name":"You"},"text":"My name is Ada and I like tea.","addressed":true,"private":true,"sent_at":1795582414.408246}]}',1);
INSERT INTO documents VALUES('web/chat/from-before','{"id":"from-before","title":"My name is Ada and I like tea.","named":false,"created":1795582414.4226606,"updated":1795582417.2780683,"topics":[]}',3);
INSERT INTO documents VALUES('web/chat/waiting-chat','{"id":"waiting-chat","title":"What time is it?","named":false,"created":1795582417.3100336,"updated":1795582417.3100379,"topics":[]}',1);
INSERT INTO documents VALUES('web/id/19c6d8fc227c7987e5c3617afb1548c3','web/log/from-before/-/8204417582691831-19c6d8',1);
INSERT INTO documents VALUES('web/id/2e0b5fccb06895a1483dfe1c997dd999','web/log/from-before/-/8204417585591754-2e0b5f',1);
INSERT INTO documents VALUES('web/id/36072a2ddad13affdd160fefe4a1f3cb','web/log/waiting-chat/-/8204417582713160-36072a',1);
INSERT INTO documents VALUES('web/id/6e6bae74c7e31938c9794fb8b703579f','web/log/waiting-chat/-/8204417582654026-6e6bae',1);
INSERT INTO documents VALUES('web/id/752e3adc66c7446f4aaa586ad0c28154','web/log/from-before/-/8204417585570458-752e3a',1);
INSERT INTO documents VALUES('web/id/93e8f223c0e61c582b222167f4f01b9a','web/log/from-before/-/8204417582741942-93e8f2',1);
INSERT INTO documents VALUES('web/log/from-before/-/8204417582741942-93e8f2','{"id":"message-0002","role":"user","pos":1795582417258058,"text":"Write a long document about tea","reply_to":"","steps":[],"files":[],"question":null,"asks":0,"final":true}',1);
INSERT INTO documents VALUES('web/log/from-before/-/8204417585570458-752e3a','{"id":"60983fdbf6995f4084422ca212378c5a","role":"agent","pos":1795582414429542,"text":"Hello! I am Parley''s built-in demonstration: a small program, no AI. Set `agent.model` to talk to a real one.\n\nYou said: My name is Ada and I like tea.","reply_to":"message-0001","steps":[],"files":[],"question":null,"asks":0,"final":true}',1);
INSERT INTO documents VALUES('web/log/from-before/-/8204417585591754-2e0b5f','{"id":"message-0001","role":"user","pos":1795582414408246,"text":"My name is Ada and I like tea.","reply_to":"","steps":[],"files":[],"question":null,"asks":0,"final":true}',1);
INSERT INTO documents VALUES('web/log/waiting-chat/-/8204417582713160-36072a','{"id":"message-0003","role":"user","pos":1795582417286840,"text":"What time is it?","reply_to":"","steps":[],"files":[],"question":null,"asks":0,"final":true}',1);
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES('items',5);
CREATE INDEX lanes_ready ON lanes (queue, ready_at) WHERE ready_at IS NOT NULL;
CREATE INDEX lanes_held ON lanes (node) WHERE node IS NOT NULL;
CREATE INDEX items_waiting ON items (queue, lane, id) WHERE state = 0;
CREATE UNIQUE INDEX items_slot ON items (queue, lane, slot) WHERE state = 0 AND slot <> '';
CREATE INDEX items_ended ON items (state, ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX names_by_age ON names (put_at);
COMMIT;
