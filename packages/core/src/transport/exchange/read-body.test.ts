import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { readBytes, readJsonObject } from "./read-body.ts";

const json = "application/json";
const limit = { maxBytes: 20 };
const tooLong = {
  code: "payload_too_large",
  message: "The body must have at most 20 bytes. The option maxBodyBytes of the service sets this limit.",
};

/** A request whose body is written by the test. */
function requestOf(headers: Record<string, string | undefined> = {}, parsedBody?: unknown) {
  const given = { "content-type": json, "transfer-encoding": "chunked", ...headers };
  const body = new PassThrough();
  return { body, request: { headers: given, hasBody: true, body, parsedBody } };
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
    return await readJsonObject(given.request, limit);
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
    ['\u{feff}{"a":1', "The body is not valid JSON: it ends too early."],
    ['{"é":1', "The body is not valid JSON: it ends too early."],
    ["\u{feff}\u{feff}{}", "The body is not valid JSON: it has an unexpected token."],
    ['{\n"key":sk-1}', "The body is not valid JSON: it has an unexpected token."],
    ['{"a":\n1 1}', "The body is not valid JSON: it breaks at line 2, column 3."],
    [Buffer.from('{"a":"\u00ff"}', "latin1"), "The body is not valid UTF-8."],
    ["[]", expect.stringContaining("object")],
    ["null", expect.stringContaining("object")],
  ])("a body of %j is refused without a cause that quotes it: %j", async (text, message) => {
    const refusal: unknown = await readPieces([text]).catch((error: unknown) => error);

    expect(refusal).toMatchObject({ code: "invalid_request", message });
    expect(refusal).not.toHaveProperty("cause");
  });

  it("is undefined, and not read, if the request has none", async () => {
    const { body, request } = requestOf({ "content-type": undefined });

    expect(await readJsonObject({ ...request, hasBody: false }, limit)).toBeUndefined();
    expect(body.readableDidRead).toBe(false);
  });

  it("a body that the host has parsed is not read again", async () => {
    const { request } = requestOf({ "content-length": "99", "content-encoding": "gzip" }, { a: 1 });

    expect(await readJsonObject(request, limit)).toEqual({ a: 1 });
  });

  it.each([[0], [false], [""], [[]], ["{}"]])("a body that the host has parsed as %j is refused", async (parsed) => {
    const given = requestOf({}, parsed);
    given.body.end("{}");

    await expect(readJsonObject(given.request, limit)).rejects.toMatchObject({
      code: "invalid_request",
      message: 'The body must be a JSON object, such as {"input": "Hello"}.',
    });
  });

  it("a body that the host has parsed is refused when it was sent with another type", async () => {
    const { request } = requestOf({ "content-type": "application/x-www-form-urlencoded" }, { input: "x" });

    await expect(readJsonObject(request, limit)).rejects.toMatchObject({ code: "unsupported_media_type" });
  });

  it("a body that the host has read, or whose client has left, is none", async () => {
    const read = requestOf();
    read.body.end("{}");
    await read.body.toArray();
    const left = requestOf();
    left.body.destroy();

    expect(await readJsonObject(read.request, limit)).toBeUndefined();
    expect(await readJsonObject(left.request, limit)).toBeUndefined();
  });

  it("a body that is announced too long is not read, and one that becomes too long is paused", async () => {
    const announced = requestOf({ "content-length": "21" });
    await expect(readJsonObject(announced.request, limit)).rejects.toMatchObject(tooLong);
    expect(announced.body.readableDidRead).toBe(false);

    const given = requestOf();
    const before = countListeners(given);
    const reading = readJsonObject(given.request, limit);
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

    await expect(readJsonObject(given.request, limit)).rejects.toMatchObject(tooLong);
  });

  it.each([undefined, new Error("reset")])("is cancelled when its client leaves with %j", async (error) => {
    const given = requestOf();
    given.body.on("error", () => {});
    const reading = readJsonObject(given.request, limit);
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
  ])("a body with the headers %j is read as a %s one where larger ones are allowed", async (headers, expected) => {
    const given = requestOf(headers);
    given.body.end('{"read":"small"}');
    const readLarge = async () => await Promise.resolve(Buffer.from('{"read":"large"}'));

    expect(await readJsonObject(given.request, { ...limit, readLarge })).toEqual({ read: expected });
  });

  it("a body of no bytes is none, also where larger ones are allowed", async () => {
    const { request } = requestOf();

    expect(
      await readJsonObject(request, { ...limit, readLarge: async () => await Promise.resolve(Buffer.alloc(0)) }),
    ).toBe(undefined);
  });
});

describe("the types of a body", () => {
  it.each([
    ["application/a2a+json", ["application/json", "application/a2a+json"]],
    ["application/json; charset=utf-8", ["application/json", "application/a2a+json"]],
    ["text/plain; charset=latin1", "any"],
    [undefined, "any"],
  ] as const)("may be %j where %j is allowed", async (type, types) => {
    const { body, request } = requestOf({ "content-type": type });
    body.end("{}");

    expect(await readJsonObject(request, { ...limit, types })).toEqual({});
  });

  it.each([
    ["application/json", ["application/a2a+json"]],
    ["application/a2a+json", ["application/json"]],
    ["application/a2a+json; charset=latin1", ["application/a2a+json"]],
  ] as const)("may not be %j where %j is allowed", async (type, types) => {
    const { request } = requestOf({ "content-type": type });

    await expect(readJsonObject(request, { ...limit, types })).rejects.toMatchObject({
      code: "unsupported_media_type",
    });
  });

  it("a compressed body is refused, whatever types are allowed", async () => {
    const { request } = requestOf({ "content-encoding": "br" });

    await expect(readJsonObject(request, { ...limit, types: "any" })).rejects.toMatchObject({
      code: "unsupported_media_type",
    });
  });
});

describe("readBytes", () => {
  it("returns the bytes as they were sent, also those of no body", async () => {
    const [sent, none] = [requestOf(), requestOf()];
    sent.body.end('{"a": "é" }');
    none.body.end();

    expect(String(await readBytes(sent.request, limit))).toBe('{"a": "é" }');
    expect(await readBytes(none.request, limit)).toEqual(Buffer.alloc(0));
  });

  it.each([
    [Buffer.from("raw é"), "raw é"],
    ["text é", "text é"],
    [{ a: "é" }, '{"a":"é"}'],
    [null, "null"],
    [() => {}, ""],
  ])("writes the body %j that the host has parsed as bytes again", async (parsed, expected) => {
    const { request } = requestOf({ "content-length": "99" }, parsed);

    expect(String(await readBytes(request, limit))).toBe(expected);
  });

  it("refuses a body of 21 bytes where 20 are allowed, announced or not", async () => {
    const [announced, unannounced] = [requestOf({ "content-length": "21" }), requestOf()];
    unannounced.body.end("x".repeat(21));
    const most = requestOf({ "content-length": "20" });
    most.body.end("x".repeat(20));

    await expect(readBytes(announced.request, limit)).rejects.toMatchObject(tooLong);
    await expect(readBytes(unannounced.request, limit)).rejects.toMatchObject(tooLong);
    expect(await readBytes(most.request, limit)).toHaveLength(20);
  });

  it("refuses another type and a compressed body", async () => {
    for (const headers of [{ "content-type": "text/plain" }, { "content-encoding": "gzip" }]) {
      await expect(readBytes(requestOf(headers).request, limit)).rejects.toMatchObject({
        code: "unsupported_media_type",
      });
    }
  });
});
