import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { sendByFetch } from "./fetch-sender.ts";
import { createHttpPool } from "./http-pool.ts";
import type { HttpSender } from "./http-sender.ts";
import { encodeJson, isPiecewise, joinBody } from "./json-body.ts";
import type { PiecewiseBody } from "./json-body.ts";
import { postJson } from "./post-json.ts";
import { proxySender } from "./proxy-sender.ts";

const base64 = (bytes: number, fill: string): string => Buffer.alloc(bytes, fill).toString("base64");
const large = {
  model: "m",
  messages: [
    {
      role: "user",
      content: [{ type: "text", text: 'A "quote" and \u{1f600}\ud800.' }, { data: base64(3_000_001, "a") }],
    },
    { role: "user", content: [{ url: `data:image/png;base64,${base64(2_000_000, "b")}`, note: undefined }] },
    { role: "user", content: "a long text, not base64: ".repeat(60_000) },
  ],
};

async function encodeLarge(body: unknown): Promise<PiecewiseBody> {
  const encoded = await encodeJson(body);
  if (!isPiecewise(encoded)) throw new Error("The body is one string.");
  return encoded;
}

describe("encodeJson", () => {
  it("writes long base64 in pieces, as JSON.stringify would write all of it", async () => {
    const body = await encodeLarge(large);

    const pieces: Uint8Array[] = [];
    for await (const piece of body) pieces.push(piece);

    const whole = Buffer.concat(pieces);
    expect(whole.equals(Buffer.from(JSON.stringify(large)))).toBe(true);
    expect(body.byteLength).toBe(whole.length);
    expect(pieces.filter(({ length }) => length > 300_000)).toHaveLength(1);
    expect(Buffer.from(await joinBody(body)).equals(whole)).toBe(true);
  });

  it.each([
    ["short values", { a: "x", b: [1, null, { c: true }] }],
    ["a long text that is no base64", { a: "é".repeat(1_500_000) }],
    ["base64 with a line break", { a: `${base64(1_500_000, "a")}\n` }],
    ["a long data: URL without a comma", { a: `data:${base64(1_500_000, "a")}` }],
  ])("returns %s as one string", async (_, body) => {
    expect(await encodeJson(body)).toBe(JSON.stringify(body));
  });

  it("never makes a string of a whole large body [model.large-bodies]", async () => {
    const stringify = vi.spyOn(JSON, "stringify");
    onTestFinished(() => stringify.mockRestore());
    const { messages } = large;

    await encodeLarge({ messages: messages.slice(0, 2) });

    const lengths = stringify.mock.results.map(({ value }) => String(value).length);
    expect(Math.max(...lengths)).toBeLessThan(1000);
  });
});

describe("encoding a large body", () => {
  it("goes on in small steps, between which the event loop turns [model.large-bodies]", async () => {
    let turns = 0;
    let isOver = false;
    const turn = (): void => {
      turns += 1;
      if (!isOver) setImmediate(turn);
    };
    setImmediate(turn);

    const body = await encodeLarge({ a: base64(24_000_000, "a"), b: `data:a/b;base64,${base64(24_000_000, "b")}` });
    isOver = true;

    expect(body.byteLength).toBeGreaterThan(64_000_000);
    // 32 million characters each, in steps of 4 million.
    expect(turns).toBeGreaterThanOrEqual(16);
  });

  it("sends the body of the moment, not what becomes of it meanwhile", async () => {
    const body = { data: base64(3_000_000, "a"), more: ["x"] };
    const expected = JSON.stringify(body);
    const encoded = encodeLarge(body);
    body.data = "other";
    body.more.push("y");

    expect(Buffer.from(await joinBody(await encoded)).toString() === expected).toBe(true);
  });
});

describe("a large body", () => {
  async function serveEcho() {
    const bodies: { length: string | undefined; text: string }[] = [];
    const server = createServer((request, response) => {
      const pieces: Buffer[] = [];
      request.on("data", (piece: Buffer) => pieces.push(piece));
      request.on("end", () => {
        bodies.push({ length: request.headers["content-length"], text: Buffer.concat(pieces).toString() });
        response.end("{}");
      });
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    return { bodies, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
  }

  const senders: [string, (proxy: string) => HttpSender][] = [
    ["the pool", () => createHttpPool()],
    ["a fetch of the user", () => ({ send: (url, init) => sendByFetch(fetch, String(url), init) })],
    ["a proxy", (proxy) => proxySender(proxy)],
  ];

  it.each(senders)(
    "is sent whole through %s, with its length, and again for another try [model.large-bodies]",
    async (_, create) => {
      const { bodies, url } = await serveEcho();
      // A plain proxy is sent the same requests as a server.
      const sender = create(url);
      const request = { url, body: large, call: { signal: undefined }, toError: () => new Error("refused") } as never;

      for (let count = 0; count < 2; count++) await (await postJson(sender, request)).text();

      const text = Buffer.from(JSON.stringify(large)).toString();
      expect(bodies.map((body) => body.text === text)).toEqual([true, true]);
      expect(bodies.map(({ length }) => length)).toEqual(
        [String(text.length), String(text.length)].map(() => String(Buffer.byteLength(text))),
      );
    },
  );

  it("can be aborted while it is written", async () => {
    const server = createServer((request) => void request.pause()).listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const abort = new AbortController();
    const body = { data: base64(30_000_000, "a") };
    const request = { url, body, call: { signal: abort.signal }, toError: () => new Error("refused") } as never;
    const reason = new Error("The caller has left.");

    const sent = postJson(createHttpPool(), request);
    await once(server, "request");
    abort.abort(reason);

    await expect(sent).rejects.toBe(reason);
  });
});
