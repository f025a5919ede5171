import { getEventListeners } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Network } from "@troupe/core/kit";
import type { HttpReply } from "@troupe/core/kit";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { readRemoteAgentOptions } from "./remote-agent-options.ts";
import type { A2ARemoteAgentOptions } from "./remote-agent-options.ts";
import { RemoteHttp } from "./remote-http.ts";
import type { RemoteRequest } from "./remote-http.ts";

const far = "https://far.example/a2a";

function httpOf(options: Partial<A2ARemoteAgentOptions> = {}): RemoteHttp {
  return new RemoteHttp(readRemoteAgentOptions({ url: far, ...options }));
}

/** Serves answers on this machine until the test is over. */
async function serve(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<URL> {
  const server = createServer(answer).listen(0, "127.0.0.1");
  await new Promise<void>((resolve) => server.once("listening", resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  });
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/a2a`);
}

function requestOf(url: URL, fields: Partial<RemoteRequest> = {}): RemoteRequest {
  return { method: "GET", url, headers: {}, users: undefined, signal: new AbortController().signal, ...fields };
}

async function* bytesOf(...texts: (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield await Promise.resolve(Buffer.from(text as string));
}

describe("the origins of a remote agent", () => {
  it.each([
    ["https://far.example/other", true],
    ["https://far.example:443/", true],
    ["https://b.example:8443/a", true],
    ["https://far.example:8443/", false],
    ["http://far.example/", false],
    ["https://b.example/", false],
    ["https://a.far.example/", false],
  ])("are those that the host has configured: %s", (url, isTrusted) => {
    expect(httpOf({ trustedOrigins: ["https://b.example:8443/"] }).isTrusted(new URL(url))).toBe(isTrusted);
  });

  it.each([{ users: { "x-key": "k" } }, { users: { authorization: "Bearer k" }, method: "POST", body: "{}" } as const])(
    "are the only ones that get headers of the user: %j",
    async (fields) => {
      const asking = httpOf().whole(requestOf(new URL("https://b.example/a2a"), fields));
      const happened =
        "names an endpoint at another origin, which must not get headers. Add its origin to trustedOrigins to allow it";
      await expect(asking).rejects.toMatchObject({ kind: "untrusted", happened });
    },
  );

  it("are the only ones at addresses that are not public", async () => {
    const asking = httpOf().whole(requestOf(new URL("https://10.0.0.1/a2a"), { users: {} }));
    const happened = "names an endpoint at an address that is not public. Add its origin to trustedOrigins to allow it";
    await expect(asking).rejects.toMatchObject({ kind: "untrusted", happened, cause: { name: "TroupeError" } });
  });
});

describe("the headers of the user", () => {
  it("are the same for all, or made for each run and checked", async () => {
    const headers = { "x-key": "k" };
    const signal = new AbortController().signal;
    expect(await httpOf({ headers }).readHeaders(undefined, signal)).toEqual(headers);
    expect(await httpOf().readHeaders(undefined)).toBeUndefined();
    const made = httpOf({ headers: (context) => Promise.resolve({ "x-user": context?.userId ?? "nobody" }) });
    expect(await made.readHeaders({ userId: "ann" } as Parameters<RemoteHttp["readHeaders"]>[0])).toEqual({
      "x-user": "ann",
    });
    expect(await made.readHeaders(undefined)).toEqual({ "x-user": "nobody" });
    const wrong = httpOf({ headers: () => ({ "x-user": "a\nb" }) }).readHeaders(undefined);
    await expect(wrong).rejects.toMatchObject({ code: "invalid_config" });
  });
});

describe("the bytes of a reply", () => {
  const most = 1024;
  const http = httpOf({ maxReplyBytes: most });

  it("are UTF-8, cut anywhere, and at most maxReplyBytes", async () => {
    const euro = Buffer.from("€");
    expect(await http.readText(bytesOf("a", euro.subarray(0, 1), euro.subarray(1)))).toBe("a€");
    expect(await http.readText(bytesOf("x".repeat(most - 3), euro))).toHaveLength(most - 2);
    const happened = "sent more than 1024 bytes. Raise maxReplyBytes to take more";
    for (const text of ["x".repeat(most + 1), "é".repeat(most / 2 + 1)]) {
      await expect(http.readText(bytesOf(text.slice(0, 10), text.slice(10)))).rejects.toMatchObject({
        kind: "form",
        happened,
      });
    }
  });
});

describe("a request to a remote agent", () => {
  it("has its method, body and headers, with the user's, and its reply as it is", async () => {
    const seen: unknown[] = [];
    const url = await serve((request, response) => {
      const { "x-key": key, accept } = request.headers;
      const { method } = request;
      const pieces: Buffer[] = [];
      request.on("data", (piece: Buffer) => pieces.push(piece));
      request.on("end", () => {
        seen.push([method, request.url, accept, key, Buffer.concat(pieces).toString()]);
        response.writeHead(418, { "x-own": "1" }).end("tea");
      });
    });
    const http = httpOf({ url: url.href });
    const fields = { method: "POST", headers: { accept: "a/b" }, users: { "x-key": "k" }, body: "{}" } as const;
    const { headers, ...reply } = await http.whole(requestOf(url, fields));
    const opened = await http.open(requestOf(url, fields));
    const text = await opened.reply.text();
    opened.end();

    expect([reply, headers.get("x-own")]).toEqual([{ status: 418, text: "tea" }, "1"]);
    expect([opened.reply.status, opened.reply.headers.get("x-own"), text]).toEqual([418, "1", "tea"]);
    const sent = ["POST", "/a2a", "a/b", "k", "{}"];
    expect(seen).toEqual([sent, sent]);
  });

  it("ends with its signal, for the reason of that, before and while it runs", async () => {
    const url = await serve(() => undefined);
    const http = httpOf({ url: url.href });
    const reason = new Error("left");
    for (const ask of [http.whole.bind(http), http.open.bind(http)]) {
      await expect(ask(requestOf(url, { signal: AbortSignal.abort(reason) }))).rejects.toBe(reason);
      const abort = new AbortController();
      const asking = ask(requestOf(url, { signal: abort.signal }));
      abort.abort(reason);
      await expect(asking).rejects.toBe(reason);
    }
  });

  it("has timeoutMs for its reply, or a time of its own", async () => {
    const url = await serve(() => undefined);
    const http = httpOf({ url: url.href, timeoutMs: 5 });
    const late = (ms: number) => ({
      kind: "timeout",
      happened: `did not answer in ${ms} ms. Raise timeoutMs to wait longer`,
    });
    await expect(http.whole(requestOf(url))).rejects.toMatchObject(late(5));
    await expect(http.open(requestOf(url))).rejects.toMatchObject(late(5));
    await expect(httpOf({ url: url.href }).whole(requestOf(url), 6)).rejects.toMatchObject(late(6));
  });

  it("ends with its signal at another origin too", async () => {
    const reason = new Error("left");
    const asking = httpOf().whole(requestOf(new URL("https://93.184.216.34/"), { signal: AbortSignal.abort(reason) }));
    await expect(asking).rejects.toBe(reason);
  });

  it("has its time in full for the head and for each silence, also above the defaults of the connections", async () => {
    const reply = { status: 200, headers: new Headers(), bytes: bytesOf("a"), text: async () => "a" };
    const send = vi.spyOn(Network.prototype, "send").mockImplementation(async () => reply);
    onTestFinished(() => send.mockRestore());
    const http = httpOf({ timeoutMs: 90_000 });
    const request = requestOf(new URL(far), { users: { "x-key": null }, headers: { "x-key": "k", "x-a": "b" } });
    await http.whole(request);
    await http.whole(request, 3000);
    (await http.open(request)).end();
    const signal: unknown = expect.any(AbortSignal);
    const init = { method: "GET", headers: { "x-a": "b" }, body: undefined, signal };
    expect(send.mock.calls.map(([, given]) => given)).toEqual([
      { ...init, headersTimeoutMs: 90_000, idleTimeoutMs: 90_000 },
      { ...init, headersTimeoutMs: 3000, idleTimeoutMs: 3000 },
      { ...init, headersTimeoutMs: 90_000, idleTimeoutMs: 90_000 },
    ]);
    expect(send.mock.calls.map(([url]) => String(url))).toEqual([far, far, far]);
  });

  it("leaves no listener at its signal", async () => {
    const url = await serve((_request, response) => response.end("a"));
    const http = httpOf({ url: url.href });
    const { signal } = new AbortController();
    await http.whole(requestOf(url, { signal }));
    const opened = await http.open(requestOf(url, { signal }));
    expect(getEventListeners(signal, "abort")).not.toEqual([]);
    opened.end();
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });

  it("a request to a remote agent that is closed ends its stream", async () => {
    const closed = Promise.withResolvers<void>();
    const url = await serve((_request, response) => {
      response.on("close", () => closed.resolve());
      response.write("a");
    });
    const opened = await httpOf({ url: url.href }).open(requestOf(url));
    const bytes = opened.reply.bytes[Symbol.asyncIterator]();
    expect(Buffer.from((await bytes.next()).value ?? []).toString()).toBe("a");
    opened.end();
    await closed.promise;
  });
});

describe("the time of a reply that is read as it arrives", () => {
  const timeoutMs = 1000;

  /** Opens a reply whose bytes come when the test says so. */
  async function open() {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const calls: PromiseWithResolvers<IteratorResult<Uint8Array, undefined>>[] = [];
    const seen: { signal?: AbortSignal | undefined; returned: number } = { returned: 0 };
    const bytes = {
      next: async () => {
        const call = Promise.withResolvers<IteratorResult<Uint8Array, undefined>>();
        calls.push(call);
        seen.signal?.addEventListener("abort", () => call.reject(seen.signal?.reason), { once: true });
        return await call.promise;
      },
      return: async () => {
        seen.returned += 1;
        return await Promise.resolve({ done: true as const, value: undefined });
      },
      [Symbol.asyncIterator]: () => bytes,
    };
    const send = vi.spyOn(Network.prototype, "send").mockImplementation(async (_url, init) => {
      seen.signal = init?.signal;
      return await Promise.resolve({ status: 200, headers: new Headers(), bytes } as unknown as HttpReply);
    });
    onTestFinished(() => {
      send.mockRestore();
      vi.useRealTimers();
    });
    const opened = await httpOf({ timeoutMs }).open(requestOf(new URL(far)));
    const give = (text: string): void => calls.at(-1)?.resolve({ done: false, value: Buffer.from(text) });
    return { opened, give, seen, read: async () => await opened.reply.bytes.next() };
  }

  it("begins anew with each read", async () => {
    const { opened, give, read, seen } = await open();
    for (const text of ["a", "b", "c"]) {
      const reading = read();
      await vi.advanceTimersByTimeAsync(timeoutMs - 1);
      give(text);
      expect(Buffer.from((await reading).value ?? []).toString()).toBe(text);
    }
    expect(seen.signal?.aborted).toBe(false);
    opened.end();
  });

  it("is over after timeoutMs of silence", async () => {
    const { read } = await open();
    const failing = read().catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(timeoutMs);
    expect(await failing).toMatchObject({
      kind: "timeout",
      happened: "did not answer in 1000 ms. Raise timeoutMs to wait longer",
    });
  });

  it("does not pass while the reader has not asked for more", async () => {
    const { give, read, seen } = await open();
    const first = read();
    give("a");
    await first;
    await vi.advanceTimersByTimeAsync(10 * timeoutMs);
    expect(seen.signal?.aborted).toBe(false);
    const second = read();
    await vi.advanceTimersByTimeAsync(timeoutMs - 1);
    give("b");
    expect(Buffer.from((await second).value ?? []).toString()).toBe("b");
    const failing = read().catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(timeoutMs);
    expect(await failing).toMatchObject({ kind: "timeout" });
  });

  it("is over with the reply, which is left", async () => {
    const { opened, seen } = await open();
    const { bytes } = opened.reply;
    expect(await bytes.return?.()).toEqual({ done: true, value: undefined });
    opened.end();
    expect([seen.returned, seen.signal?.aborted]).toEqual([1, true]);
    expect(seen.signal?.reason).toEqual(new Error("The reply was left."));
  });
});
