import { describe, expect, it } from "vitest";
import { readKeyHeaders } from "./read-key-headers.ts";

describe("readKeyHeaders", () => {
  it("reads a key per vendor and the generic one [keys.several]", () => {
    const keys = readKeyHeaders({
      host: "localhost",
      "x-openai-api-key": "O",
      "x-anthropic-api-key": "A",
      "x-google-api-key": "G",
      "x-api-key": "X",
    });

    expect(keys).toEqual({ apiKeys: { openai: "O", anthropic: "A", google: "G" }, apiKey: "X" });
  });

  it("finds nothing in a request without keys", () => {
    expect(readKeyHeaders({ host: "localhost" })).toEqual({ apiKeys: {} });
  });

  it("reads names in any case, and values in lists", () => {
    expect(readKeyHeaders({ "X-OpenAI-API-Key": ["O"], "X-API-KEY": "X" })).toEqual({
      apiKeys: { openai: "O" },
      apiKey: "X",
    });
  });

  it.each([
    { "x-openai-api-key": ["A", "B"] },
    { "x-openai-api-key": "A", "X-OpenAI-Api-Key": "B" },
    { "X-OpenAI-Api-Key": "A", "x-openai-api-key": ["A"] },
  ])("refuses a header that comes twice: %o", (headers) => {
    expect(() => readKeyHeaders(headers)).toThrow("The header x-openai-api-key was sent more than once. Send it once.");
  });

  it("refuses two values that a server has joined, and whatever else is no key", () => {
    for (const value of ["A, B", "", "a\u0000b", "k".repeat(513)]) {
      expect(() => readKeyHeaders({ "x-google-api-key": value })).toThrow(
        "The API key in the header x-google-api-key must be",
      );
    }
  });

  it("takes an empty list and undefined for absent", () => {
    expect(readKeyHeaders({ "x-openai-api-key": [], "x-api-key": undefined })).toEqual({ apiKeys: {} });
  });

  it("reads own properties only", () => {
    const headers = Object.create({ "x-openai-api-key": "inherited" }) as Record<string, string>;

    expect(readKeyHeaders(headers)).toEqual({ apiKeys: {} });
    expect(readKeyHeaders(JSON.parse('{"__proto__":{"x-api-key":"P"}}') as Record<string, string>)).toEqual({
      apiKeys: {},
    });
  });

  it("takes the body's key when the generic header has none [keys.body]", () => {
    expect(readKeyHeaders({}, { bodyKey: "B" })).toEqual({ apiKeys: {}, apiKey: "B" });
    expect(readKeyHeaders({ "x-api-key": "X" }, { bodyKey: "B" })).toEqual({ apiKeys: {}, apiKey: "X" });
  });

  it.each([
    ["a list", ["B"]],
    ["null", null],
    ["a control character", "B\n"],
    ["nothing", ""],
  ])("refuses %s as the body's key, also beside a good header", (_what, bodyKey) => {
    for (const headers of [{}, { "x-api-key": "X" }]) {
      expect(() => readKeyHeaders(headers, { bodyKey })).toThrow("The API key in the field apiKey must be");
    }
  });

  it("leaves x-api-key alone, whatever it holds, where the host keeps it for itself", () => {
    const options = { genericApiKeyHeader: false, bodyKey: "B" };

    expect(readKeyHeaders({ "x-api-key": "the host's\n" }, options)).toEqual({ apiKeys: {}, apiKey: "B" });
  });
});
