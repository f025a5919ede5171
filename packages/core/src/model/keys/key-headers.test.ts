import { expect, it } from "vitest";
import { isKeyHeader, keyHeaderOf, keyHeaders, apiKeysInHeaders, vendorOfHeader } from "./key-headers.ts";

it("keyHeaders names the four headers that carry keys", () => {
  expect(keyHeaders).toEqual(["x-openai-api-key", "x-anthropic-api-key", "x-google-api-key", "x-api-key"]);
});

it.each(["openai", "groq", "vendor_1.x-y"])("keyHeaders finds the vendor %s by the header of its key", (vendor) => {
  expect(vendorOfHeader(keyHeaderOf(vendor))).toBe(vendor);
  expect(isKeyHeader(keyHeaderOf(vendor))).toBe(true);
});

it("keyHeaders finds all keys of a request, to mask them", () => {
  const headers = {
    "x-api-key": "A",
    "x-groq-api-key": ["B", "C"],
    "x-xai-api-key": undefined,
    "api-key": "D",
    host: "E",
  };

  expect(apiKeysInHeaders(headers)).toEqual(["A", "B", "C"]);
});
