import { Writable } from "node:stream";
import type { TurnPart } from "@troupe/core";
import { describe, expect, it } from "vitest";
import { sendPart } from "./send-part.ts";

/** A response that keeps its head and its body. */
class KeptResponse extends Writable {
  head: unknown[] = [];
  text = "";
  readonly #method: string;

  constructor(method = "GET") {
    super();
    this.#method = method;
  }

  get asExchange(): Parameters<typeof sendPart>[0] {
    const openStream = (...head: unknown[]) => {
      this.head = head;
      return this;
    };
    return { method: this.#method, openStream, send: (...head) => void openStream(...head).end() };
  }

  override _write(piece: Buffer, _encoding: string, done: () => void): void {
    this.text += piece.toString();
    done();
  }
}

/** A part of two pieces, which notes how many are read and whether the reader has returned. */
function partOf(more: Partial<TurnPart> = {}, error?: Error) {
  const noted = { reads: 0, isLeft: false };
  async function* pieces() {
    try {
      noted.reads += 1;
      yield Buffer.from("AB");
      noted.reads += 1;
      if (error !== undefined) throw error;
      yield await Promise.resolve(Buffer.from("C"));
    } finally {
      noted.isLeft = true;
    }
  }
  return { noted, part: { mimeType: "image/png", bytes: 3, pieces: pieces(), ...more } };
}

async function send(more: Partial<TurnPart> = {}, response = new KeptResponse()) {
  const { noted, part } = partOf(more);
  await sendPart(response.asExchange, part);
  return { noted, text: response.text, status: response.head[0], headers: response.head[1] as Record<string, unknown> };
}

describe("sendPart", () => {
  it("sends the bytes as a download that a browser neither shows nor keeps", async () => {
    const { noted, text, status, headers } = await send();
    expect([status, text, noted]).toEqual([200, "ABC", { reads: 2, isLeft: true }]);
    expect(headers).toEqual({
      "Content-Type": "image/png",
      "Content-Length": 3,
      "Content-Disposition": "attachment",
      "X-Content-Type-Options": "nosniff",
      "Content-Security-Policy": "sandbox; default-src 'none'",
      "Cache-Control": "no-store",
    });
  });

  it.each([
    ["image/svg+xml", "image/svg+xml"],
    ["application/vnd.a-b.c", "application/vnd.a-b.c"],
    ["text/html; charset=utf-8", "application/octet-stream"],
    ["text", "application/octet-stream"],
    ["a/b/c", "application/octet-stream"],
    ["", "application/octet-stream"],
    ["a/b\r\nX: 1", "application/octet-stream"],
  ])("gives the type %j as %s", async (mimeType, type) => {
    expect((await send({ mimeType })).headers["Content-Type"]).toBe(type);
  });

  it.each([
    ["a.txt", "a.txt"],
    ["é b.txt", "%C3%A9%20b.txt"],
    ["'(*)!~.x", "%27%28%2A%29!~.x"],
    ['";\r\n', "%22%3B%0D%0A"],
    ["\ud800", "%EF%BF%BD"],
    ["", ""],
  ])("encodes the name %j", async (filename, encoded) => {
    expect((await send({ filename })).headers["Content-Disposition"]).toBe(`attachment; filename*=UTF-8''${encoded}`);
  });

  it("reads one piece alone for HEAD, and sends none", async () => {
    const { noted, text, headers } = await send({}, new KeptResponse("HEAD"));
    expect([text, noted, headers["Content-Length"]]).toEqual(["", { reads: 1, isLeft: true }, 3]);
  });

  it("sends a part without a byte", async () => {
    expect((await send({ bytes: 0, pieces: ReadableStream.from([]) })).text).toBe("");
  });

  it("rejects before the head for what cannot be read", async () => {
    const response = new KeptResponse();
    const error = new Error("Gone.");
    const pieces = { [Symbol.asyncIterator]: () => ({ next: async () => await Promise.reject(error) }) };
    await expect(sendPart(response.asExchange, partOf({ pieces }).part)).rejects.toBe(error);
    expect(response.head).toEqual([]);
  });

  it("rejects when a later piece cannot be read, and leaves the pieces", async () => {
    const response = new KeptResponse();
    response.on("error", () => undefined);
    const error = new Error("Gone.");
    const { noted, part } = partOf({}, error);
    await expect(sendPart(response.asExchange, part)).rejects.toBe(error);
    expect([noted.isLeft, response.destroyed]).toEqual([true, true]);
  });

  it("ends without an error when its client leaves, and leaves the pieces", async () => {
    const response = new KeptResponse();
    const { noted, part } = partOf();
    const sending = sendPart(response.asExchange, part);
    response.destroy();
    await sending;
    expect(noted.isLeft).toBe(true);
  });
});
