import assert from "node:assert/strict";
import { Agent } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";

const model = new ScriptedModel("Oslo.");
const guide = new Agent({ name: "guide", description: "Knows the capitals of all countries.", model });
const port = 0;

// #region readme
import { a2a } from "@troupe/a2a";
import { createService, serve } from "@troupe/core/service";

const service = createService({ agents: { guide } });
const { url } = await serve(service, [a2a({ pushNotifications: true })], { port });
// #endregion

const card = (await (await fetch(`${url}/.well-known/agent-card.json`)).json()) as { url: string };
assert.equal(new URL(card.url).pathname, "/a2a");
const message = { messageId: "1", role: "ROLE_USER", parts: [{ text: "What is the capital of Norway?" }] };
const answer = await fetch(card.url, {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "SendMessage", params: { message } }),
});
const { result } = (await answer.json()) as { result: { task: { artifacts: { parts: { text: string }[] }[] } } };
assert.equal(result.task.artifacts[0]?.parts[0]?.text, "Oslo.");
await service.close();
