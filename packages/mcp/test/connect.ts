import { onTestFinished } from "vitest";
import { Connection } from "../src/client/connection.ts";
import { ToolMaker } from "../src/client/make-tools.ts";
import { readMcpOptions } from "../src/client/mcp-options.ts";

type Message = { id?: number; method: string };
export type Answer = (message: Message, init: RequestInit) => Response | Promise<Response> | undefined;

export const ok = ({ id }: Message, result: object = {}, headers: Record<string, string> = {}) =>
  Response.json({ jsonrpc: "2.0", id, result }, { headers });
export const refusal = ({ id }: Message) =>
  Response.json({ jsonrpc: "2.0", id, error: { code: -32_602, message: "No." } });
export const status = (code: number) => new Response("secret-word", { status: code });
export const never = async () => await new Promise<never>(() => {});
export const initialized = {
  protocolVersion: "2025-11-25",
  capabilities: { tools: {} },
  serverInfo: { name: "s", version: "1" },
};

/** A `fetch` to a server of 2025-11-25 with sessions, what it was sent, and the answers that a test puts in place of its own. */
export function startFetch() {
  const sent: string[] = [];
  const answers: Record<string, Answer> = {};
  let sessions = 0;
  const defaults: Record<string, Answer> = {
    initialize: (message) => ok(message, initialized, { "mcp-session-id": `s${++sessions}` }),
    "tools/list": (message) => ok(message, { tools: [{ name: "echo", inputSchema: { type: "object" } }] }),
    ping: (message) => ok(message),
    GET: () => status(405),
    DELETE: () => new Response(null, { status: 200 }),
  };
  const fetch = async (_url: unknown, init: RequestInit = {}): Promise<Response> => {
    const message = (
      typeof init.body === "string" ? JSON.parse(init.body) : { method: init.method ?? "GET" }
    ) as Message;
    const { method } = message;
    if (method !== "GET" && !method.startsWith("notifications/")) sent.push(method);
    const answer = answers[method]?.(message, init) ?? defaults[method]?.(message, init);
    return (await answer) ?? new Response(null, { status: 202 });
  };
  return { fetch, sent, answers };
}

/** The options of a tool server that is named `box`, without a `fetch`. */
export const boxOptions = {
  name: "box",
  transport: "http",
  url: "http://localhost:1/mcp",
  protocol: "legacy",
} as const;

/** A connection to such a server. */
export function connect(options: object = {}) {
  const { fetch, sent, answers } = startFetch();
  const settings = readMcpOptions({ ...boxOptions, fetch, ...options });
  const maker = new ToolMaker(settings, async () => await Promise.resolve("done"));
  const connection = new Connection({ settings, headers: { "x-key": "secret-word" }, maker });
  onTestFinished(async () => await connection.close().catch(() => {}));
  return { connection, sent, answers, ask: askOf(connection) };
}

/** Asks for a list of tools by hand, so that each is a request. */
export function askOf(connection: Connection) {
  return async (more: { isRepeatable?: boolean; signal?: AbortSignal; timeoutMs?: number } = {}) =>
    await connection.exchange({
      what: "a question",
      timeoutMs: 30_000,
      ...more,
      send: async (client, options) => await client.request({ method: "tools/list" }, options),
    });
}

export const opened = ["initialize"];
export const broken = () => {
  throw new TypeError("fetch failed");
};

/** Answers so once, and then as before. */
export function once(answers: Record<string, Answer>, method: string, answer: Answer): void {
  answers[method] = (...given) => {
    delete answers[method];
    return answer(...given);
  };
}
