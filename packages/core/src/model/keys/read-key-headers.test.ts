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

  it("reads the key of any other vendor, and no header that only looks like one", () => {
    const keys = readKeyHeaders({
      "X-Groq-API-Key": "Q",
      "x-providers.ai-api-key": "P",
      "x--api-key": "no",
      "x-1-api-key": "no",
      "x-groq-api-keys": "no",
      "groq-api-key": "no",
      [`x-${"v".repeat(65)}-api-key`]: "no",
    });

    expect(keys).toEqual({ apiKeys: { groq: "Q", "providers.ai": "P" } });
    expect(() => readKeyHeaders({ "x-groq-api-key": ["A", "B"] })).toThrow("The header x-groq-api-key was sent more");
  });

  it("returns no keys for a request without any", () => {
    expect(readKeyHeaders({ host: "localhost" })).toEqual({ apiKeys: {} });
  });

  it("reads header names in any case, and values in arrays", () => {
    expect(readKeyHeaders({ "X-OpenAI-API-Key": ["O"], "X-API-KEY": "X" })).toEqual({
      apiKeys: { openai: "O" },
      apiKey: "X",
    });
  });

  it.each([
    { "x-openai-api-key": ["A", "B"] },
    { "x-openai-api-key": "A", "X-OpenAI-Api-Key": "B" },
    { "X-OpenAI-Api-Key": "A", "x-openai-api-key": ["A"] },
  ])("rejects a header that is sent twice: %o", (headers) => {
    expect(() => readKeyHeaders(headers)).toThrow("The header x-openai-api-key was sent more than once. Send it once.");
  });

  it("rejects two values joined by a server, and any other malformed key", () => {
    for (const value of ["A, B", "", "a\u0000b", "k".repeat(16_385)]) {
      expect(() => readKeyHeaders({ "x-google-api-key": value })).toThrow(
        "The API key in the header x-google-api-key must be",
      );
    }
  });

  it("treats an empty array and undefined as absent", () => {
    expect(readKeyHeaders({ "x-openai-api-key": [], "x-api-key": undefined })).toEqual({ apiKeys: {} });
  });

  it("reads own properties only", () => {
    const headers = Object.create({ "x-openai-api-key": "inherited" }) as Record<string, string>;

    expect(readKeyHeaders(headers)).toEqual({ apiKeys: {} });
    expect(readKeyHeaders(JSON.parse('{"__proto__":{"x-api-key":"P"}}') as Record<string, string>)).toEqual({
      apiKeys: {},
    });
  });

  it("uses the key of the body when the generic header is absent [keys.body]", () => {
    expect(readKeyHeaders({}, { bodyKey: "B" })).toEqual({ apiKeys: {}, apiKey: "B" });
    expect(readKeyHeaders({ "x-api-key": "X" }, { bodyKey: "B" })).toEqual({ apiKeys: {}, apiKey: "X" });
  });

  it.each([
    ["a list", ["B"]],
    ["null", null],
    ["a control character", "B\n"],
    ["nothing", ""],
  ])("rejects %s as the key of the body, also with a valid header", (_what, bodyKey) => {
    for (const headers of [{}, { "x-api-key": "X" }]) {
      expect(() => readKeyHeaders(headers, { bodyKey })).toThrow("The API key in the field apiKey must be");
    }
  });

  it("ignores x-api-key, whatever its value, when the host uses it for its own authentication", () => {
    const options = { genericApiKeyHeader: false, bodyKey: "B" };

    expect(readKeyHeaders({ "x-api-key": "the host's\n" }, options)).toEqual({ apiKeys: {}, apiKey: "B" });
  });
});
