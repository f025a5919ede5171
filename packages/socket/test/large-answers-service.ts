// A gateway on the Unix socket that the first argument names, which holds at most the megabytes of the second for its clients. Its
// agent gives answers of three megabytes in one piece. Sends `{ isListening }` to its parent, and `{ clients, runs }` whenever it
// is asked.
import { createServer } from "node:http";
import { Agent, createLogger } from "@troupe/core";
import type { ModelProvider } from "@troupe/core";
import { Server } from "socket.io";
import { createAgentGateway } from "../src/create-agent-gateway.ts";

const usage = { promptTokens: 1, completionTokens: 1, totalTokens: 2 };
const text = "x".repeat(3 * 1024 * 1024);
const model: ModelProvider = {
  providerId: "large",
  modelId: "large",
  generate: async () => ({ text, toolCalls: [], usage, finishReason: "stop" }),
  async *stream() {
    yield { type: "text", text };
    yield { type: "finish", finishReason: "stop", usage };
  },
};

const http = createServer();
// A client that stops reading answers no pings, and would be disconnected for that.
const io = new Server(http, { pingInterval: 1_000_000 });
const gateway = createAgentGateway({
  io,
  agents: { a: new Agent({ name: "a", model, logLevel: "silent" }) },
  maxTotalBufferedBytes: Number(process.argv[3]) * 1024 * 1024,
  logger: createLogger({ level: "silent" }),
});
process.on("message", () =>
  process.send?.({ clients: io.of("/service").sockets.size, runs: gateway.service.servedRuns.size }),
);
http.listen(process.argv[2], () => process.send?.({ isListening: true }));
