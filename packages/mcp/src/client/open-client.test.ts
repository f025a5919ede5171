import { getEventListeners } from "node:events";
import { createLogger } from "@troupe/core";
import type { JSONRPCRequest } from "@modelcontextprotocol/client";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { broken, connect, initialized, ok, once, opened, status } from "../../test/connect.ts";
import type { Answer } from "../../test/connect.ts";
import { loadLibrary } from "./library.ts";
import { openClient } from "./open-client.ts";
import { ServerProblem } from "./server-problem.ts";

const request: JSONRPCRequest = { jsonrpc: "2.0", id: "r1", method: "tools/list" };

// The first connection loads it, which takes longer than a turn of the event loop.
beforeAll(loadLibrary);

function fail(message: string): never {
  throw new TypeError(message);
}

/** Opens a connection to a server that refuses each list of tools, or is away. Returns its transport, and the signals of the lists. */
async function openRefused(refuse: () => Response) {
  const signals: (AbortSignal | undefined)[] = [];
  const fetch = async (_url: unknown, init: RequestInit = {}): Promise<Response> => {
    const { id, method } = JSON.parse(typeof init.body === "string" ? init.body : "{}") as Partial<JSONRPCRequest>;
    if (method === "initialize") return Response.json({ jsonrpc: "2.0", id, result: initialized });
    if (method !== "tools/list") return new Response(null, { status: init.method === "GET" ? 405 : 202 });
    signals.push(init.signal ?? undefined);
    return refuse();
  };
  const { transport } = await openClient({
    settings: {
      name: "s",
      transport: "http",
      url: "http://localhost:1/mcp",
      protocol: "legacy",
      connectTimeoutMs: 10_000,
      maxMessageBytes: 1_000_000,
      fetch,
    } as unknown as Parameters<typeof openClient>[0]["settings"],
    headers: {},
    logger: createLogger({ level: "error", write: () => undefined }),
    signal: new AbortController().signal,
    problem: new ServerProblem(),
    onToolsChanged: () => undefined,
    onUnauthorized: () => undefined,
  });
  onTestFinished(async () => await transport.close());
  return { transport, signals };
}

describe("a request that could not be sent", () => {
  it.each([
    { how: "is refused", refuse: () => new Response("busy", { status: 503 }) },
    { how: "meets no server", refuse: () => fail("fetch failed") },
  ])("is forgotten when it $how: nothing is left at its signal, and its cancel ends nothing", async ({ refuse }) => {
    const { transport, signals } = await openRefused(refuse);
    const caller = new AbortController();
    await expect(transport.send(request, { requestSignal: caller.signal })).rejects.toThrow(/busy|fetch failed/);
    expect(getEventListeners(caller.signal, "abort")).toEqual([]);

    await expect(transport.send(request)).rejects.toThrow(/busy|fetch failed/);
    await transport.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "r1" } });
    expect(signals.map((signal) => signal?.aborted)).toEqual([false, false]);
  });
});

type Sent = { method: string; params?: Record<string, unknown>; accept: string | null; key: string | null };

/** A connection, and all that its server was sent, also streams that it was asked for and notifications. */
function startRecorded(options: object = {}) {
  const all: Sent[] = [];
  const made = connect(options);
  const record = (method: string): Answer => {
    return (_message, init) => {
      const { params } = JSON.parse(typeof init.body === "string" ? init.body : "{}") as Partial<Sent>;
      const headers = new Headers(init.headers);
      all.push({ method, ...(params && { params }), accept: headers.get("accept"), key: headers.get("x-key") });
      return undefined;
    };
  };
  for (const method of ["initialize", "notifications/initialized", "tools/list", "GET"]) {
    made.answers[method] = record(method);
  }
  return { ...made, all };
}

/** A stream of these messages, which ends or stays open. */
function streamOf(messages: readonly object[], isOpen = false): Response {
  const text = messages.map((message) => `data: ${JSON.stringify({ jsonrpc: "2.0", ...message })}\n\n`).join("");
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(text));
      if (!isOpen) controller.close();
    },
  });
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}

describe("a connection that opens", () => {
  it.each<[object, object]>([
    [{}, {}],
    [
      { onElicitation: () => ({ action: "decline" }), onSampling: () => ({ text: "", model: "" }) },
      { elicitation: { form: { applyDefaults: true }, url: {} }, sampling: {} },
    ],
  ])("tells the server who it is, with its headers, and what the host can do: %j", async (options, capabilities) => {
    const { ask, all } = startRecorded(options);
    await ask();
    const requests = all.filter(({ method }) => method !== "GET");
    expect(requests.map(({ method }) => method)).toEqual(["initialize", "notifications/initialized", "tools/list"]);
    expect(requests[0]?.params).toEqual({
      protocolVersion: "2025-11-25",
      capabilities,
      clientInfo: { name: "troupe", version: "0.1.0" },
    });
    expect(new Set(all.map(({ key }) => key))).toEqual(new Set(["secret-word"]));
  });

  it.each<[string, object, string[]]>([
    ["asks which revision it speaks where protocol is auto", { protocol: "auto" }, ["server/discover", ...opened]],
    [
      "asks which revision it speaks where protocol is left out",
      { protocol: undefined },
      ["server/discover", ...opened],
    ],
    ["begins with initialize where protocol is legacy", { protocol: "legacy" }, opened],
  ])("to a server of an earlier revision %s", async (_, options, requests) => {
    const { connection, answers, sent } = connect(options);
    answers["server/discover"] = () => status(404);
    await connection.open();
    expect(sent).toEqual(requests);
  });

  it("never begins with initialize, nor asks for a stream, where protocol is 2026-07-28", async () => {
    const { connection, answers, sent } = connect({ protocol: "2026-07-28" });
    let streams = 0;
    answers["server/discover"] = () => status(404);
    answers["GET"] = () => {
      streams++;
      return status(405);
    };
    await expect(connection.open()).rejects.toMatchObject({ code: "unavailable" });
    expect([sent, streams]).toEqual([["server/discover"], 0]);
  });
});

describe("a server that takes no initialize", () => {
  it.each([
    [400, 1],
    [404, 1],
    [405, 1],
    [401, 0],
    [403, 0],
    [406, 0],
    [429, 0],
    [500, 0],
    [503, 0],
  ])("a server that answers initialize with %i is asked for the stream of 2024 so often: %i", async (code, streams) => {
    const { connection, answers, sent } = connect();
    const accepted: (string | null)[] = [];
    answers["initialize"] = () => status(code);
    answers["GET"] = (_message, init) => {
      accepted.push(new Headers(init.headers).get("accept"));
      return status(500);
    };
    await expect(connection.open()).rejects.toMatchObject({ fields: { status: code } });
    expect(accepted).toEqual(Array.from({ length: streams }, () => "text/event-stream"));
    expect(sent).toEqual(opened);
  });

  it("a server that takes no initialize, and cannot be reached is asked for no stream", async () => {
    const { connection, answers } = connect();
    let streams = 0;
    answers["initialize"] = broken;
    answers["GET"] = () => {
      streams++;
      return status(405);
    };
    await expect(connection.open()).rejects.toMatchObject({
      code: "unavailable",
      message:
        'The MCP server "box" cannot be reached, or the connection broke off during connecting. The next call connects again.',
    });
    expect(streams).toBe(0);
  });
});

describe("what a server sends by itself", () => {
  it("is logged at level debug, nothing else is, and a change makes its tools listed again", async () => {
    const lines: unknown[] = [];
    const logger = createLogger({
      level: "debug",
      write: (line) => {
        const { time: _time, ...entry } = JSON.parse(line) as Record<string, unknown>;
        lines.push(entry);
      },
    });
    const { connection, answers, sent } = connect({ logger });
    const log = (data: unknown) => ({ method: "notifications/message", params: { level: "info", data } });
    answers["initialize"] = (message) =>
      ok(message, { ...initialized, capabilities: { tools: { listChanged: true }, logging: {} } });
    await connection.tools();
    once(answers, "ping", ({ id }) =>
      streamOf([
        log("It is a secret-word."),
        log({ a: [1] }),
        log(null),
        log(" "),
        { id, result: {} },
        { method: "notifications/tools/list_changed" },
      ]),
    );
    await connection.exchange({ what: "a ping", timeoutMs: 1000, send: async (client) => await client.ping() });
    sent.length = 0;
    await expect
      .poll(
        async () => {
          await connection.tools();
          return sent;
        },
        { interval: 1 },
      )
      .toEqual(["tools/list"]);
    expect(lines).toEqual(
      ["It is a [redacted].", '{"a":[1]}', "null"].map((message) => ({ level: "debug", message, server: "box" })),
    );
  });
});

describe("a request whose answer is a stream", () => {
  it("fails when the stream ends without an answer, and the next one opens a new connection", async () => {
    const { answers, sent, ask } = connect();
    once(answers, "tools/list", () =>
      streamOf([{ method: "notifications/message", params: { level: "info", data: "a" } }]),
    );
    await expect(ask()).rejects.toMatchObject({
      code: "unavailable",
      message:
        'The MCP server "box" cannot be reached, or the connection broke off during a question. The next call connects again.',
      fields: { server: "box" },
    });
    await ask();
    expect(sent).toEqual([...opened, "tools/list", ...opened, "tools/list"]);
  });

  it.each<[string, Answer]>([
    ["takes the cancel", () => undefined],
    ["does not take the cancel", broken],
  ])("is ended by its caller, also where the server %s", async (_, onCancel) => {
    const { answers, ask, sent } = connect();
    await ask();
    const abort = new AbortController();
    let signal: AbortSignal | null | undefined;
    const cancels: unknown[] = [];
    answers["notifications/cancelled"] = (message, init) => {
      cancels.push(message.method);
      return onCancel(message, init);
    };
    once(answers, "tools/list", (_message, init) => {
      ({ signal } = init);
      return streamOf([], true);
    });
    const asking = ask({ signal: abort.signal }).catch((error: unknown) => error);
    await expect.poll(() => signal, { interval: 1 }).toBeDefined();
    expect(signal?.aborted).toBe(false);
    abort.abort();
    expect(await asking).toMatchObject({ code: "cancelled" });
    await expect.poll(() => signal?.aborted, { interval: 1 }).toBe(true);
    expect(cancels).toHaveLength(1);
    await ask();
    expect(sent).toEqual([...opened, "tools/list", "tools/list", "tools/list"]);
  });
});
