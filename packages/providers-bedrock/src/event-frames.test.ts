import { bedrockEvent, bedrockException } from "@troupe-internal/vendor-fakes";
import { EventStreamCodec } from "@smithy/eventstream-codec";
import { describe, expect, it } from "vitest";
import type { HttpReply } from "@troupe/core/kit";
import { FrameStream } from "./event-frames.ts";

const codec = new EventStreamCodec(
  (bytes) => Buffer.from(bytes).toString("utf8"),
  (text) => Buffer.from(text, "utf8"),
);
const hello = { contentBlockIndex: 0, delta: { text: "Größe 😀" } };
const event = bedrockEvent("contentBlockDelta", hello);
const readHello = { type: "contentBlockDelta", payload: hello };

async function* streamOf(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array, undefined> {
  yield* pieces;
  return undefined;
}

/** Reads a stream in pieces to its end. */
async function read(...pieces: Uint8Array[]): Promise<{ events: unknown[]; error?: unknown }> {
  const events: unknown[] = [];
  const reply = { bytes: streamOf(pieces) } as unknown as HttpReply;
  try {
    for await (const batch of new FrameStream(reply)) events.push(...batch);
  } catch (error) {
    return { events, error };
  }
  return { events };
}

const damaged = { code: "ECONNRESET", happened: "sent a damaged event" };

describe("FrameStream", () => {
  it("reads frames, however they are cut", async () => {
    const all = Buffer.concat([event, event]);
    for (let at = 0; at <= all.byteLength; at += 1)
      expect(await read(all.subarray(0, at), all.subarray(at)), `cut at ${at}`).toEqual({
        events: [readHello, readHello],
      });
    const single = Array.from(all, (_, at) => all.subarray(at, at + 1));

    expect(await read(...single)).toEqual({ events: [readHello, readHello] });
  });

  it("reads exceptions, errors without a model, and events without a payload", async () => {
    const error = codec.encode({
      headers: {
        ":message-type": { type: "string", value: "error" },
        ":error-code": { type: "string", value: "InternalError" },
        ":error-message": { type: "string", value: "No." },
      },
      body: new Uint8Array(),
    });
    const empty = codec.encode({
      headers: {
        ":message-type": { type: "string", value: "event" },
        ":event-type": { type: "string", value: "ping" },
      },
      body: new Uint8Array(),
    });

    expect(await read(bedrockException("throttlingException", { message: "Slow." }), empty, error)).toEqual({
      events: [
        { type: "throttlingException", payload: { message: "Slow." }, isException: true },
        { type: "ping", payload: undefined },
        { type: "InternalError", payload: { message: "No." }, isException: true },
      ],
    });
  });

  it("passes over headers of every other type", async () => {
    const frame = codec.encode({
      headers: {
        yes: { type: "boolean", value: true },
        no: { type: "boolean", value: false },
        byte: { type: "byte", value: 1 },
        short: { type: "short", value: 2 },
        integer: { type: "integer", value: 3 },
        binary: { type: "binary", value: Uint8Array.of(1, 2) },
        uuid: { type: "uuid", value: "00000000-0000-0000-0000-000000000000" },
        time: { type: "timestamp", value: new Date(0) },
        ":event-type": { type: "string", value: "news" },
      },
      body: Buffer.from("{}"),
    });

    expect(await read(frame)).toEqual({ events: [{ type: "news", payload: {} }] });
  });

  it("refuses a frame in which any byte is changed, after the events before it", async () => {
    for (let at = 0; at < event.byteLength; at += 1) {
      const broken = Buffer.from(event);
      broken.writeUInt8(broken.readUInt8(at) ^ 0x10, at);

      expect(await read(event, broken), `byte ${at}`).toMatchObject({ events: [readHello], error: damaged });
    }
  });

  it("refuses a stream that ends within a frame, wherever", async () => {
    for (let at = 1; at < event.byteLength; at += 1)
      expect(await read(event, event.subarray(0, at)), `cut at ${at}`).toMatchObject({
        events: [readHello],
        error: { code: "ECONNRESET", happened: "ended the stream within an event" },
      });
  });

  it.each<[string, Uint8Array, object]>([
    ["a page of HTML", Buffer.from("<html><body>Login</body></html>"), damaged],
    ["a payload that is no JSON", codec.encode({ headers: {}, body: Buffer.from("{") }), { code: "ECONNRESET" }],
  ])("refuses %s", async (_, bytes, error) => {
    expect(await read(bytes)).toMatchObject({ events: [], error });
  });

  it("refuses a frame that is too large as soon as its prelude is read", async () => {
    const { crc32 } = await import("node:zlib");
    const prelude = Buffer.alloc(12);
    prelude.writeUInt32BE(17_825_793, 0);
    prelude.writeUInt32BE(crc32(prelude.subarray(0, 8)), 8);

    expect(await read(prelude)).toMatchObject({
      events: [],
      error: { code: "model_failed", message: /17825792 bytes/ },
    });
  });

  it("stops its source when its reader leaves", async () => {
    let isOver = false;
    async function* endless(): AsyncGenerator<Uint8Array, undefined> {
      try {
        for (;;) yield event;
      } finally {
        isOver = true;
      }
    }
    for await (const _ of new FrameStream({ bytes: endless() } as unknown as HttpReply)) break;

    expect(isOver).toBe(true);
  });
});
