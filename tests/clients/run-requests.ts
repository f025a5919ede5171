const said = [{ role: "user", content: "Grüß Gott." }];
const call = {
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: { name: "ask_a", arguments: { message: "Grüß Gott." } },
};

/** Each request that begins a run which ends with its client: its path and its body. */
export const runRequests: Readonly<Record<string, readonly [path: string, body: object]>> = {
  "an answer over HTTP": ["/agents/a/run", { input: "Grüß Gott." }],
  "a stream over HTTP": ["/agents/a/stream", { input: "Grüß Gott." }],
  "a stream of useChat": [
    "/agents/a/ui",
    { id: "c", message: { id: "m", role: "user", parts: [{ type: "text", text: "Grüß Gott." }] } },
  ],
  "a run of AG-UI": ["/agui/agents/a", { threadId: "t", runId: "r", messages: [{ id: "u", ...said[0] }] }],
  "an answer of Chat Completions": ["/v1/chat/completions", { model: "a", messages: said }],
  "a stream of Chat Completions": ["/v1/chat/completions", { model: "a", messages: said, stream: true }],
  "an answer of Responses": ["/v1/responses", { model: "a", input: "Grüß Gott." }],
  "a stream of Responses": ["/v1/responses", { model: "a", input: "Grüß Gott.", stream: true }],
  "a tool call of MCP": ["/mcp", call],
};
