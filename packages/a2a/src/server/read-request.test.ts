import { getEventListeners } from "node:events";
import { Readable } from "node:stream";
import type { Exchange } from "@troupe/core/transport";
import { describe, expect, it } from "vitest";
import { exchangeOf, httpExchange } from "../../test/requests-http.ts";
import { toA2AError } from "../wire/a2a-error.ts";
import { queryOf, readBody, versionOf } from "./read-request.ts";

const json = { "content-type": "application/json" };
const most = 8;
const readHere = async (exchange: Exchange) =>
  await readBody(exchange, most).catch((error) => {
    throw toA2AError(error);
  });
const read = async (fields: Parameters<typeof httpExchange>[0]) =>
  (await readHere(httpExchange({ headers: json, ...fields }))).toString();

describe("the version of a request", () => {
  it.each([
    [{}, "/", undefined],
    [{ "a2a-version": "1.0" }, "/", "1.0"],
    [{ "a2a-version": "" }, "/?A2A-Version=1.0", ""],
    [{ "a2a-version": "0.3" }, "/?A2A-Version=1.0", "0.3"],
    [{}, "/?A2A-Version=1.0", "1.0"],
    [{}, "/?a=1&A2A-Version=1.0", "1.0"],
    [{}, "/?A2A-Version=", ""],
    [{}, "/?a2a-version=1.0", undefined],
    [{}, "/A2A-Version=1.0", undefined],
  ])("the version of a request with the headers %j at %s is %j", (headers, url, version) => {
    expect(versionOf(httpExchange({ headers, url }))).toBe(version);
  });

  it("is read from the query behind the first question mark", () => {
    expect([...queryOf(httpExchange({ url: "/a?b=c%20d&e=?" }))]).toEqual([
      ["b", "c d"],
      ["e", "?"],
    ]);
    expect([...queryOf(httpExchange({ url: "/a" }))]).toEqual([]);
  });
});

describe("the type of a body", () => {
  it.each([
    "application/json",
    "Application/A2A+JSON",
    "application/json; charset=utf-8",
    'application/json;a=b; charset="UTF-8"',
    "application/json; charset=UTF8",
  ])("may be %s", async (type) => {
    expect(await read({ headers: { "content-type": type, "content-encoding": "Identity" }, sent: ["{}"] })).toBe("{}");
  });

  const json8 = "The body must be JSON in UTF-8. Send Content-Type: application/json.";
  const plain = "The body must be sent uncompressed, without a Content-Encoding.";
  it.each<[Record<string, string>, string]>([
    [{}, json8],
    [{ "content-type": "text/plain" }, json8],
    [{ "content-type": "application/json5" }, json8],
    [{ "content-type": "text/plain; application/json" }, json8],
    [{ "content-type": "application/json; charset=latin1" }, json8],
    [{ "content-type": "application/json; charset=" }, json8],
    [{ ...json, "content-encoding": "gzip" }, plain],
  ])("may not be that of %j", async (headers, message) => {
    const refused = { kind: "content-type-not-supported", message };
    await expect(read({ headers, sent: ["{}"] })).rejects.toMatchObject(refused);
  });

  it("is checked where the host has parsed the body, which it has decompressed", async () => {
    const kind = "content-type-not-supported";
    await expect(read({ headers: { "content-type": "text/plain" }, body: {} })).rejects.toMatchObject({ kind });
    expect(await read({ headers: { ...json, "content-encoding": "gzip" }, body: {} })).toBe("{}");
  });
});

describe("a body", () => {
  it.each([
    [{ a: 1 }, '{"a":1}'],
    ["{}", "{}"],
    [Buffer.from("{}"), "{}"],
    [null, "null"],
    [() => 1, ""],
    [{ long: "x".repeat(most) }, `{"long":"${"x".repeat(most)}"}`],
  ])("a body that the host has parsed is JSON again: %o", async (body, text) => {
    expect(await read({ body, sent: ["other"] })).toBe(text);
  });

  it("is all of its pieces, cut at any byte", async () => {
    const bytes = Buffer.from('"é€"');
    expect(await read({ sent: [bytes.subarray(0, 2), bytes.subarray(2, 4), bytes.subarray(4)] })).toBe('"é€"');
    expect(await read({ sent: [] })).toBe("");
  });

  const message = `The body must have at most ${most} bytes. The option maxBodyBytes of the service sets this limit.`;
  const tooLong = expect.objectContaining({ message, fields: { code: "payload_too_large" } }) as Error;

  it("has at most so many bytes, as its head says and as they come", async () => {
    const long = { ...json, "content-length": String(most + 1) };
    expect(await read({ headers: { ...long, "content-length": String(most) }, sent: ["12345678"] })).toBe("12345678");
    await expect(read({ headers: long, sent: ["1"] })).rejects.toEqual(tooLong);
    await expect(read({ sent: ["1234", "5678", "9"] })).rejects.toEqual(tooLong);
    await expect(read({ sent: ["ééééé"] })).rejects.toEqual(tooLong);
  });

  it("is read no further once it is too long, and leaves no listener", async () => {
    const names = ["data", "end", "error", "close"];
    const exchange = httpExchange({ headers: json, sent: ["123456789", "more"] });
    const { body } = exchange;
    const before = names.map((name) => getEventListeners(body, name).length);
    await expect(readHere(exchange)).rejects.toEqual(tooLong);
    expect(body.isPaused()).toBe(true);
    expect(names.map((name) => getEventListeners(body, name).length)).toEqual(before);
  });

  it.each(["error", "close"])("a body that breaks off is that of a client that left: %s", async (way) => {
    const request = Object.assign(new Readable({ read: () => undefined }), { headers: json });
    const reading = readBody(exchangeOf(request), most);
    request.push("12");
    request.emit(way, new Error("canary"));
    const left = { code: "cancelled", message: "The client disconnected before the end of the body." };
    await expect(reading).rejects.toMatchObject(left);
  });

  it("is empty where it was read or left before", async () => {
    const exchange = httpExchange({ headers: json, sent: ["{}"] });
    exchange.body.destroy();
    expect((await readBody(exchange, most)).toString()).toBe("");
  });
});
