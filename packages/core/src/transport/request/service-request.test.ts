import { describe, expect, it } from "vitest";
import { toServiceRequest } from "./service-request.ts";
import type { RequestFacts } from "./service-request.ts";

const facts: RequestFacts = {
  protocol: "a2a",
  method: "POST",
  path: "/api/a%20b",
  remoteAddress: "10.0.0.1",
  native: { of: "the server" },
  principal: { userId: "ada" },
  headers: {},
};

/** Returns the headers of a request with these, as entries. */
const headersOf = (headers: RequestFacts["headers"]) => [...toServiceRequest({ ...facts, headers }).headers];

describe("the request for the host's functions", () => {
  it("has what it is made of, and no more", () => {
    const { headers: _, ...rest } = facts;
    const request = toServiceRequest(facts);

    expect({ ...request }).toEqual(rest);
    expect(request.native).toBe(facts.native);
    expect(toServiceRequest({ ...facts, remoteAddress: undefined, principal: undefined })).toMatchObject({
      remoteAddress: undefined,
      principal: undefined,
    });
  });

  it("makes its headers once, and only when they are read", () => {
    const broken = toServiceRequest({ ...facts, headers: { "not a name": "x" } });
    const request = toServiceRequest({ ...facts, headers: { "X-Plan": "gold" } });

    expect(broken.path).toBe("/api/a%20b");
    expect(() => broken.headers).toThrow(TypeError);
    expect(request.headers).toBeInstanceOf(Headers);
    expect(request.headers).toBe(request.headers);
    expect(request.headers.get("x-plan")).toBe("gold");
  });

  it.each<[string, RequestFacts["headers"], [string, string][]]>([
    ["a value", { a: "1" }, [["a", "1"]]],
    ["an empty value", { a: "" }, [["a", ""]]],
    ["no value", { a: undefined }, []],
    ["a list", { a: ["1", "2"] }, [["a", "1, 2"]]],
    ["a list of one", { a: ["1"] }, [["a", "1"]]],
    ["an empty list", { a: [] }, []],
    ["a value outside ASCII, as Node reads it", { a: "\u00c3\u00a9" }, [["a", "\u00c3\u00a9"]]],
    ["pseudo-headers of HTTP/2", { ":path": "/", ":authority": "x", a: "1" }, [["a", "1"]]],
    [
      "cookies to set",
      { "set-cookie": ["a=1", "b=2"] },
      [
        ["set-cookie", "a=1"],
        ["set-cookie", "b=2"],
      ],
    ],
  ])("reads %s", (_what, headers, expected) => {
    expect(headersOf(headers)).toEqual(expected);
  });
});
