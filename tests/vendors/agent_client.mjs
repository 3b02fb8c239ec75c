// What programs in JavaScript ask of the agent's server, with LangChain's own client. Prints one line of JSON.
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const found = createRequire(join(process.env.NODE_PATH, "x")).resolve("@langchain/langgraph-sdk");
const { Client } = await import(pathToFileURL(found));
const client = new Client({ apiUrl: process.env.AGENT_URL, apiKey: process.env.AGENT_KEY });
const input = { messages: [{ role: "user", content: "hi" }] };

const { assistant_id: desk } = await client.assistants.create({ graphId: "who", context: { user_id: "js" } });
await client.assistants.update(desk, { graphId: "who", name: "Desk" });
const thread = (await client.threads.create()).thread_id;
const events = [];
for await (const part of client.runs.stream(thread, desk, { input, streamMode: ["updates", "debug"] }))
  events.push(part.event);
const copy = (await client.threads.copy(thread)).thread_id;
const late = await client.runs.create(thread, desk, { input, afterSeconds: 3600 });
await client.runs.cancel(thread, late.run_id, true);
const told = {
  versions: (await client.assistants.getVersions(desk)).map((each) => each.version),
  drawn: (await client.assistants.getGraph(desk)).nodes.map((each) => each.id),
  events: [...new Set(events)].sort(),
  copied: (await client.threads.getState(copy)).values.messages.map((each) => each.content),
  late: (await client.runs.get(thread, late.run_id)).status,
  threads: await client.threads.count({ metadata: { assistant_id: desk } }),
};
await client.assistants.delete(desk);
console.log(JSON.stringify(told));
