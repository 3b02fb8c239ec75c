"use strict";
// A bot on Slack's own Socket Mode client and Web API client.

const { FILE, digest, run, settings, tell } = require("./harness.cjs");
const { SocketModeClient } = require("@slack/socket-mode");
const { WebClient } = require("@slack/web-api");

const { api_url: slackApiUrl, bot_token: botToken, app_token: appToken } = settings;
const web = new WebClient(botToken, { slackApiUrl });

async function answer(event) {
  const place = { channel: event.channel, thread_ts: event.thread_ts };
  if (event.files) {
    const { url_private_download: url, name } = event.files[0];
    const got = await fetch(url, { headers: { Authorization: `Bearer ${botToken}` } });
    tell("file", { name, digest: digest(Buffer.from(await got.arrayBuffer())) });
  } else if (event.text === "file please") {
    await web.filesUploadV2({ channel_id: event.channel, filename: FILE.name, file: FILE.content });
  } else if (event.text === "stream please") {
    const stream = web.chatStream({
      channel: event.channel,
      thread_ts: event.ts,
      recipient_user_id: event.user,
      recipient_team_id: event.team,
    });
    await stream.append({ markdown_text: "word by " });
    await stream.append({ markdown_text: "word" });
    await stream.stop();
  } else {
    await web.chat.postMessage({ ...place, text: `you said ${event.text}` });
  }
}

run(async () => {
  const me = await web.auth.test();
  const socket = new SocketModeClient({ appToken, clientPingTimeout: 300, clientOptions: { slackApiUrl } });
  socket.on("connected", () => tell("connected"));
  socket.on("message", async ({ ack, event }) => {
    await ack();
    if (event.user !== me.user_id) await answer(event);
  });
  await socket.start();
});
