import type { ModelMessage } from "@troupe/core/provider";
import { describe, expect, it } from "vitest";
import { replayedThinking, ThinkingCollector } from "./replay.ts";

const identity = { providerId: "openai", modelId: "m" };

describe("ThinkingCollector", () => {
  it("reads thinking among the parts of the content, and sends it not back", () => {
    const collector = new ThinkingCollector();
    const thought = [{ type: "text", text: "Schnee" }, { type: "text", text: "?" }, { type: "reference" }];
    const content = [{ type: "thinking", thinking: thought }, { type: "thinking" }, { type: "text", text: "Yes." }];

    expect(collector.add({ content })).toBe("Schnee?");
    expect(collector.toVendorState(identity)).toBeUndefined();
  });

  it("returns what is new, and keeps all under the names of the server", () => {
    const collector = new ThinkingCollector();
    const told = [
      { reasoning_content: "A", reasoning: "A", reasoning_details: [{ text: "A" }] },
      { reasoning: "B", reasoning_details: [{ text: "B" }, { text: "C" }] },
      { reasoning_content: "", reasoning: null, reasoning_details: null },
      { reasoning_content: "D", reasoning_details: "no" },
      { reasoning_content: 7 },
      {},
    ].map((message) => collector.add(message));

    expect(told).toEqual(["A", "B", "", "D", "", ""]);
    expect(collector.toVendorState(identity)).toEqual({
      providerId: "openai",
      modelId: "m",
      items: {
        fields: {
          reasoning_content: "AD",
          reasoning: "AB",
          reasoning_details: [{ text: "A" }, { text: "B" }, { text: "C" }],
        },
      },
    });
  });

  it.each<[object, object]>([
    [{ reasoning: "A" }, { reasoning: "A" }],
    [{ reasoning_content: "A" }, { reasoning_content: "A" }],
    [{ reasoning_details: [] }, { reasoning_details: [] }],
  ])("keeps of %j the fields that came", (message, fields) => {
    const collector = new ThinkingCollector();
    collector.add(message);

    expect(collector.toVendorState(identity)?.items).toStrictEqual({ fields });
  });

  it("keeps nothing of an answer without thinking, and leaves the event's list alone", () => {
    const [none, collector] = [new ThinkingCollector(), new ThinkingCollector()];
    none.add({ content: "A", reasoning: "" });
    const event = { reasoning_details: [1] };
    collector.add(event);
    collector.add(event);

    expect(none.toVendorState(identity)).toBeUndefined();
    expect(event).toEqual({ reasoning_details: [1] });
    expect(collector.toVendorState(identity)?.items).toEqual({ fields: { reasoning_details: [1, 1] } });
  });
});

describe("replayedThinking", () => {
  const fields = { reasoning: "A" };
  const message = (state?: ModelMessage["vendorState"]): ModelMessage => ({
    role: "assistant",
    content: "B",
    ...(state && { vendorState: state }),
  });
  const state = { providerId: "openai", modelId: "m", items: { fields } };

  it.each<[string, ModelMessage, object]>([
    ["its own", message(state), fields],
    ["that of another model", message({ ...state, modelId: "n" }), {}],
    ["that of another vendor", message({ ...state, providerId: "anthropic" }), {}],
    ["that of the other API", message({ ...state, items: { outputItems: [] } }), {}],
    ["none", message(), {}],
  ])("returns of %s", (_, given, expected) => {
    expect(replayedThinking(given, identity)).toEqual(expected);
  });
});
