import { call, message1 } from "./a2a-calls.ts";
import { as, get, post, send } from "./entry.ts";
import type { Entry } from "./entry.ts";

const held = "shutdown: a stream that is still open";

/** Requests to a service that has begun to end. The open stream keeps its listener open. */
export const shutdownEntries: readonly Entry[] = [
  { title: held, request: post("/agents/hanging/stream?early=1", { input: "Hi" }, as("ada")), goOnAt: '"So "' },
  { title: "shutdown: ready", endsService: true, request: get("/ready") },
  { title: "shutdown: health", request: get("/health") },
  { title: "shutdown: run", request: post("/agents/helper/run", { input: "Hi" }, as("ada")) },
  { title: "shutdown: stream", request: post("/agents/helper/stream", { input: "Hi" }, as("ada")) },
  { title: "shutdown: durable run", request: post("/agents/writer/run", { input: "Hi" }, as("ada")) },
  {
    title: "shutdown: chat",
    request: post("/agents/helper/ui", { id: "e1", message: { role: "user", parts: [{ type: "text", text: "Hi" }] } }),
  },
  { title: "shutdown: sessions", request: get("/sessions?limit=1", as("ada")) },
  { title: "shutdown: runs", request: get("/runs?limit=1", as("ada")) },
  { title: "shutdown: a2a", request: call("SendMessage", { message: message1("Hi") }) },
  { title: "shutdown: a2a rest", request: post("/a2a/rest/message:stream", { message: message1("Hi") }, as("ada")) },
  { title: "shutdown: card", request: send("HEAD /.well-known/agent-card.json") },
  {
    title: "shutdown: mcp",
    request: post("/mcp", { jsonrpc: "2.0", id: 1, method: "ping" }, { Accept: "application/json, text/event-stream" }),
  },
  {
    title: "shutdown: the stream is cancelled",
    request: (seen) => post(`/runs/${seen.header(held, "x-run-id")}/cancel`, {}, as("ada")),
  },
];
