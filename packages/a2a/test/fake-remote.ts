import { createServer } from "node:http";
import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** A request to a fake agent. `rpc` is its body as JSON-RPC; requests without one have empty fields. */
export type Asked = {
  readonly verb: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly rpc: { id: unknown; method: string; params: { message: SentMessage; id: string } & Record<string, unknown> };
};

/** A message as a client sends it in any version, with the fields that tests read. */
export type SentMessage = { messageId: string; role: string; contextId: string; taskId: string; parts: object[] };

/** Answers a request: with what `result` and `frames` write, or by hand. */
export type Answer = (asked: Asked, response: ServerResponse) => unknown;

/** A fake agent: what it was asked, and its address. */
export type FakeRemote = {
  readonly url: string;
  readonly asked: Asked[];
  /** The methods that were called, in order. */
  readonly methods: string[];
};

/** A card of 1.0 with an endpoint at `/a2a`, and these fields. */
export function card1(fields: object = {}): object {
  return {
    name: "weather",
    description: "Knows the weather.",
    version: "1.0.0",
    supportedInterfaces: [{ url: "/a2a", protocolBinding: "JSONRPC", protocolVersion: "1.0" }],
    capabilities: { streaming: false },
    defaultInputModes: ["text/plain"],
    defaultOutputModes: ["text/plain"],
    skills: [],
    ...fields,
  };
}

/** Serves a fake agent until the test is over: its card, and what `answer` makes of the other requests. */
export async function fakeRemote(answer: Answer, card: object | null = card1()): Promise<FakeRemote> {
  const asked: Asked[] = [];
  const methods: string[] = [];
  const server = createServer((request, response) => {
    response.on("error", () => undefined);
    const chunks: Buffer[] = [];
    request.on("error", () => undefined).on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const text = Buffer.concat(chunks).toString();
      const rpc = { id: "", method: "", params: {}, ...(text !== "" && (JSON.parse(text) as object)) };
      const each = { verb: request.method ?? "", path: request.url ?? "", headers: request.headers, rpc } as Asked;
      asked.push(each);
      if (each.rpc.method !== "") methods.push(each.rpc.method);
      if (each.verb === "GET" && each.path === "/.well-known/agent-card.json" && card !== null)
        sendJson(response, card);
      else answer(each, response);
    });
  });
  server.listen(0, "127.0.0.1");
  await new Promise<void>((resolve) => server.once("listening", resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    methods,
  };
}

/** Sends a body as JSON. */
export function sendJson(response: ServerResponse, body: object, status = 200): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

/** Sends the result of a JSON-RPC request. */
export function sendResult({ rpc: { id } }: Asked, response: ServerResponse, result: unknown): void {
  sendJson(response, { jsonrpc: "2.0", id, result });
}

/** Sends the error of a JSON-RPC request. */
export function sendError({ rpc: { id } }: Asked, response: ServerResponse, code: number): void {
  sendJson(response, { jsonrpc: "2.0", id, error: { code, message: "remote-canary" } });
}

/** Begins a stream and sends results as frames of it; the stream stays open. */
export function sendFrames({ rpc: { id } }: Asked, response: ServerResponse, ...results: object[]): void {
  if (!response.headersSent) response.writeHead(200, { "content-type": "text/event-stream" });
  for (const result of results) response.write(`data: ${JSON.stringify({ jsonrpc: "2.0", id, result })}\n\n`);
}

/** A task of 1.0 in a state, with a text as its artifact. */
export function task1(state: string, text?: string, fields: object = {}): object {
  const artifacts = text === undefined ? {} : { artifacts: [{ artifactId: "a", parts: [{ text }] }] };
  return { id: "t-1", contextId: "c-1", status: { state: `TASK_STATE_${state}` }, ...artifacts, ...fields };
}

/** A frame of 1.0 that adds a text to the artifact of the task. */
export function piece1(text: string, append = true): object {
  return {
    artifactUpdate: { taskId: "t-1", contextId: "c-1", artifact: { artifactId: "a", parts: [{ text }] }, append },
  };
}

/** A frame of 1.0 with a status of the task. */
export function status1(state: string, text?: string): object {
  const said = text === undefined ? {} : { message: { messageId: "s", role: "ROLE_AGENT", parts: [{ text }] } };
  return { statusUpdate: { taskId: "t-1", contextId: "c-1", status: { state: `TASK_STATE_${state}`, ...said } } };
}

/** A condition that a test waits for, at most ten seconds. */
export async function until(holds: () => boolean): Promise<void> {
  for (const end = Date.now() + 10_000; !holds(); await new Promise((resolve) => setTimeout(resolve, 2))) {
    if (Date.now() > end) throw new Error("The condition did not come true.");
  }
}

/** Repeats a trial with more and more time, since a machine may be too slow for the least. */
export async function withPatience(trial: (timeoutMs: number) => Promise<void>): Promise<void> {
  for (let timeoutMs = 150; ; timeoutMs *= 4) {
    try {
      return await trial(timeoutMs);
    } catch (error) {
      if (timeoutMs > 3000) throw error;
    }
  }
}
