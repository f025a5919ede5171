import { describe, expect, it } from "vitest";
import { keyOptions } from "./model-keys.ts";

describe("keyOptions", () => {
  const keys = new Map([
    ["one", "key-1"],
    ["two", "key-2"],
    ["empty", ""],
  ]);
  const keyFor = (providerId: string) => keys.get(providerId);

  it.each([
    [{ providerId: "one" }, { apiKey: "key-1" }],
    [{ providerId: "none" }, {}],
    [{ providerId: "empty" }, { apiKey: "" }],
    [
      { providerId: "one", providerIds: ["one", "three"] },
      { apiKey: "key-1", apiKeys: { one: "key-1" } },
    ],
    [{ providerId: "three", providerIds: ["three", "two"] }, { apiKeys: { two: "key-2" } }],
    [
      { providerId: "one", providerIds: [] },
      { apiKey: "key-1", apiKeys: {} },
    ],
    [{ providerId: "none", providerIds: ["empty"] }, { apiKeys: { empty: "" } }],
  ])("gives the model %j the keys of its own vendors alone", (model, options) => {
    expect(keyOptions(model, keyFor)).toStrictEqual(options);
  });
});
