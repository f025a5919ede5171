import { describe, expect, it } from "vitest";
import { parseUrl, toHttpRequest } from "./http-request.ts";

const url = new URL("http://a.example");
const rowOf = (headers?: Record<string, string>) => toHttpRequest(url, { headers }).headers;

describe("toHttpRequest", () => {
  it.each<[Record<string, string> | undefined, string[]]>([
    [undefined, ["accept", "*/*", "accept-encoding", "identity"]],
    [{}, ["accept", "*/*", "accept-encoding", "identity"]],
    [{ "X-Own": "1", b: "" }, ["X-Own", "1", "b", "", "accept", "*/*", "accept-encoding", "identity"]],
    [{ Accept: "a/b" }, ["Accept", "a/b", "accept-encoding", "identity"]],
    [{ "Accept-Encoding": "gzip" }, ["Accept-Encoding", "gzip", "accept", "*/*"]],
    [{ accept: "a/b", "accept-encoding": "gzip" }, ["accept", "a/b", "accept-encoding", "gzip"]],
  ])("makes a row of the headers %j, with those that are missing", (headers, row) => {
    expect(rowOf(headers)).toEqual(row);
  });

  it.each(["host", "Connection", "CONTENT-LENGTH", "transfer-encoding", "keep-alive", "Upgrade", "expect"])(
    "leaves out %s, which the connection sets itself",
    (name) => {
      expect(rowOf({ [name]: "x", authorization: "key" })).toEqual(["authorization", "key", ...rowOf()]);
    },
  );

  it("keeps the other fields of the request", () => {
    const { signal } = new AbortController();
    const request = { method: "POST", body: "text", signal, headersTimeoutMs: 1, idleTimeoutMs: 2 };

    expect(toHttpRequest(url, request)).toEqual({ ...request, url, headers: rowOf() });
  });

  it("is a GET request by default, and writes the method in upper case", () => {
    expect(toHttpRequest(url, {}).method).toBe("GET");
    expect(toHttpRequest(url.href, { method: "patch" })).toMatchObject({ url, method: "PATCH" });
  });

  it("adds the length of a body in pieces, and of no other", () => {
    const body = { byteLength: 12, async *[Symbol.asyncIterator]() {} };

    expect(toHttpRequest(url, { method: "POST", body, headers: { "content-length": "5" } }).headers).toEqual([
      ...rowOf(),
      "content-length",
      "12",
    ]);
    for (const whole of ["text", new Uint8Array(2)]) {
      expect(toHttpRequest(url, { method: "POST", body: whole }).headers).toEqual(rowOf());
    }
  });
});

describe("parseUrl", () => {
  it("takes absolute addresses of http and https", () => {
    expect(parseUrl("https://a.example/b").href).toBe("https://a.example/b");
    expect(parseUrl(url)).toBe(url);
  });

  it.each(["ftp://a.example/key", "a.example/key", "/key", "", "ws://a.example/key", "httpx://a.example/key"])(
    "refuses %j, and does not show it",
    (address) => {
      expect(() => parseUrl(address)).toThrow(
        expect.objectContaining({
          code: "invalid_request",
          message: "url must be an absolute http: or https: address.",
        }),
      );
    },
  );
});
