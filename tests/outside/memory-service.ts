// The first server of the README, with uploads and a model that answers at once. Its sessions are in memory. Sends `{ port }`
// to its parent.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Agent } from "@troupe/core";
import type { ModelProvider } from "@troupe/core";
import { createAgentRouter } from "@troupe/http";
import express from "express";

const usage = { promptTokens: 1, completionTokens: 1, totalTokens: 2 };
const model: ModelProvider = {
  providerId: "quick",
  modelId: "quick",
  generate: async () => ({ text: "Yes.", toolCalls: [], usage, finishReason: "stop" }),
  async *stream() {
    yield { type: "text", text: "Yes." };
    yield { type: "finish", finishReason: "stop", usage };
  },
};

const helper = new Agent({ name: "helper", model, logLevel: "warn" });
const app = express().use((request, _, next) => {
  const userId = request.get("x-test-user");
  if (userId !== undefined) Object.assign(request, { principal: { userId } });
  next();
});
const server = createServer(app.use(createAgentRouter({ agents: { helper }, fileUpload: true })));
server.listen(0, "127.0.0.1", () => process.send?.({ port: (server.address() as AddressInfo).port }));
