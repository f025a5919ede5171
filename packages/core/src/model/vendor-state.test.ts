import { describe, expect, it } from "vitest";
import type { ChatMessage } from "../message/message.ts";
import { vendorStateOf, withVendorState } from "./vendor-state.ts";

const message: ChatMessage = { role: "assistant", content: "Hi" };
const model = { providerId: "anthropic", modelId: "claude" };
const state = { ...model, items: ["signature"] };

describe("vendor state on a message", () => {
  it("comes back to the model that left it", () => {
    expect(vendorStateOf(withVendorState(message, state), model)).toBe(state);
  });

  it("is none of another model's or vendor's business", () => {
    const carrying = withVendorState(message, state);

    expect(vendorStateOf(carrying, { ...model, modelId: "other" })).toBeUndefined();
    expect(vendorStateOf(carrying, { ...model, providerId: "google" })).toBeUndefined();
    expect(vendorStateOf(message, model)).toBeUndefined();
  });

  it("survives a copy within the run and never becomes JSON", () => {
    const carrying = withVendorState(message, state);

    expect(vendorStateOf({ ...carrying }, model)).toBe(state);
    expect(JSON.stringify(carrying)).toBe(JSON.stringify(message));
  });

  it("leaves the message alone when there is none", () => {
    expect(withVendorState(message, undefined)).toBe(message);
    expect(vendorStateOf(message, model)).toBeUndefined();
  });
});
