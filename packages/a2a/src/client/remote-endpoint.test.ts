import { describe, expect, it } from "vitest";
import { RemoteEndpoint } from "./remote-endpoint.ts";
import { badForm, RemoteFailure } from "./remote-failure.ts";
import type { RemoteHttp, RemoteRequest, WholeReply } from "./remote-http.ts";
import type { RemoteInterface } from "./remote-interfaces.ts";

const task = { id: "t", contextId: "c", status: { state: "TASK_STATE_WORKING" } };
const event = {
  type: "task",
  task: { id: "t", contextId: "c", status: { state: "working", at: 0 }, artifacts: [], history: [] },
};
const setting = { users: { "x-user": "ada" }, signal: new AbortController().signal };
const call = { op: "get", id: "t" } as const;
const noEvent = "sent an answer that is no task, message or update of A2A";

/** A reply: its status, its headers, and its body, which may need the id of the request. */
type Reply = { status?: number; headers?: Record<string, string>; body: (id: unknown) => unknown };

/** Makes an endpoint whose HTTP answers with a reply. */
function endpointOf({ status = 200, headers = {}, body }: Reply, at: Partial<RemoteInterface> = {}, maxBytes = 4096) {
  const requests: RemoteRequest[] = [];
  const seen: { timeouts: unknown[]; ended: number } = { timeouts: [], ended: 0 };
  const answer = (request: RemoteRequest): WholeReply => {
    requests.push(request);
    const { id } = request.body === undefined ? {} : (JSON.parse(request.body) as { id?: unknown });
    const made = body(id);
    return { status, headers: new Headers(headers), text: typeof made === "string" ? made : JSON.stringify(made) };
  };
  const http = {
    isTrusted: ({ hostname }: URL) => hostname === "far.example",
    whole: async (request: RemoteRequest, timeoutMs?: number) => {
      seen.timeouts.push(timeoutMs);
      return await Promise.resolve(answer(request));
    },
    open: async (request: RemoteRequest) => {
      const { text, ...head } = await Promise.resolve(answer(request));
      async function* bytes() {
        yield await Promise.resolve(Buffer.from(text));
      }
      const reply = { ...head, bytes: bytes(), text: async () => await Promise.resolve(text) };
      return { reply, end: () => void seen.ended++ };
    },
  } as unknown as RemoteHttp;
  const made = { url: new URL("https://far.example/a2a"), binding: "JSONRPC", version: "1.0", ...at } as const;
  return { endpoint: new RemoteEndpoint(made, http, { maxBytes, promisesStreams: true }), requests, seen };
}

const result = (id: unknown, value: unknown = { task }) => ({ jsonrpc: "2.0", id, result: value });
const failed = (error: unknown) => (id: unknown) => ({ jsonrpc: "2.0", id, error });
const frames = (...bodies: unknown[]) => bodies.map((body) => `data: ${JSON.stringify(body)}\n\n`).join("");
const sse = { "content-type": "text/event-stream; charset=utf-8" };

function deep(levels: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level++) value = [value];
  return value;
}

describe("a call of an endpoint", () => {
  it("is sent with its setting and its own id, and answered by an event", async () => {
    const { endpoint, requests, seen } = endpointOf({ body: result });
    expect([await endpoint.call(call, setting, 3000), await endpoint.call(call, setting)]).toEqual([event, event]);
    expect(seen.timeouts).toEqual([3000, undefined]);
    const { body, ...request } = requests[0] ?? {};
    const headers = { accept: "application/json", "content-type": "application/json", "a2a-version": "1.0" };
    expect(request).toEqual({ method: "POST", url: endpoint.at.url, headers, ...setting });
    const ids = requests.map((each) => (JSON.parse(each.body ?? "") as { id: string }).id);
    expect(new Set(ids).size).toBe(2);
    expect(JSON.parse(body ?? "")).toEqual({ jsonrpc: "2.0", id: ids[0], method: "GetTask", params: { id: "t" } });
  });

  it("a call of an endpoint of HTTP+JSON is answered by the bare event", async () => {
    const rest = { binding: "HTTP+JSON" } as const;
    expect(await endpointOf({ body: () => task }, rest).endpoint.call(call, setting)).toEqual(event);
    const wrapped = endpointOf({ body: () => result("") }, rest).endpoint.call(call, setting);
    await expect(wrapped).rejects.toMatchObject({ kind: "form", happened: noEvent });
  });

  const refused = { code: -32001, message: "canary" };
  const rpc = { kind: "rpc", rpcCode: -32001 };
  it.each<[string, Reply, object]>([
    ["an error", { body: failed(refused) }, { ...rpc, status: undefined, message: "canary" }],
    ["an error with a status", { status: 400, body: failed(refused) }, { ...rpc, status: 400 }],
    ["an error beside a result", { body: (id) => ({ ...result(id), error: refused }) }, rpc],
    ["an error of no form", { body: failed("canary") }, { kind: "status", status: 500 }],
    [
      "a status",
      { status: 500, body: () => "canary" },
      { kind: "status", status: 500, message: "answered with the HTTP status 500" },
    ],
    ["a status with a text", { status: 404, body: failed("canary") }, { kind: "status", status: 404 }],
    ["a redirect", { status: 300, body: result }, { kind: "status", status: 300 }],
    ["a status of 501", { status: 501, body: failed(refused) }, rpc],
    ["a status of 502", { status: 502, body: failed(refused) }, { kind: "status", status: 502 }],
    [
      "too many requests",
      { status: 429, headers: { "retry-after": "7" }, body: failed(refused) },
      { kind: "status", status: 429, retryAfterMs: 7000 },
    ],
    ["no credentials", { status: 401, body: failed(refused) }, { kind: "status", status: 401 }],
    ["the wrong credentials", { status: 403, body: failed(refused) }, { kind: "status", status: 403 }],
    [
      "the answer to another request",
      { body: () => result("other") },
      { kind: "form", happened: "answered another request than ours" },
    ],
    ["no JSON", { body: () => "{" }, { kind: "form", happened: noEvent }],
    ["no result", { body: (id) => ({ jsonrpc: "2.0", id }) }, { kind: "form", happened: noEvent }],
    ["no event", { body: (id) => result(id, { other: 1 }) }, { kind: "form", happened: noEvent }],
    [
      "too many levels",
      { body: (id) => result(id, { ...task, metadata: { a: deep(62) } }) },
      { kind: "form", happened: noEvent },
    ],
  ])("fails by %s, streamed or not", async (_what, reply, failure) => {
    const { endpoint, seen } = endpointOf(reply);
    await expect(endpoint.call(call, setting)).rejects.toMatchObject(failure);
    await expect(endpoint.stream(call, setting).next()).rejects.toMatchObject(failure);
    expect(seen.ended).toBe(1);
  });

  it.each<[string, Reply]>([
    ["64 levels", { body: (id) => result(id, { ...task, unknown: deep(62) }) }],
    ["no error", { body: (id) => ({ ...result(id), error: null }) }],
    ["the status 299", { status: 299, body: result }],
  ])("is answered all the same with %s, streamed or not", async (_what, reply) => {
    const { endpoint } = endpointOf(reply);
    expect(await endpoint.call(call, setting)).toEqual(event);
    expect(await Array.fromAsync(endpoint.stream(call, setting))).toEqual([event]);
  });
});

describe("the stream of an endpoint", () => {
  it("is offered where the card promises it, at an origin of the host alone", () => {
    const { endpoint } = endpointOf({ body: result });
    const other = endpointOf({ body: result }, { url: new URL("https://other.example/") }).endpoint;
    const facts = { maxBytes: 1, promisesStreams: false };
    const unpromised = new RemoteEndpoint(endpoint.at, { isTrusted: () => true } as unknown as RemoteHttp, facts);
    expect([endpoint.streams, other.streams, unpromised.streams]).toEqual([true, false, false]);
  });

  it("has an event for each frame, and is closed at its end", async () => {
    const { endpoint, seen } = endpointOf({ headers: sse, body: (id) => frames(result(id), result(id)) });
    expect(await Array.fromAsync(endpoint.stream(call, setting))).toEqual([event, event]);
    expect(seen.ended).toBe(1);
  });

  it("the stream of an endpoint of HTTP+JSON has bare events", async () => {
    const { endpoint } = endpointOf({ headers: sse, body: () => frames({ task }) }, { binding: "HTTP+JSON" });
    expect(await Array.fromAsync(endpoint.stream(call, setting))).toEqual([event]);
  });

  it("is closed where its reader leaves it", async () => {
    const { endpoint, seen } = endpointOf({ headers: sse, body: (id) => frames(result(id), result(id)) });
    const stream = endpoint.stream(call, setting);
    await stream.next();
    expect(seen.ended).toBe(0);
    await stream.return();
    expect(seen.ended).toBe(1);
  });

  it.each<[string, (id: unknown) => string, object]>([
    ["an error", (id) => frames(failed({ code: -32603 })(id)), { kind: "rpc", rpcCode: -32603 }],
    [
      "another request's frame",
      () => frames(result("other")),
      { kind: "form", happened: "answered another request than ours" },
    ],
    ["a frame of no form", () => frames({ no: 1 }), { kind: "form", happened: noEvent }],
    ["a frame that is too long", (id) => frames(result(id, { ...task, more: "x".repeat(4096) })), { kind: "form" }],
  ])("fails in the middle by %s, and is closed", async (_what, rest, failure) => {
    const { endpoint, seen } = endpointOf({ headers: sse, body: (id) => frames(result(id)) + rest(id) });
    const stream = endpoint.stream(call, setting);
    const failing = Array.fromAsync(stream);
    await expect(failing).rejects.toBeInstanceOf(RemoteFailure);
    await expect(failing).rejects.toMatchObject(failure);
    expect(seen.ended).toBe(1);
  });

  it.each([401, 429, 500])("fails with the status %d of a refusal whose text breaks off", async (status) => {
    let ended = 0;
    const reply = { status, headers: new Headers(), text: () => Promise.reject(new Error("The connection broke.")) };
    const http = { open: async () => ({ reply, end: () => void ended++ }) } as unknown as RemoteHttp;
    const { at } = endpointOf({ body: result }).endpoint;
    const endpoint = new RemoteEndpoint(at, http, { maxBytes: 1, promisesStreams: true });
    await expect(endpoint.stream(call, setting).next()).rejects.toMatchObject({ kind: "status", status });
    expect(ended).toBe(1);
  });

  it("passes on a failure of its connection as it is", async () => {
    const failure = badForm("is odd");
    const http = { open: () => Promise.reject(failure) } as unknown as RemoteHttp;
    const { at } = endpointOf({ body: result }).endpoint;
    const endpoint = new RemoteEndpoint(at, http, { maxBytes: 1, promisesStreams: true });
    await expect(endpoint.stream(call, setting).next()).rejects.toBe(failure);
  });
});
