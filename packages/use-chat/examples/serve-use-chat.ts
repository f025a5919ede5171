import assert from "node:assert/strict";
import { Agent, defineTool, InMemoryStorage } from "@troupe/core";
import { createService, serve } from "@troupe/core/service";
import { ScriptedModel } from "@troupe/core/testing";
import { http } from "@troupe/http";
import { chatStream } from "@troupe/use-chat";

const pay = defineTool({
  name: "pay",
  description: "Pays a bill.",
  parameters: { type: "object", properties: { amount: { type: "number" } } },
  needsApproval: true,
  execute: () => "Paid.",
});
const model = new ScriptedModel({ toolCalls: [{ name: "pay", arguments: { amount: 20 } }] }, "It is paid.");
const helper = new Agent({ name: "helper", model, tools: [pay] });
// For runs that survive the process: SqliteStorage of @troupe/storage-sqlite.
const storage = new InMemoryStorage();

// #region readme
const service = createService({ agents: { helper }, storage, durable: true });
const { url } = await serve(service, [http(), chatStream()], { port: 0 });
// #endregion

const api = `${url}/agents/helper/ui`;

/** A chunk of the AI SDK's UI message stream. */
type Chunk = { type: string; messageId?: string; approvalId?: string; delta?: string };

/** Sends what `useChat` sends, and reads the chunks that it reads. */
async function send(body: object): Promise<Chunk[]> {
  const headers = { "content-type": "application/json" };
  const answer = await fetch(api, { method: "POST", headers, body: JSON.stringify({ id: "chat-1", ...body }) });
  assert.equal(answer.headers.get("x-vercel-ai-ui-message-stream"), "v1");
  const frames = (await answer.text()).split("\n\n").filter((frame) => frame.startsWith("data: {"));
  return frames.map((frame) => JSON.parse(frame.slice("data: ".length)) as Chunk);
}

const question = { id: "u1", role: "user", parts: [{ type: "text", text: "Pay the bill." }] };
const asked = await send({ messages: [question] });
const messageId = asked[0]?.messageId;
const { approvalId: id } = asked.find(({ type }) => type === "tool-approval-request") ?? {};

const part = { type: "tool-pay", state: "approval-responded", approval: { id, approved: true } };
const answered = await send({ messageId, messages: [question, { id: messageId, role: "assistant", parts: [part] }] });
assert.equal(answered[0]?.messageId, messageId);
assert.equal(answered.map(({ delta = "" }) => delta).join(""), "It is paid.");

await service.close();
