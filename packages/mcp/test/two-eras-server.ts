import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

type Message = { id?: number; method?: string; params?: { name?: string }; result?: { content?: { name?: string } } };

/** A server of both eras, and the names of the tools that it was asked to call, each with the era. */
export type TwoErasServer = { url: string; calls: string[]; close(): Promise<void> };

/**
 * Starts a server by hand that behaves as FastMCP 4 does: by the stateless revision its tool `greet` cannot ask, as
 * `ctx.elicit` cannot, and `guard` asks in its result; in a session begun by `initialize` it is the other way round.
 */
export async function startTwoErasServer(): Promise<TwoErasServer> {
  const calls: string[] = [];
  let onAnswer: (answer: Message) => void = () => {};
  const server = createServer((request, response) => {
    void (async () => {
      let body = "";
      for await (const chunk of request.setEncoding("utf8")) body += chunk as string;
      const message = JSON.parse(body === "" ? "{}" : body) as Message;
      const isModern = request.headers["mcp-protocol-version"] === "2026-07-28";
      if (message.method === "tools/call") calls.push(`${message.params?.name} ${isModern ? "2026" : "2025"}`);
      if (isModern) answerModern(message, response);
      else if (message.method === undefined && message.id !== undefined) {
        response.writeHead(202).end();
        onAnswer(message);
      } else answerInSession({ message, request, response, onAnswered: (take) => (onAnswer = take) });
    })();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const close = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, calls, close };
}

const capabilities = { tools: { listChanged: false } };
const tools = ["greet", "guard"].map((name) => ({ name, inputSchema: { type: "object" } }));
const question = {
  mode: "form",
  message: "Who are you?",
  requestedSchema: { type: "object", properties: { name: { type: "string" } } },
};

function textResult(text: string, isError = false): object {
  return { content: [{ type: "text", text }], isError };
}

function answerModern({ id, method, params }: Message & { params?: object }, response: ServerResponse): void {
  const complete = { resultType: "complete", ttlMs: 0, cacheScope: "private" };
  const { name, inputResponses } = (params ?? {}) as {
    name?: string;
    inputResponses?: { who: { content: { name: string } } };
  };
  const refusal = "elicitation via server-initiated requests is unavailable on 2026-07-28 connections.";
  const called = () => {
    if (name === "greet") return { ...complete, ...textResult(refusal, true) };
    if (inputResponses !== undefined)
      return { ...complete, ...textResult(`Guarded ${inputResponses.who.content.name}`) };
    return { resultType: "input_required", inputRequests: { who: { method: "elicitation/create", params: question } } };
  };
  const results: Record<string, () => object> = {
    "server/discover": () => ({ ...complete, supportedVersions: ["2026-07-28"], capabilities }),
    "tools/list": () => ({ ...complete, tools }),
    "tools/call": called,
  };
  const result = results[method ?? ""]?.();
  response.writeHead(result === undefined ? 404 : 200, { "content-type": "application/json" });
  response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
}

type InSession = {
  message: Message;
  request: IncomingMessage;
  response: ServerResponse;
  onAnswered: (take: (answer: Message) => void) => void;
};

function answerInSession({ message: { id, method, params }, request, response, onAnswered }: InSession): void {
  if (id === undefined) {
    response.writeHead(request.method === "POST" ? 202 : 405).end();
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream", "mcp-session-id": "the-session" });
  const send = (sent: object) => response.write(`data: ${JSON.stringify({ jsonrpc: "2.0", ...sent })}\n\n`);
  const end = (result: object) => {
    send({ id, result });
    response.end();
  };
  const serverInfo = { name: "two-eras", version: "1" };
  if (method === "initialize") end({ protocolVersion: "2025-11-25", capabilities, serverInfo });
  else if (method === "tools/list") end({ tools });
  else if (params?.name === "guard") end(textResult("The input_required result only exists at 2026-07-28.", true));
  else {
    onAnswered(({ result }) => end(textResult(`Hello ${result?.content?.name}`)));
    send({ id: 1, method: "elicitation/create", params: question });
  }
}
