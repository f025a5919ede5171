import { assert, constantFrom, property, record, string } from "fast-check";
import { describe, expect, it } from "vitest";
import { readKeyHeaders } from "./read-key-headers.ts";
import { bindGenericKey, selectKey } from "./select-key.ts";

const headerOf = { openai: "x-openai-api-key", anthropic: "x-anthropic-api-key", google: "x-google-api-key" };
const vendorOf: Record<string, string> = { vertex: "google" };
const providers = ["openai", "anthropic", "google", "vertex", "ollama", "mistral", "constructor", "__proto__"];

/** Every choice of the four headers, with and without a key in the body. */
const requests = Array.from({ length: 32 }, (_, bits) => {
  const headers: Record<string, string> = {};
  if (bits & 1) headers["x-openai-api-key"] = "key-of-openai";
  if (bits & 2) headers["x-anthropic-api-key"] = "key-of-anthropic";
  if (bits & 4) headers["x-google-api-key"] = "key-of-google";
  if (bits & 8) headers["x-api-key"] = "generic-of-header";
  return { headers, bodyKey: bits & 16 ? "generic-of-body" : undefined };
});

describe("the key that a provider gets", () => {
  it.each(requests)("is its own or none, for $headers and $bodyKey", ({ headers, bodyKey }) => {
    for (const called of providers) {
      const { apiKeys, apiKey } = readKeyHeaders(headers, { bodyKey });
      const keys = bindGenericKey(apiKeys, apiKey, called);
      for (const provider of providers) {
        const vendor = vendorOf[provider] ?? provider;
        const own = headers[(headerOf as Record<string, string>)[vendor] ?? ""];
        const isOfCalled = vendor === (vendorOf[called] ?? called);
        const generic = isOfCalled ? (headers["x-api-key"] ?? bodyKey) : undefined;

        expect([called, provider, selectKey(keys, provider)]).toEqual([called, provider, own ?? generic]);
      }
    }
  });

  it("is the vendor's own header before the generic one [keys.vendor-header]", () => {
    expect(selectKey(bindGenericKey({ openai: "own" }, "generic", "openai"), "openai")).toBe("own");
  });

  it("is the generic one for whatever vendor is called [keys.generic-header]", () => {
    expect(selectKey(bindGenericKey({}, "generic", "mistral"), "mistral")).toBe("generic");
  });

  it("is google's for vertex, unless vertex has its own [keys.google-serves-vertex]", () => {
    expect(selectKey({ google: "G" }, "vertex")).toBe("G");
    expect(selectKey({ google: "G", vertex: "V" }, "vertex")).toBe("V");
    expect(selectKey({ vertex: "V" }, "google")).toBeUndefined();
    expect(selectKey(bindGenericKey({}, "generic", "vertex"), "google")).toBe("generic");
  });
});

describe("bindGenericKey", () => {
  it("does not change the given keys", () => {
    const keys = Object.freeze({ anthropic: "A" });

    expect(bindGenericKey(keys, "generic", "openai")).toEqual({ anthropic: "A", openai: "generic" });
    expect(bindGenericKey(keys, undefined, "openai")).toBe(keys);
    expect(keys).toEqual({ anthropic: "A" });
  });

  it("rejects a malformed key without showing it", () => {
    expect(() => bindGenericKey({}, "sk-canary\n", "openai")).toThrow(/^The API key in apiKey must be (?!.*canary)/);
  });

  it("never passes a key to another vendor, whatever the keys and names", () => {
    const name = constantFrom(...providers);
    const key = string({ unit: constantFrom("a", "b", "1", "-"), minLength: 1, maxLength: 6 });

    assert(
      property(record({ openai: key, google: key, generic: key, called: name, other: name }), (drawn) => {
        const keys = bindGenericKey(
          { openai: `o${drawn.openai}`, google: `g${drawn.google}` },
          `x${drawn.generic}`,
          drawn.called,
        );
        const given = selectKey(keys, drawn.other);
        const vendor = vendorOf[drawn.other] ?? drawn.other;
        const isCalled = vendor === (vendorOf[drawn.called] ?? drawn.called);

        const allowed = [vendor === "openai" ? "o" : "", vendor === "google" ? "g" : "", isCalled ? "x" : ""].join("");
        expect(`-${allowed}`).toContain(given?.[0] ?? "-");
      }),
    );
  });
});
