import { describe, expect, it } from "vitest";
import { A2AError } from "./a2a-error.ts";
import { dialect03 } from "./dialect-0.ts";
import { dialect1 } from "./dialect-1.ts";
import { answerTo, checkParams, parseBody, readId, readRequest, writeFailure, writeResult } from "./json-rpc.ts";

/** Nests arrays within a field, so deep that the object around them has this number of levels. */
function nested(levels: number, inner: unknown = 1): object {
  let value = inner;
  for (let level = 1; level < levels; level++) value = [value];
  return { a: value };
}

const inherited = Object.create({ jsonrpc: "2.0", id: 7, method: "x", params: [] }) as object;
const request = { jsonrpc: "2.0", method: "tasks/get" };

describe("the body of a request", () => {
  it("is JSON as text or as UTF-8 bytes", () => {
    expect(parseBody('{"a":"é"}')).toEqual({ a: "é" });
    expect(parseBody(Buffer.from('{"a":"é"}'))).toEqual({ a: "é" });
  });

  it.each(["", "{", Buffer.of(), Buffer.of(0x22, 0xc3, 0x22)])("is refused, and not quoted: %j", (body) => {
    expect(() => parseBody(body)).toThrow(
      expect.objectContaining({ kind: "parse-error", message: "The body is not valid JSON.", fields: {} }),
    );
  });
});

describe("the id of a request", () => {
  it.each([
    ["a", "a"],
    ["", ""],
    [0, 0],
    [-1.5, -1.5],
    [null, null],
    [undefined, null],
    ["x".repeat(256), "x".repeat(256)],
    ["x".repeat(257), null],
    ["\ud800", null],
    [NaN, null],
    [Infinity, null],
    [true, null],
    [{}, null],
    [["a"], null],
  ])("comes back where it may: %j as %j", (id, read) => {
    expect(readId({ id })).toBe(read);
  });

  it.each([undefined, null, "id", 7, {}, [], inherited])("is null where there is none of its own: %o", (body) => {
    expect(readId(body)).toBeNull();
  });
});

describe("the frame of a request", () => {
  it.each([
    [
      { ...request, id: 1, params: { id: "t" } },
      { id: 1, method: "tasks/get", params: { id: "t" } },
    ],
    [
      { ...request, id: null, params: null },
      { id: null, method: "tasks/get", params: {} },
    ],
    [request, { id: null, method: "tasks/get", params: {} }],
    [Object.assign(Object.create({ params: [], id: {} }), request), { id: null, method: "tasks/get", params: {} }],
  ])("is read from %j", (body, read) => {
    expect(readRequest(body)).toEqual(read);
  });

  const idSentence = "id must be a string of at most 256 characters, a number or null.";
  it.each([
    [[request], "invalid-request", "Batches are not supported. Send one request."],
    [null, "invalid-request", "The body must be a JSON-RPC request object."],
    ["tasks/get", "invalid-request", "The body must be a JSON-RPC request object."],
    [{}, "invalid-request", 'jsonrpc must be "2.0".'],
    [{ ...request, jsonrpc: 2 }, "invalid-request", 'jsonrpc must be "2.0".'],
    [{ ...request, id: "x".repeat(257) }, "invalid-request", idSentence],
    [{ ...request, id: undefined }, "invalid-request", idSentence],
    [{ ...request, method: "" }, "invalid-request", "method must be a string."],
    [{ ...request, method: null }, "invalid-request", "method must be a string."],
    [{ ...request, method: {} }, "method-not-found", "method must be a string, such as message/send."],
    [{ ...request, params: [] }, "invalid-params", "params must be an object."],
    [{ ...request, params: 0 }, "invalid-params", "params must be an object."],
  ])("is refused: %j", (body, kind, message) => {
    expect(() => readRequest(body)).toThrow(expect.objectContaining({ kind, message }));
  });
});

describe("parameters", () => {
  it.each([
    {},
    { a: "😀", b: [null, true, 1.5], c: { "": { d: "" } } },
    nested(64),
    nested(64, null),
    { a: ["", { ü: [] }] },
  ])("come back as they are: %j", (params) => {
    expect(checkParams(params, "body")).toBe(params);
  });

  it.each([
    [undefined, "must be an object"],
    [null, "must be an object"],
    ["{}", "must be an object"],
    [[], "must be an object"],
    [{ "": 1 }, "has a field without a name"],
    [nested(65), "nests deeper than 64 levels"],
    [{ a: [{ b: "\udc00" }] }, "holds an unpaired surrogate, which is no character"],
    [{ a: [{ "\ud83d": 1 }] }, "has a field whose name holds an unpaired surrogate"],
    [{ a: [1, -Infinity] }, "holds a number that is too large"],
    [{ a: 1, b: { c: NaN } }, "holds a number that is too large"],
  ])("are refused, with the name that they are given: %j %s", (params, problem) => {
    expect(() => checkParams(params, "body")).toThrow(
      expect.objectContaining({ kind: "invalid-params", message: `body ${problem}.`, fields: { field: "body" } }),
    );
  });
});

describe("the answer to a request", () => {
  it("has the id of the request and its result", () => {
    expect(writeResult("a", { b: 1 })).toBe('{"jsonrpc":"2.0","id":"a","result":{"b":1}}');
    expect(writeResult(0, null)).toBe('{"jsonrpc":"2.0","id":0,"result":null}');
    const error = { code: -32600, message: "No." };
    expect(writeFailure(null, error)).toBe('{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"No."}}');
  });

  it.each([dialect03, dialect1])("is written in the version of its client: $version", (dialect) => {
    const answered = answerTo("r", dialect);
    const error = new A2AError("invalid-params", "id must be a string.", { field: "id" });

    expect(answered).toMatchObject({ dialect, mediaType: "application/json" });
    expect(answered).not.toHaveProperty("errorEvent");
    expect(answered.writeResult({ b: 1 })).toBe(writeResult("r", { b: 1 }));
    expect(answered.writeFailure(error)).toBe(writeFailure("r", dialect.writeError(error)));
  });

  it.each([
    ["payload_too_large", 413],
    ["unauthorized", 401],
    ["forbidden", 403],
    ["invalid_request", 200],
    ["rate_limited", 200],
    [undefined, 200],
  ])("has for an error with the code %s the HTTP status %i", (code, status) => {
    const error = new A2AError("invalid-request", "No.", code === undefined ? {} : { code });
    expect(answerTo(1, dialect1).statusOf(error)).toBe(status);
  });
});
