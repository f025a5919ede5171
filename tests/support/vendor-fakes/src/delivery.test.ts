import { once } from "node:events";
import { connect } from "node:net";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { cutInPieces } from "./delivery.ts";
import type { Delivery, Fault } from "./delivery.ts";
import { FakeVendor } from "./fake-vendor.ts";
import { badGateway } from "./planned-reply.ts";

let vendor: FakeVendor;

beforeEach(async () => {
  vendor = await FakeVendor.start();
});
afterEach(() => vendor.close());

const raw = { status: 200, headers: { "content-type": "text/plain" }, frames: ["0123456789", "abcdef"] };

/** Receives an answer over a raw socket: head and chunks as text, and the error that ended it. */
async function receive(delivery: Delivery): Promise<{ text: string; error: string | undefined }> {
  vendor.plan({ raw, delivery });
  const socket = connect(Number(new URL(vendor.url).port), "127.0.0.1");
  let [text, error] = ["", undefined as string | undefined];
  socket.setEncoding("utf8").on("data", (piece: string) => {
    text += piece;
    // Without this the connection would be kept alive.
    if (text.endsWith("\r\n0\r\n\r\n")) socket.end();
  });
  socket.on("error", ({ code }: NodeJS.ErrnoException) => (error = code));
  socket.write("POST /v1/messages HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}");
  await new Promise((resolve) => socket.once("close", resolve));
  return { text, error };
}

/** Returns the chunks of the body as they were written. */
function chunksIn(text: string): string[] {
  const [, body = ""] = text.split("\r\n\r\n", 2);
  return body.split("\r\n").filter((_, index) => index % 2 === 1);
}

describe("an answer", () => {
  it.each<[string, Delivery, string[]]>([
    ["as the vendor frames them", {}, ["0123456789", "abcdef"]],
    ["of one size", { pieceBytes: 7 }, ["0123456", "789abcd", "ef"]],
    ["cut at given offsets", { splitAt: [1, 12] }, ["0", "123456789ab", "cdef"]],
    ["with time between them", { pieceDelayMs: 1, delayMs: 1 }, ["0123456789", "abcdef"]],
  ])("is sent in pieces %s", async (_, delivery, expected) => {
    expect(chunksIn((await receive(delivery)).text)).toEqual(expected);
    expect(vendor.exchanges[0]?.end).toBe("completed");
  });
});

it("an answer in pieces is read piece by piece", async () => {
  vendor.plan({ raw, delivery: { pieceBytes: 1 } });
  const response = await fetch(`${vendor.url}/v1/messages`, { method: "POST", body: "{}" });
  const pieces: number[] = [];

  for await (const piece of response.body ?? []) pieces.push((piece as Uint8Array).length);

  // One or two may arrive together while the client reads the head.
  expect(pieces.length).toBeGreaterThan(12);
});

const lengths = (frames: readonly string[], cuts: { splitAt?: number[]; pieceBytes?: number; lastByte?: number }) =>
  cutInPieces(frames, { lastByte: Infinity, ...cuts }).map((piece) => piece.length);

describe("cutInPieces", () => {
  it.each([
    [{}, [3, 4]],
    [{ pieceBytes: 3 }, [3, 3, 1]],
    [{ splitAt: [2, 5] }, [2, 3, 2]],
    [{ splitAt: [] }, [7]],
    [{ lastByte: 4 }, [3, 1]],
    [{ lastByte: 0 }, []],
  ])("cuts with %o into pieces of %o bytes", (cuts, expected) => {
    expect(lengths(["abc", "€f"], cuts)).toEqual(expected);
  });

  it("loses no byte before the last one, and makes no empty piece", () => {
    const cuts = fc.record(
      {
        splitAt: fc.array(fc.integer({ min: -5, max: 60 })),
        pieceBytes: fc.integer({ min: 1, max: 60 }),
        lastByte: fc.nat({ max: 60 }),
      },
      { requiredKeys: ["lastByte"] },
    );
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 9 }), { maxLength: 5 }), cuts, (frames, one) => {
        const pieces = cutInPieces(frames, one);

        expect(Buffer.concat(pieces)).toEqual(Buffer.concat(frames).subarray(0, one.lastByte));
        expect(pieces.every((piece) => piece.length > 0)).toBe(true);
      }),
    );
  });
});

describe("a fault", () => {
  const moments: [string, Fault["at"], string][] = [
    ["before the head", "before-headers", ""],
    ["after the head", { afterBytes: 0 }, ""],
    ["in the middle of the body", { afterBytes: 12 }, "0123456789ab"],
    ["after the last byte", { afterBytes: 99 }, "0123456789abcdef"],
  ];

  it.each(moments)("cuts the connection %s", async (_, at, body) => {
    const { text, error } = await receive({ fault: { kind: "cut", at } });

    expect({ error, body: chunksIn(text).join(""), hasHead: text !== "" }).toEqual({
      error: undefined,
      body,
      hasHead: at !== "before-headers",
    });
    expect(text).not.toMatch(/\r\n0\r\n\r\n$/);
    expect(vendor.exchanges[0]?.end).toBe("broken");
  });

  it.each(moments)("resets the connection %s", async (_, at) => {
    const { error } = await receive({ fault: { kind: "reset", at } });

    expect(error).toBe("ECONNRESET");
    expect(vendor.exchanges[0]?.end).toBe("broken");
  });

  it.each(moments)("hangs %s until the client leaves", async (_, at, body) => {
    vendor.plan({ raw, delivery: { fault: { kind: "hang", at } } });
    const abort = new AbortController();
    const answer = fetch(`${vendor.url}/v1/messages`, { method: "POST", body: "{}", signal: abort.signal });
    answer.catch(() => undefined);

    const seen = at === "before-headers" ? "" : await read(await answer, body.length);
    await expect.poll(() => vendor.exchanges.length).toBe(1);
    expect({ seen, end: vendor.exchanges[0]?.end }).toEqual({ seen: body, end: "open" });
    abort.abort();

    await expect.poll(() => vendor.exchanges[0]?.end).toBe("abandoned");
  });

  it("does not apply after the client has left", async () => {
    vendor.plan({ raw, delivery: { delayMs: 60_000, fault: { kind: "cut", at: "before-headers" } } });
    const abort = new AbortController();
    const answer = fetch(`${vendor.url}/v1/messages`, { method: "POST", body: "{}", signal: abort.signal });
    await expect.poll(() => vendor.exchanges.length).toBe(1);
    abort.abort();
    await answer.catch(() => undefined);

    await expect.poll(() => vendor.exchanges[0]?.end).toBe("abandoned");
  });
});

async function read(response: Response, length: number): Promise<string> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (text.length < length) text += (await reader?.read())?.value ?? "";
  return text;
}

it("badGateway is sent as a page of HTML", async () => {
  vendor.plan({ raw: badGateway });

  const response = await fetch(`${vendor.url}/v1/messages`, { method: "POST", body: "{}" });

  expect(response.status).toBe(502);
  expect(await response.text()).toMatch(/^<html>/);
});

it("a client that leaves while it sends its request is recorded and not billed", async () => {
  vendor.say("Never said.");
  const socket = connect(Number(new URL(vendor.url).port), "127.0.0.1");
  await once(socket, "connect");
  socket.write('POST /v1/messages HTTP/1.1\r\nHost: a\r\nContent-Length: 99\r\n\r\n{"mo');
  await expect.poll(() => vendor.openConnections).toBe(1);
  socket.destroy();

  await expect.poll(() => vendor.exchanges).toMatchObject([{ end: "abandoned", request: { url: "/v1/messages" } }]);
  expect(vendor.exchanges[0]?.billed).toBeUndefined();
  expect(() => vendor.assertDone()).toThrow(/1 planned/);
});
