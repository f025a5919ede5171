import { as, get, post, send } from "./entry.ts";
import type { Entry, Headers, Seen } from "./entry.ts";

const both = "application/json, text/event-stream";
const info = { name: "recorder", version: "1" };
const initialize = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: info };

/** Makes a request of the revision 2025-11-25. */
function first(method: string, params: object = {}, headers: Headers = as("ada")): Buffer {
  const body = { jsonrpc: "2.0", id: 1, method, params };
  return post("/mcp", body, { Accept: both, "MCP-Protocol-Version": "2025-11-25", ...headers });
}

/** Makes a request of the stateless revision 2026-07-28. */
function modern(
  method: string,
  params: { name?: string; taskId?: string; [field: string]: unknown } = {},
  capabilities: object = {},
): Buffer {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": info,
    "io.modelcontextprotocol/clientCapabilities": capabilities,
  };
  const name = params.name ?? params.taskId;
  return post(
    "/mcp",
    { jsonrpc: "2.0", id: 1, method, params: { ...params, _meta } },
    as("ada", {
      Accept: both,
      "MCP-Protocol-Version": "2026-07-28",
      "Mcp-Method": method,
      ...(name && { "Mcp-Name": name }),
    }),
  );
}

const ask = (name: string, message: string, more: object = {}) => ({ name, arguments: { message }, ...more });
const tasks = { extensions: { "io.modelcontextprotocol/tasks": {} } };
const taskOf = (seen: Seen, title: string): string => seen.match(title, /"taskId":"([^"]+)"/);
const isOver = (title: string) => (seen: Seen) => ({
  request: first("tasks/get", { taskId: taskOf(seen, title) }),
  until: '"status":"completed"',
});

const firstEntries: readonly Entry[] = [
  {
    title: "mcp: initialize",
    request: post(
      "/mcp",
      { jsonrpc: "2.0", id: 0, method: "initialize", params: initialize },
      as("ada", { Accept: both }),
    ),
  },
  {
    title: "mcp: initialize with a version that is not known",
    request: post(
      "/mcp",
      { jsonrpc: "2.0", id: 0, method: "initialize", params: { ...initialize, protocolVersion: "1999-01-01" } },
      { Accept: both },
    ),
  },
  {
    title: "mcp: initialized",
    request: post("/mcp", { jsonrpc: "2.0", method: "notifications/initialized" }, { Accept: both }),
  },
  { title: "mcp: ping", request: first("ping") },
  { title: "mcp: list tools", request: first("tools/list") },
  { title: "mcp: call", request: first("tools/call", ask("ask_helper", "Hello")) },
  {
    title: "mcp: call in a session",
    request: first("tools/call", { name: "ask_helper", arguments: { message: "Hello", sessionId: "x2" } }),
  },
  {
    title: "mcp: call with progress",
    request: first("tools/call", ask("ask_helper", "Hello", { _meta: { progressToken: "p" } })),
  },
  { title: "mcp: call with structured output", request: first("tools/call", ask("ask_typed", "Who?")) },
  { title: "mcp: call an agent that fails", request: first("tools/call", ask("ask_failing", "Hi")) },
  { title: "mcp: call a durable agent", request: first("tools/call", ask("ask_writer", "weather")) },
  { title: "mcp: call an agent that asks", request: first("tools/call", ask("ask_cashier", "pay")) },
  { title: "mcp: call a team", request: first("tools/call", ask("ask_desk", "Hi")) },
  {
    title: "mcp: call a workflow",
    request: first("tools/call", { name: "run_counter", arguments: { input: { count: 3 } } }),
  },
  { title: "mcp: call an unknown tool", request: first("tools/call", ask("ask_nobody", "Hi")) },
  {
    title: "mcp: call with wrong arguments",
    request: first("tools/call", { name: "ask_helper", arguments: { text: "Hi" } }),
  },
  { title: "mcp: call as a task", request: first("tools/call", ask("ask_writer", "Hi", { task: { ttl: 60_000 } })) },
  {
    title: "mcp: get a task",
    before: isOver("mcp: call as a task"),
    request: (seen) => first("tasks/get", { taskId: taskOf(seen, "mcp: call as a task") }),
  },
  {
    title: "mcp: the result of a task",
    request: (seen) => first("tasks/result", { taskId: taskOf(seen, "mcp: call as a task") }),
  },
  {
    title: "mcp: cancel a task that is over",
    request: (seen) => first("tasks/cancel", { taskId: taskOf(seen, "mcp: call as a task") }),
  },
  { title: "mcp: list tasks", request: first("tasks/list") },
  { title: "mcp: list tasks without a user", request: first("tasks/list", {}, {}) },
  { title: "mcp: get an unknown task", request: first("tasks/get", { taskId: "none" }) },
  { title: "mcp: an unknown method", request: first("other/method") },
  { title: "mcp: list prompts", request: first("prompts/list") },
  { title: "mcp: a session that is not known", request: first("ping", {}, { "Mcp-Session-Id": "none" }) },
];

const modernEntries: readonly Entry[] = [
  { title: "mcp modern: discover", request: modern("server/discover") },
  { title: "mcp modern: list tools", request: modern("tools/list") },
  { title: "mcp modern: call", request: modern("tools/call", ask("ask_helper", "Hello")) },
  { title: "mcp modern: call with structured output", request: modern("tools/call", ask("ask_typed", "Who?")) },
  { title: "mcp modern: call an agent that fails", request: modern("tools/call", ask("ask_failing", "Hi")) },
  { title: "mcp modern: call an unknown tool", request: modern("tools/call", ask("ask_nobody", "Hi")) },
  { title: "mcp modern: call as a task", request: modern("tools/call", ask("ask_writer", "Hi"), tasks) },
  {
    title: "mcp modern: get a task",
    before: isOver("mcp modern: call as a task"),
    request: (seen) => modern("tasks/get", { taskId: taskOf(seen, "mcp modern: call as a task") }, tasks),
  },
  {
    title: "mcp modern: get a task without the extension",
    request: (seen) => modern("tasks/get", { taskId: taskOf(seen, "mcp modern: call as a task") }),
  },
  { title: "mcp modern: an unknown method", request: modern("other/method") },
  {
    title: "mcp modern: another method in the header",
    request: post(
      "/mcp",
      { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} },
      { Accept: both, "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call" },
    ),
  },
];

const errorEntries: readonly Entry[] = [
  { title: "mcp: GET", request: get("/mcp", { Accept: "text/event-stream" }) },
  { title: "mcp: DELETE", request: send("DELETE /mcp", { "Mcp-Session-Id": "none" }) },
  { title: "mcp: OPTIONS", request: send("OPTIONS /mcp") },
  { title: "mcp: HEAD", request: send("HEAD /mcp") },
  { title: "mcp: PUT", request: send("PUT /mcp") },
  { title: "mcp: TRACE", request: send("TRACE /mcp") },
  { title: "mcp: another site", request: first("ping", {}, { Origin: "https://evil.example" }) },
  { title: "mcp: its own page", request: first("ping", {}, { Origin: "http://localhost" }) },
  { title: "mcp: an allowed origin", request: first("ping", {}, { Origin: "https://app.example" }) },
  { title: "mcp: a host that is not allowed", request: first("ping", {}, { Host: "evil.example" }) },
  { title: "mcp: a user who is refused", request: first("ping", {}, as("intruder")) },
  { title: "mcp: accepts only JSON", request: first("ping", {}, { Accept: "application/json" }) },
  { title: "mcp: accepts only events", request: first("ping", {}, { Accept: "text/event-stream" }) },
  { title: "mcp: JSON that is cut", request: post("/mcp", "{", { Accept: both }) },
  { title: "mcp: no JSON-RPC", request: post("/mcp", { method: "ping" }, { Accept: both }) },
  { title: "mcp: a batch", request: post("/mcp", [{ jsonrpc: "2.0", id: 1, method: "ping" }], { Accept: both }) },
  { title: "mcp: plain text", request: first("ping", {}, { "Content-Type": "text/plain" }) },
  {
    title: "mcp: too large",
    request: send("POST /mcp", { "Content-Type": "application/json", "Content-Length": "9999999999" }),
  },
  { title: "mcp: a wrong version", request: first("ping", {}, { "MCP-Protocol-Version": "1999-01-01" }) },
  { title: "mcp: a wrong key", request: first("ping", {}, { "X-Api-Key": "a b" }) },
  {
    title: "mcp: a path below",
    request: post("/mcp/below", { jsonrpc: "2.0", id: 1, method: "ping" }, { Accept: both }),
  },
];

/** Requests of MCP in the revisions 2025-11-25 and 2026-07-28. */
export const mcpEntries: readonly Entry[] = [...firstEntries, ...modernEntries, ...errorEntries];
