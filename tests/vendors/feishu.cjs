"use strict";
// A bot on Feishu's own client: long connection and open platform.

const { FILE, digest, run, settings, tell } = require("./harness.cjs");
const lark = require("@larksuiteoapi/node-sdk");

const app = { appId: settings.app_id, appSecret: settings.app_secret, domain: settings.url };
const client = new lark.Client(app);

async function send(chat, kind, content) {
  await client.im.message.create({
    params: { receive_id_type: "chat_id" },
    data: { receive_id: chat, msg_type: kind, content: JSON.stringify(content) },
  });
}

async function bytesOf(stream) {
  const pieces = [];
  for await (const piece of stream) pieces.push(piece);
  return Buffer.concat(pieces);
}

async function stream(message) {
  const card = {
    schema: "2.0",
    config: { streaming_mode: true },
    body: { elements: [{ tag: "markdown", element_id: "md", content: "" }] },
  };
  const made = await client.cardkit.v1.card.create({ data: { type: "card_json", data: JSON.stringify(card) } });
  const card_id = made.data.card_id;
  await send(message.chat_id, "interactive", { type: "card", data: { card_id } });
  for (const [at, content] of ["word by", "word by word"].entries()) {
    await client.cardkit.v1.cardElement.content({
      path: { card_id, element_id: "md" },
      data: { content, sequence: at + 1 },
    });
  }
  const ended = JSON.stringify({ config: { streaming_mode: false } });
  await client.cardkit.v1.card.settings({ path: { card_id }, data: { settings: ended, sequence: 3 } });
}

const known = new Set();

async function answer({ message }) {
  // Feishu hands over again what it has not heard acknowledged: whoever takes it must know it.
  if (known.has(message.message_id)) return;
  known.add(message.message_id);
  const content = JSON.parse(message.content);
  if (message.message_type === "file") {
    const got = await client.im.messageResource.get({
      path: { message_id: message.message_id, file_key: content.file_key },
      params: { type: "file" },
    });
    tell("file", { name: content.file_name, digest: digest(await bytesOf(got.getReadableStream())) });
  } else if (content.text === "file please") {
    const data = { file_type: "stream", file_name: FILE.name, file: FILE.content };
    const { file_key } = await client.im.file.create({ data });
    await send(message.chat_id, "file", { file_key });
  } else if (content.text === "stream please") {
    await stream(message);
  } else {
    await send(message.chat_id, "text", { text: `you said ${content.text}` });
  }
}

run(async () => {
  const ws = new lark.WSClient({
    ...app,
    onReady: () => tell("connected"),
    onReconnected: () => tell("connected"),
    onError: (error) => tell("refused", { error: error.message }),
  });
  const eventDispatcher = new lark.EventDispatcher({}).register({ "im.message.receive_v1": answer });
  await ws.start({ eventDispatcher });
});
