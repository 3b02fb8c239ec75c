// A chat on LangChain's useStream, which asks the agent's server as agent-chat-ui does.
import { createElement as element, useState } from "react";
import { createRoot } from "react-dom/client";
import { Client } from "@langchain/langgraph-sdk";
import { useStream } from "@langchain/langgraph-sdk/react";

const settings = JSON.parse(document.getElementById("settings").textContent);
const hello = { messages: [{ type: "human", content: "hi" }] };

function Chat() {
  const [thread, setThread] = useState(null);
  const stream = useStream({
    apiUrl: settings.url,
    apiKey: settings.key,
    assistantId: settings.assistant,
    threadId: thread,
    onThreadId: setThread,
    fetchStateHistory: true,
    reconnectOnMount: true,
  });
  const say = () =>
    stream.submit(hello, { streamMode: ["values"], streamSubgraphs: true, streamResumable: true });
  const answer = () => stream.submit(undefined, { command: { resume: "yes" } });
  return element(
    "main",
    null,
    element("button", { id: "say", onClick: say }, "say"),
    element("button", { id: "answer", onClick: answer }, "answer"),
    element("p", { id: "error" }, String(stream.error ?? "")),
    element("p", { id: "asked" }, JSON.stringify(stream.interrupt?.value ?? null)),
    element("p", { id: "said" }, stream.messages.map((message) => message.content).join(" / ")),
    element("p", { id: "history" }, stream.isLoading ? "" : String(stream.history.length)),
  );
}

createRoot(document.getElementById("root")).render(element(Chat));
const client = new Client({ apiUrl: settings.url, apiKey: settings.key, callerOptions: { maxRetries: 0 } });
client.threads.search({ limit: 1 }).then(
  () => (document.title = "allowed"),
  () => (document.title = "refused"),
);
