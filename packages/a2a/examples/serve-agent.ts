import assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { ScriptedModel } from "@troupe/core/testing";

const model = new ScriptedModel("Oslo.");
const port = 0;

// #region readme
import { createA2AServer } from "@troupe/a2a";
import { Agent } from "@troupe/core";
import express from "express";

const guide = new Agent({ name: "guide", description: "Knows the capitals of all countries.", model });
const app = express();
app.use(createA2AServer({ agents: { guide } }));
const listener = app.listen(port);
// #endregion

await once(listener, "listening");
const url = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`;
const card = (await (await fetch(`${url}/.well-known/agent-card.json`)).json()) as { url: string };
const message = {
  kind: "message",
  messageId: "1",
  role: "user",
  parts: [{ kind: "text", text: "What is the capital of Norway?" }],
};
const answer = await fetch(card.url, {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "message/send", params: { message } }),
});
const { result } = (await answer.json()) as { result: { artifacts: { parts: { text: string }[] }[] } };
assert.equal(result.artifacts[0]?.parts[0]?.text, "Oslo.");
listener.close();
