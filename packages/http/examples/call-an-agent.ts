import assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { Agent } from "@troupe/core";
import type { RunOutput, StreamChunk } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { createAgentRouter } from "@troupe/http";
import express from "express";

const model = new ScriptedModel("Take an umbrella.", { text: ["It still ", "rains."] });
const app = express().use(createAgentRouter({ agents: { helper: new Agent({ name: "helper", model }) } }));
const server = app.listen(0, "127.0.0.1");
await once(server, "listening");
const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const streamed: string[] = [];
const show = (piece: string) => streamed.push(piece);

// #region readme
async function post(path: string, body: object): Promise<Response> {
  const headers = { "content-type": "application/json" };
  return await fetch(base + path, { method: "POST", headers, body: JSON.stringify(body) });
}

const answer = await post("/agents/helper/run", { input: "What should I take along to Oslo?" });
const { text, usage, sessionId } = (await answer.json()) as RunOutput;

const stream = await post("/agents/helper/stream", { input: "And tomorrow?", sessionId });
let unread = "";
for await (const piece of stream.body?.pipeThrough(new TextDecoderStream()) ?? []) {
  const lines = (unread + piece).split("\n");
  unread = lines.pop() ?? "";
  for (const line of lines.filter((each) => each.startsWith("data: "))) {
    const event = JSON.parse(line.slice("data: ".length)) as StreamChunk | { type: "error"; error: Error };
    if (event.type === "text") show(event.text);
    if (event.type === "error") throw new Error(event.error.message);
  }
}
// #endregion

server.closeAllConnections();
server.close();
assert.equal(text, "Take an umbrella.");
assert.equal(usage.totalTokens, 15);
assert.equal(streamed.join(""), "It still rains.");
assert.deepEqual(model.calls[1]?.messages.map(({ content }) => content).slice(-3), [
  "What should I take along to Oslo?",
  "Take an umbrella.",
  "And tomorrow?",
]);
