"use strict";
// A robot on DingTalk's own stream client. The client has the platform's two addresses in it, so what it asks of
// them over its HTTP library is sent to the simulator instead; nothing of the client itself is changed.

const { FILE, digest, run, settings, tell } = require("./harness.cjs");
const axios = require("axios");
const { DWClient, TOPIC_ROBOT } = require("dingtalk-stream");

const PLATFORM = /^https:\/\/o?api\.dingtalk\.com/;
axios.interceptors.request.use((request) => {
  request.url = request.url.replace(PLATFORM, settings.url);
  return request;
});

const client = new DWClient({ clientId: settings.client_id, clientSecret: settings.client_secret, keepAlive: true });
client.reconnectInterval = 100;

async function call(path, body) {
  const headers = { "x-acs-dingtalk-access-token": await client.getAccessToken() };
  const { data } = await axios.post(`https://api.dingtalk.com${path}`, body, { headers });
  return data;
}

async function fetched(message) {
  const { downloadCode, fileName } = message.content;
  const { robotCode } = message;
  const { downloadUrl } = await call("/v1.0/robot/messageFiles/download", { downloadCode, robotCode });
  const got = await axios.get(downloadUrl, { responseType: "arraybuffer" });
  tell("file", { name: fileName, digest: digest(got.data) });
}

async function sendFile(message) {
  const form = new FormData();
  form.append("media", new Blob([FILE.content]), FILE.name);
  const query = `access_token=${await client.getAccessToken()}&type=file`;
  const stored = await axios.post(`https://oapi.dingtalk.com/media/upload?${query}`, form);
  const shown = { mediaId: stored.data.media_id, fileName: FILE.name, fileType: "pdf" };
  await call("/v1.0/robot/oToMessages/batchSend", {
    robotCode: message.robotCode,
    userIds: [message.senderStaffId],
    msgKey: "sampleFile",
    msgParam: JSON.stringify(shown),
  });
}

async function stream(message) {
  const outTrackId = `node-${message.msgId}`;
  await call("/v1.0/card/instances/createAndDeliver", {
    cardTemplateId: settings.template,
    outTrackId,
    callbackType: "STREAM",
    cardData: { cardParamMap: { content: "" } },
    openSpaceId: `dtv1.card//IM_ROBOT.${message.senderStaffId}`,
    imRobotOpenDeliverModel: { spaceType: "IM_ROBOT", robotCode: message.robotCode },
    imRobotOpenSpaceModel: { supportForward: true },
  });
  const headers = { "x-acs-dingtalk-access-token": await client.getAccessToken() };
  for (const [guid, content] of ["word by", "word by word"].entries()) {
    const body = { outTrackId, guid: `g${guid}`, key: "content", content, isFull: true, isFinalize: guid === 1 };
    await axios.put("https://api.dingtalk.com/v1.0/card/streaming", body, { headers });
  }
}

async function answer(message) {
  if (message.msgtype === "file") return fetched(message);
  const words = message.text.content.trim();
  if (words === "file please") return sendFile(message);
  if (words === "stream please") return stream(message);
  const text = { content: `you said ${words}` };
  return axios.post(message.sessionWebhook, { msgtype: "text", text });
}

run(async () => {
  client.registerCallbackListener(TOPIC_ROBOT, async (frame) => {
    client.socketCallBackResponse(frame.headers.messageId, "OK");
    await answer(JSON.parse(frame.data));
  });
  // The client's connect() swallows a refusal and tries for ever: so it is asked for the endpoint first.
  await client.getEndpoint();
  await client.connect();
  tell("connected");
});
