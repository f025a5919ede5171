import { PassThrough } from "node:stream";
import type { Request } from "express";
import { describe, expect, it } from "vitest";
import { readBody } from "./read-body.ts";

const json = "application/json";
const limit = { maxBytes: 20 };
const tooLong = {
  code: "payload_too_large",
  message: "The body must have at most 20 bytes. The option maxBodyBytes of the service sets this limit.",
};

/** A request whose body is written by the test. */
function requestOf(headers: Record<string, string | undefined> = {}, parsed?: unknown) {
  const given = { "content-type": json, "transfer-encoding": "chunked", ...headers };
  const body = new PassThrough();
  return { body, request: Object.assign(body, { headers: given, body: parsed }) as unknown as Request };
}

function countListeners({ body }: ReturnType<typeof requestOf>): number[] {
  return ["data", "end", "error", "close"].map((name) => body.listenerCount(name));
}

async function readPieces(pieces: readonly (string | Buffer)[], headers: Record<string, string | undefined> = {}) {
  const given = requestOf(headers);
  const before = countListeners(given);
  for (const piece of pieces) given.body.write(piece);
  given.body.end();
  try {
    return await readBody(given.request, limit);
  } finally {
    expect(countListeners(given)).toEqual(before);
  }
}

describe("the type of a body", () => {
  it.each([
    json,
    "Application/JSON",
    `${json} ; charset=UTF-8`,
    `${json};charset="utf-8"`,
    `${json}; charset=utf8`,
    `${json}; profile=x`,
  ])("may be %j", async (type) => {
    expect(await readPieces(["{}"], { "content-type": type })).toEqual({});
  });

  it.each([undefined, "", "text/plain", `${json}+x`, `x-${json}`, `${json}; charset=latin1`, `x; ${json}`])(
    "is refused as %j",
    async (type) => {
      await expect(readPieces(["{}"], { "content-type": type })).rejects.toMatchObject({
        code: "unsupported_media_type",
        message: "The body must be JSON in UTF-8. Send Content-Type: application/json.",
      });
    },
  );

  it("may name no compression but identity", async () => {
    expect(await readPieces(["{}"], { "content-encoding": "Identity" })).toEqual({});
    await expect(readPieces(["{}"], { "content-encoding": "gzip" })).rejects.toMatchObject({
      code: "unsupported_media_type",
      message: "The body must be sent uncompressed, without a Content-Encoding.",
    });
  });
});

describe("a body", () => {
  it.each<[string, (string | Buffer)[], unknown]>([
    ["in one piece", ['{"a":"é"}'], { a: "é" }],
    ["in pieces that cut a character", ['{"a":"', Buffer.of(0xc3), Buffer.of(0xa9), '"}'], { a: "é" }],
    ["behind a byte order mark", ['\u{feff}{"a":1}'], { a: 1 }],
    ["of no bytes", [], undefined],
    ["of the most bytes", ['{"a":"', "x".repeat(12), '"}'], { a: "x".repeat(12) }],
  ])("is read %s", async (_, pieces, expected) => {
    expect(await readPieces(pieces)).toEqual(expected);
  });

  it.each([
    ['{"a":1', "The body is not valid JSON: it ends too early."],
    [" ", "The body is not valid JSON: it ends too early."],
    ['{\n"key":sk-1}', "The body is not valid JSON: it has an unexpected token."],
    ['{"a":\n1 1}', "The body is not valid JSON: it breaks at line 2, column 3."],
    [Buffer.from('{"a":"\u00ff"}', "latin1"), "The body is not valid UTF-8."],
    ["[]", expect.stringContaining("object")],
    ["null", expect.stringContaining("object")],
  ])("of %j is refused without a cause that quotes it: %j", async (text, message) => {
    const refusal: unknown = await readPieces([text]).catch((error: unknown) => error);

    expect(refusal).toMatchObject({ code: "invalid_request", message });
    expect(refusal).not.toHaveProperty("cause");
  });

  it.each([
    [{ "content-length": "0" }, undefined],
    [{}, undefined],
    [{ "content-length": "2" }, {}],
  ])("is only there by its headers: %j", async (headers, expected) => {
    expect(await readPieces(["{}"], { "transfer-encoding": undefined, ...headers })).toEqual(expected);
  });

  it("that the host has parsed is not read again", async () => {
    const { request } = requestOf({ "content-length": "99", "content-encoding": "gzip" }, { a: 1 });

    expect(await readBody(request, limit)).toEqual({ a: 1 });
  });

  it("that the host has read, or whose client has left, is none", async () => {
    const read = requestOf();
    read.body.end("{}");
    await read.body.toArray();
    const left = requestOf();
    left.body.destroy();

    expect(await readBody(read.request, limit)).toBeUndefined();
    expect(await readBody(left.request, limit)).toBeUndefined();
  });

  it("that is announced too long is not read, and one that becomes too long is paused", async () => {
    const announced = requestOf({ "content-length": "21" });
    await expect(readBody(announced.request, limit)).rejects.toMatchObject(tooLong);
    expect(announced.body.readableDidRead).toBe(false);

    const given = requestOf();
    const before = countListeners(given);
    const reading = readBody(given.request, limit);
    given.body.write("é".repeat(10));
    given.body.write("x");
    await expect(reading).rejects.toMatchObject(tooLong);
    expect(given.body.isPaused()).toBe(true);
    expect(countListeners(given)).toEqual(before);
  });

  it("counts bytes where the host has made strings of it", async () => {
    const given = requestOf();
    given.body.setEncoding("utf8");
    given.body.end("é".repeat(11));

    await expect(readBody(given.request, limit)).rejects.toMatchObject(tooLong);
  });

  it.each([undefined, new Error("reset")])("is cancelled when its client leaves with %j", async (error) => {
    const given = requestOf();
    given.body.on("error", () => {});
    const reading = readBody(given.request, limit);
    given.body.write("{");
    setImmediate(() => given.body.destroy(error));

    await expect(reading).rejects.toMatchObject({
      code: "cancelled",
      message: "The client disconnected before the end of the body.",
    });
  });

  it.each([
    [{ "content-length": "20" }, "small"],
    [{ "content-length": "21" }, "large"],
    [{}, "large"],
  ])("with the headers %j is read as a %s one where larger ones are allowed", async (headers, expected) => {
    const given = requestOf(headers);
    given.body.end('{"read":"small"}');
    const readLarge = async () => await Promise.resolve(Buffer.from('{"read":"large"}'));

    expect(await readBody(given.request, { ...limit, readLarge })).toEqual({ read: expected });
  });
});
