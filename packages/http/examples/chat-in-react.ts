import assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { Chat } from "@ai-sdk/react";
import { Agent, defineTool, InMemoryStorage, RunService } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { createAgentRouter } from "@troupe/http";
import { DefaultChatTransport, isToolUIPart, lastAssistantMessageIsCompleteWithApprovalResponses } from "ai";
import express from "express";

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
const runs = new RunService({ agents: { helper }, storage: new InMemoryStorage() });
await runs.serve();

// #region readme
const app = express().use(createAgentRouter({ agents: { helper }, runs, ui: true }));
// #endregion

const server = app.listen(0, "127.0.0.1");
await once(server, "listening");
const api = `http://127.0.0.1:${(server.address() as AddressInfo).port}/agents/helper/ui`;

// In a component: const { messages, sendMessage, addToolApprovalResponse } = useChat({ transport, … });
const chat = new Chat({
  transport: new DefaultChatTransport({ api }),
  sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
});
await chat.sendMessage({ text: "Pay the bill." });
const asked = chat.messages.at(-1)?.parts.find(isToolUIPart);
assert.equal(asked?.state, "approval-requested");

await chat.addToolApprovalResponse({ id: asked?.approval?.id ?? "", approved: true });
const untilAnswered = AbortSignal.timeout(20_000);
while (chat.messages.at(-1)?.parts.at(-1)?.type !== "text" || chat.status !== "ready") {
  untilAnswered.throwIfAborted();
  await new Promise((resolve) => setTimeout(resolve, 5));
}
assert.equal(chat.messages.length, 2);

server.close();
server.closeAllConnections();
await runs.close();
