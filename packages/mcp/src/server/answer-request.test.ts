import { PassThrough } from "node:stream";
import type { ServerResponse } from "node:http";
import { TroupeError } from "@troupe/core";
import { toPublicError } from "@troupe/core/transport";
import type { NodeRequest } from "@troupe/core/transport";
import { describe, expect, it, vi } from "vitest";
import { answerRequest, isInitialize, sendRefusal } from "./answer-request.ts";
import { exchangeOf, requestOf, startResponse } from "../../test/node-exchange.ts";
import type { Sent } from "../../test/node-exchange.ts";

const open = new AbortController().signal;

/** Answers a request, and returns what the handler of the library got. */
async function asked(sent: Sent | PassThrough, reply: Response = new Response(null), maxBodyBytes = 100) {
  const request = sent instanceof PassThrough ? sent : requestOf(sent);
  if (!(sent instanceof PassThrough)) request.end();
  const { response, served, written } = startResponse();
  const handle = vi.fn<Parameters<typeof answerRequest>[2]>(async () => await Promise.resolve(reply));
  await answerRequest(exchangeOf(request as NodeRequest & PassThrough, served), { maxBodyBytes, signal: open }, handle);
  const [[web, options] = []] = handle.mock.calls;
  return { web, options, response, written };
}

describe("the request that the library gets", () => {
  it("has the headers, each as often as it was sent, without keys", async () => {
    const headers = {
      accept: ["application/json", "text/event-stream"],
      "mcp-session-id": ["s1"],
      "x-model-api-key": ["secret"],
      "x-openai-api-key": ["secret"],
    };
    const { web } = await asked({ headers, pieces: ["{}"] });
    const got = Object.fromEntries(web?.headers ?? []);
    expect(got).toMatchObject({ accept: "application/json, text/event-stream", "mcp-session-id": "s1" });
    expect([web?.method, web?.url]).toEqual(["POST", "http://localhost/"]);
  });

  it("has the body that came in pieces, and no body where the method has none", async () => {
    const bytes = Buffer.from('{"a":"é😀"}');
    const pieces = [bytes.subarray(0, 7), bytes.subarray(7, 11), bytes.subarray(11)];
    expect((await asked({ pieces })).options).toStrictEqual({ parsedBody: { a: "é😀" } });
    for (const method of ["GET", "DELETE", "HEAD", "OPTIONS", "PUT", "PATCH"]) {
      const { web, options } = await asked({ method, pieces: ["no JSON"] });
      expect([web?.method, options]).toEqual([method, {}]);
    }
  });

  it("has the body that the host has read already", async () => {
    expect((await asked({ body: { a: 1 }, pieces: ["no JSON"] })).options).toStrictEqual({ parsedBody: { a: 1 } });
  });

  it.each(["TRACE", "CONNECT", "post", "QUERY"])("is not made of the method %s", async (method) => {
    await expect(asked({ method })).rejects.toMatchObject({
      code: "invalid_request",
      message: "This method is not supported. Expected POST.",
    });
  });

  it.each(["", "{", "secret", '{"a":1}}'])("is not made of the body %j, whose words are not repeated", async (body) => {
    const failure = await asked({ pieces: [body] }).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: "invalid_request", message: "The body is not valid JSON." });
    expect((failure as Error).cause).toBeUndefined();
  });

  it("aborts with the signal of the exchange", async () => {
    const abort = new AbortController();
    const request = requestOf({ body: {} });
    const seen: AbortSignal[] = [];
    const exchange = exchangeOf(request, startResponse().served);
    await answerRequest(exchange, { maxBodyBytes: 1, signal: abort.signal }, async ({ signal }) => {
      seen.push(signal);
      return await Promise.resolve(new Response(null));
    });
    abort.abort();
    expect(seen.map(({ aborted }) => aborted)).toEqual([true]);
  });
});

describe("a body", () => {
  const tooLong = {
    code: "payload_too_large",
    message: "The body must have at most 10 bytes. The option maxBodyBytes of the service sets this limit.",
  };

  it("may have maxBodyBytes, and no more", async () => {
    const within = ['"1234', '5678"'];
    expect((await asked({ pieces: within, length: "10" }, undefined, 10)).options).toEqual({ parsedBody: "12345678" });
    await expect(asked({ pieces: [...within, " "] }, undefined, 10)).rejects.toMatchObject(tooLong);
    await expect(asked({ pieces: ['"123456é"'] }, undefined, 10)).resolves.toBeDefined();
    await expect(asked({ pieces: ['"1234567é"'] }, undefined, 10)).rejects.toMatchObject(tooLong);
    await expect(asked({ pieces: ["1"], length: "11" }, undefined, 10)).rejects.toMatchObject(tooLong);
  });

  it("a body that is too long is read no further, and leaves no listener", async () => {
    const request = requestOf({ pieces: ["x".repeat(11)] });
    await expect(asked(request, undefined, 10)).rejects.toMatchObject(tooLong);
    expect(request.isPaused()).toBe(true);
    expect(request.listenerCount("data")).toBe(0);
  });

  it.each<[string, (request: PassThrough) => unknown]>([
    ["closes", (request) => request.destroy()],
    ["fails", (request) => request.destroy(new Error("socket secret"))],
  ])("whose connection %s is a request that is cancelled", async (_, end) => {
    const request = requestOf({ pieces: ['{"a"'] });
    const reading = asked(request);
    end(request);
    const message = "The client disconnected before the end of the body.";
    await expect(reading).rejects.toMatchObject({ code: "cancelled", message });
  });

  it("a body of a client that has left is empty", async () => {
    const request = requestOf();
    request.destroy();
    await expect(asked(request)).rejects.toMatchObject({ message: "The body is not valid JSON." });
  });

  it("a body that was read before is empty", async () => {
    const request = requestOf();
    request.end();
    request.resume();
    await new Promise((resolve) => request.once("end", resolve));
    await expect(asked(request)).rejects.toMatchObject({ message: "The body is not valid JSON." });
  });

  it("may come as text", async () => {
    const request = requestOf({ pieces: ['{"a":', '"é"}'] });
    request.setEncoding("utf8").end();
    expect((await asked(request)).options).toEqual({ parsedBody: { a: "é" } });
  });
});

describe("the response", () => {
  it("has status, headers and body of the library's", async () => {
    const reply = new Response("one", { status: 202, headers: { "content-type": "text/x" } });
    const { response, written } = await asked({ method: "GET" }, reply);
    expect([response.status, response.headers, written.join("")]).toEqual([202, { "content-type": "text/x" }, "one"]);
    expect(response.writableEnded).toBe(true);
    expect(response.flushHeaders).toHaveBeenCalledOnce();
    expect(response.listenerCount("close")).toBe(0);
  });

  it("the response without a body ends at once", async () => {
    const { response, written } = await asked({ method: "DELETE" }, new Response(null, { status: 204 }));
    expect([response.status, response.writableEnded, written]).toEqual([204, true, []]);
  });

  it.each<[string, unknown, ResponseInit, unknown]>([
    ["is given to a client that begins", { method: "initialize" }, {}, expect.stringMatching(/^[\w-]{16,}$/)],
    [
      "is that of the library where it has one",
      { method: "initialize" },
      { headers: { "mcp-session-id": "s1" } },
      "s1",
    ],
    ["is not given with a failure", { method: "initialize" }, { status: 400 }, undefined],
    ["is not given for another request", { method: "tools/list" }, {}, undefined],
  ])("has an id of a session that %s", async (...[, body, init, id]) => {
    const { response } = await asked({ body }, new Response("{}", init));
    expect(response.headers["mcp-session-id"]).toEqual(id);
  });

  it("has another id for each client", async () => {
    const idOf = async () => (await asked({ body: { method: "initialize" } })).response.headers["mcp-session-id"];
    expect(await idOf()).not.toBe(await idOf());
  });

  /** A reply whose body tells how much of it was asked for, and whether it was cancelled. */
  function startReply() {
    const state = { pulled: 0, isCancelled: false };
    const body = new ReadableStream(
      {
        pull: (controller) => controller.enqueue(Buffer.from(`piece ${++state.pulled}`)),
        cancel: () => void (state.isCancelled = true),
      },
      { highWaterMark: 0 },
    );
    return { state, reply: new Response(body) };
  }

  const answerBy = async (served: ServerResponse, reply: Response) =>
    await answerRequest(
      exchangeOf(requestOf({ method: "GET" }), served),
      { maxBodyBytes: 1, signal: open },
      async () => await Promise.resolve(reply),
    );

  it("is sent at the pace of the client, and cancelled when the client leaves", async () => {
    const { state, reply } = startReply();
    const { response, served, written, go } = startResponse({ highWaterMark: 1, isSlow: true });
    const sending = answerBy(served, reply);
    await vi.waitFor(() => expect(written).toEqual(["piece 1"]), { interval: 1 });
    await new Promise((resolve) => setImmediate(resolve));
    expect(state.pulled).toBe(1);
    go();
    await vi.waitFor(() => expect(written).toEqual(["piece 1", "piece 2"]), { interval: 1 });
    expect([state.pulled, response.listenerCount("drain")]).toEqual([2, 1]);
    response.destroy();
    await sending;
    expect(state.isCancelled).toBe(true);
    expect([response.listenerCount("drain"), response.listenerCount("close")]).toEqual([0, 0]);
  });

  it("is not begun for a client that has left", async () => {
    const { state, reply } = startReply();
    const { response, served } = startResponse();
    response.destroy();
    await answerBy(served, reply);
    expect([state, response.status]).toEqual([{ pulled: 0, isCancelled: true }, 0]);
  });
});

it.each<[unknown, boolean]>([
  [{ method: "initialize", id: 1 }, true],
  [{ method: "Initialize" }, false],
  [{ method: "ping" }, false],
  [{}, false],
  [[{ method: "initialize" }], false],
  [null, false],
  ["initialize", false],
])("the message %j asks to open a session: %s", (message, isAsking) => {
  expect(isInitialize(message)).toBe(isAsking);
});

describe("a refusal", () => {
  it.each<[unknown, number, number, { message: string; code: string }]>([
    [new TroupeError("invalid_request", "No."), 400, -32_600, { message: "No.", code: "invalid_request" }],
    [new TroupeError("unauthorized", "No."), 401, -32_600, { message: "No.", code: "unauthorized" }],
    [new TroupeError("forbidden", "No."), 403, -32_600, { message: "No.", code: "forbidden" }],
    [new TroupeError("payload_too_large", "No."), 413, -32_600, { message: "No.", code: "payload_too_large" }],
    [new TroupeError("cancelled", "No."), 499, -32_600, { message: "No.", code: "cancelled" }],
    [new TroupeError("unavailable", "No."), 503, -32_603, { message: "No.", code: "unavailable" }],
    [new TroupeError("conflict", "No."), 409, -32_600, { message: "No.", code: "conflict" }],
    [new TroupeError("rate_limited", "No."), 429, -32_600, { message: "No.", code: "rate_limited" }],
    [new Error("secret"), 500, -32_603, { message: toPublicError(new Error("secret")).message, code: "internal" }],
  ])("of %s has the status %i and the code %i", (...[error, status, code, { message, code: ours }]) => {
    const { response, served, written } = startResponse();
    sendRefusal(error, exchangeOf(requestOf(), served));
    expect([response.status, response.writableEnded]).toEqual([status, true]);
    expect(response.headers).toStrictEqual({ "content-type": "application/json", connection: "close" });
    const body = { jsonrpc: "2.0", error: { code, message, data: { code: ours } }, id: null };
    expect(JSON.parse(written.join(""))).toStrictEqual(body);
  });

  it("a refusal of a response that has begun, or whose client has left, ends the connection", () => {
    const [begun, left] = [startResponse(), startResponse()];
    begun.response.writeHead(200);
    left.response.destroy();
    for (const { response, served, written } of [begun, left]) {
      sendRefusal(new TroupeError("unavailable", "No."), exchangeOf(requestOf(), served));
      expect([response.destroyed, response.headers, written]).toEqual([true, {}, []]);
    }
  });
});
