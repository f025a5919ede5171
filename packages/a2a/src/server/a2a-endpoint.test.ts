import { request as httpRequest } from "node:http";
import type { IncomingMessage } from "node:http";
import { createLogger, TroupeError } from "@troupe/core";
import { describe, expect, it } from "vitest";
import { message0, message1, scriptedAgent, serveA2A } from "../../test/serve-a2a.ts";
import type { A2AServerOptions } from "../../test/serve-a2a.ts";

/** Serves an agent, and collects what is logged. */
async function serve(options: Partial<A2AServerOptions> = {}, user?: string) {
  const lines: string[] = [];
  const logger = createLogger({ level: "debug", write: (line) => void lines.push(line) });
  const agents = { helper: scriptedAgent([{ text: "Grüße." }, { text: "Again." }]) };
  return { served: await serveA2A({ agents, logger, ...options }, user), lines };
}

const failing = (error: Error): Partial<A2AServerOptions> => ({
  runOptions: () => {
    throw error;
  },
});

describe("an answer over A2A", () => {
  it.each(["result", "error"] as const)(
    "is of its type, has its length in bytes, and is kept by no cache: %s",
    async (what) => {
      const { served } = await serve();
      const response = await fetch(served.url, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({
          jsonrpc: "2.0",
          id: 1,
          method: what === "result" ? "message/send" : "tasks/get",
          params: what === "result" ? message0("Hi") : { id: "unknown" },
        }),
      });
      const bytes = (await response.arrayBuffer()).byteLength;
      expect(response.status).toBe(200);
      expect(Object.fromEntries(response.headers)).toMatchObject({
        "content-type": "application/json",
        "content-length": String(bytes),
        "cache-control": "no-store",
        connection: "keep-alive",
      });
    },
  );

  it("an answer over A2A that is a stream is kept by no cache, changed by no proxy, and sent as it comes", async () => {
    const { served } = await serve();
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "message/stream", params: message0("Hi") });
    const response = await fetch(served.url, { method: "POST", headers: { "content-type": "application/json" }, body });
    await response.text();
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": "text/event-stream",
      "cache-control": "no-store, no-transform",
      "x-accel-buffering": "no",
    });
  });
});

describe("a call that fails", () => {
  it.each<[string, Error, object, string | null]>([
    ["an unknown error", new Error("canary"), { code: -32603 }, null],
    [
      "too many runs",
      new TroupeError("rate_limited", "Later.", { fields: { retryAfterMs: 1001 } }),
      { code: -32603 },
      "2",
    ],
    [
      "a pause that is whole",
      new TroupeError("rate_limited", "Later.", { fields: { retryAfterMs: 2000 } }),
      { code: -32603 },
      "2",
    ],
    [
      "a pause that is no number",
      new TroupeError("rate_limited", "L.", { fields: { retryAfterMs: "5" } }),
      { code: -32603 },
      null,
    ],
    [
      "a conflict, which is that of the message",
      new TroupeError("conflict", "Busy."),
      { code: -32602, message: "Busy." },
      null,
    ],
    [
      "what is not there, which is no task",
      new TroupeError("not_found", "Nothing."),
      { code: -32602, message: "Nothing." },
      null,
    ],
  ])("by %s has its code and the pause that its client is to make", async (...[, thrown, error, retryAfter]) => {
    const { served } = await serve(failing(thrown));
    const reply = await served.call("message/send", message0("Hi"));
    expect([reply.status, reply.id]).toEqual([200, 1]);
    expect(reply.error).toMatchObject(error);
    expect(reply.headers.get("retry-after")).toBe(retryAfter);
    expect(JSON.stringify(reply)).not.toContain("canary");
  });

  it.each([
    ["unauthorized", 401],
    ["forbidden", 403],
  ] as const)("a call that fails as %s has the status %i", async (code, status) => {
    const { served, lines } = await serve(failing(new TroupeError(code, "No.")));
    expect((await served.call("SendMessage", message1("Hi"))).status).toBe(status);
    expect(lines).toEqual([]);
  });

  it.each([
    ["a fault", new Error("Broken."), 1],
    ["a fault of core", new TroupeError("storage_unavailable", "Away."), 1],
    ["a shutdown, which is none", new TroupeError("interrupted", "Going."), 0],
    ["a mistake of the client", new TroupeError("invalid_request", "Wrong."), 0],
  ])("is logged for the operator where it is %s", async (_what, thrown, count) => {
    const { served, lines } = await serve(failing(thrown));
    await served.call("message/send", message0("Hi"));
    const logged = lines.filter((line) => line.includes("A call failed by a fault of the service."));
    expect([lines.length, logged.length]).toEqual([count, count]);
    for (const line of logged) expect(line).toContain(thrown.message);
  });

  it("is logged without the keys and the credentials of its request", async () => {
    const { served, lines } = await serve(
      failing(new Error("Refused: key-canary-1, Bearer token-canary-2, key-canary-3.")),
    );
    const headers = {
      "x-api-key": "key-canary-1",
      authorization: "Bearer token-canary-2",
      "x-openai-api-key": "key-canary-3",
    };
    await served.call("message/send", message0("Hi"), { headers });
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain("Refused: ");
    expect(lines[0]).not.toContain("canary");
  });

  it("a call that fails with a principal of a wrong shape is a fault of the host, told to the log alone", async () => {
    const { served, lines } = await serve({
      middleware: [(request, _response, next) => (Object.assign(request, { principal: { userId: 7 } }), next())],
    });
    const { error } = await served.call("message/send", message0("Hi"));
    expect(error.code).toBe(-32603);
    expect(error.message).not.toContain("principal");
    expect(lines.join("\n")).toContain("request.principal");
  });

  it("is a frame for a subscription of 0.x, and JSON for one of 1.0", async () => {
    const { served } = await serve();
    const post = async (method: string) =>
      await fetch(served.url, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ jsonrpc: "2.0", id: 7, method, params: { id: "unknown" } }),
      });
    const old = await post("tasks/resubscribe");
    expect([old.status, old.headers.get("content-type")]).toEqual([200, "text/event-stream"]);
    expect(old.headers.get("cache-control")).toBe("no-store, no-transform");
    const text = await old.text();
    expect(text).toMatch(/^data: .*\n\n$/);
    expect(JSON.parse(text.slice(6))).toMatchObject({ id: 7, error: { code: -32001 } });
    const young = await post("SubscribeToTask");
    expect([young.status, young.headers.get("content-type")]).toEqual([200, "application/json"]);
    expect(await young.json()).toMatchObject({ id: 7, error: { code: -32001 } });
  });

  it("a call that fails over HTTP+JSON names the methods that a path takes", async () => {
    const { served } = await serve();
    const response = await fetch(`${served.url}/rest/message:send`, { method: "PUT" });
    expect([response.status, response.headers.get("allow")]).toEqual([405, "POST"]);
  });

  it("closes the connection of a body that it has not read, and of no other", async () => {
    const { served } = await serve({ maxBodyBytes: 1000 });
    const send = async (begun: string, length: number): Promise<IncomingMessage> =>
      await new Promise((resolve, reject) => {
        const headers = { "content-type": "application/json", "content-length": length };
        const sending = httpRequest(served.url, { method: "POST", headers }, (response) => {
          resolve(response.resume());
          sending.destroy();
        });
        sending.on("error", reject);
        sending.write(begun);
      });
    expect((await send("{", 1001)).headers.connection).toBe("close");
    expect((await send("{".repeat(1000), 1000)).headers.connection).toBe("keep-alive");
  });
});

describe("the checks of a request", () => {
  it("come in their order: its host, its page, its keys, its caller, its body", async () => {
    const { served } = await serve({
      allowedHosts: ["a.example"],
      middleware: [(request, _response, next) => (Object.assign(request, { principal: { userId: 7 } }), next())],
    });
    const host = { host: "evil.example", origin: "https://evil.example" };
    const here = await serve({ allowedHosts: ["127.0.0.1"] });
    const messageOf = async (url: string, headers: Record<string, string>): Promise<string> =>
      await new Promise((resolve, reject) => {
        const sending = httpRequest(url, { method: "POST", headers: { "content-type": "text/plain", ...headers } });
        sending.on("error", reject).on("response", (response) => {
          response.setEncoding("utf8");
          let text = "";
          response.on("data", (piece: string) => (text += piece));
          response.on("end", () => resolve((JSON.parse(text) as { error: { message: string } }).error.message));
        });
        sending.end("{");
      });
    expect(await messageOf(served.url, host)).toMatch(/^The host of the request/);
    expect(await messageOf(here.served.url, { origin: "https://evil.example", "x-api-key": "a b" })).toMatch(
      /origin|page/i,
    );
    expect(await messageOf(here.served.url, { "x-api-key": "a b" })).toMatch(/x-api-key/);
    expect(await messageOf(here.served.url, {})).toMatch(/application\/json/);
  });
});
