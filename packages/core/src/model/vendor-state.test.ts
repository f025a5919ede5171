import { describe, expect, it } from "vitest";
import type { ModelMessage } from "./vendor-state.ts";
import { vendorStateOf, withoutVendorState } from "./vendor-state.ts";

const message: ModelMessage = { role: "assistant", content: "Hi" };
const model = { providerId: "anthropic", modelId: "claude" };
const vendorState = { ...model, items: ["signature"] };

describe("vendorStateOf", () => {
  it("gives the state to the model that left it", () => {
    expect(vendorStateOf({ ...message, vendorState }, model)).toBe(vendorState);
  });

  it("gives the state to no other model and no other vendor [fallback.vendor-state]", () => {
    const carrying = { ...message, vendorState };

    expect(vendorStateOf(carrying, { ...model, modelId: "other" })).toBeUndefined();
    expect(vendorStateOf(carrying, { ...model, providerId: "google" })).toBeUndefined();
    expect(vendorStateOf(message, model)).toBeUndefined();
  });
});

describe("withoutVendorState", () => {
  it("leaves a message as it is, and takes the state from a copy alone", () => {
    const carrying = { ...message, toolCalls: [], vendorState };

    expect(withoutVendorState(message)).toBe(message);
    expect(withoutVendorState(carrying)).toStrictEqual({ ...message, toolCalls: [] });
    expect(carrying.vendorState).toBe(vendorState);
  });
});
