"use strict";
// A bot on grammY, which polls.

const { FILE, digest, run, settings, tell } = require("./harness.cjs");
const { Bot, InputFile } = require("grammy");

const bot = new Bot(settings.bot_token, { client: { apiRoot: settings.api_url } });

bot.on("message:document", async (ctx) => {
  const { file_path: path } = await ctx.getFile();
  const got = await fetch(`${settings.api_url}/file/bot${settings.bot_token}/${path}`);
  const name = ctx.message.document.file_name;
  tell("file", { name, digest: digest(Buffer.from(await got.arrayBuffer())) });
});

bot.on("message:text", async (ctx) => {
  const { text } = ctx.message;
  if (text === "file please") {
    await ctx.replyWithDocument(new InputFile(FILE.content, FILE.name));
  } else if (text === "stream please") {
    const sent = await ctx.reply("word by");
    await ctx.api.editMessageText(ctx.chat.id, sent.message_id, "word by word");
  } else {
    await ctx.reply(`you said ${text}`);
  }
});

bot.catch(({ error }) => tell("broken", { error: String(error) }));

run(() => bot.start({ onStart: () => tell("connected") }));
