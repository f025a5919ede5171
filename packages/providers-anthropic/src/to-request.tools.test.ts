import type { ModelOptions } from "@troupe/core";
import { describe, expect, it } from "vitest";
import { startVendor } from "../test/vendor.ts";
import { arrives, ask, weather } from "../test/arrives.ts";

describe("tools", () => {
  it("can be known and not callable", async () => {
    const { body } = await arrives({ options: { tools: [weather], toolChoice: "none" } });

    expect(body).toMatchObject({ tools: [{ name: "get_weather" }], tool_choice: { type: "none" } });
  });

  it("can be chosen by name where the model can be made to [tool-choice.vendors]", async () => {
    const options: ModelOptions = { tools: [weather], toolChoice: { tool: "get_weather" } };
    const elder = await arrives({ modelId: "claude-opus-4-8", options });
    const newest = await arrives({ options });

    expect(elder.body).toMatchObject({ tool_choice: { type: "tool", name: "get_weather" } });
    expect(newest.body).not.toHaveProperty("tool_choice");
    expect(newest.lines).toEqual([expect.stringContaining("toolChoice is left out")]);
  });

  it("must be called where the model can be made to, and it is said where not", async () => {
    const options: ModelOptions = { tools: [weather], toolChoice: "required" };
    const elder = await arrives({ modelId: "claude-opus-4-8", options });
    const thinking = await arrives({
      modelId: "claude-opus-4-8",
      options: { ...options, reasoning: { enabled: true } },
    });
    const newest = await arrives({ options });

    expect(elder.body).toMatchObject({ tool_choice: { type: "any" } });
    for (const { body, lines } of [thinking, newest]) {
      expect(body).not.toHaveProperty("tool_choice");
      expect(lines).toEqual([expect.stringContaining("toolChoice is left out")]);
    }
  });

  it("are declared from the history when none are given, and cannot be called", async () => {
    const { body } = await arrives({
      messages: [
        ...ask,
        { role: "assistant", content: null, toolCalls: [{ id: "c1", name: "get_weather", arguments: {} }] },
        { role: "tool", toolCallId: "c1", content: "rain" },
      ],
      options: { toolChoice: "required" },
    });

    expect(body).toMatchObject({
      tools: [{ name: "get_weather", input_schema: { type: "object" } }],
      tool_choice: { type: "none" },
    });
  });

  it("have no choice when there are none", async () => {
    expect((await arrives({ options: { tools: [], toolChoice: "none" } })).body).not.toHaveProperty("tool_choice");
  });

  it("tools whose parameters are a choice of schemas are refused by name", async () => {
    const { connect, vendor } = await startVendor();
    const tools = [{ name: "pick", description: "", parameters: { anyOf: [{ type: "object" }] } }];

    await expect(connect().generate(ask, { tools })).rejects.toThrow(/anthropic's claude-opus-5-5 .* pick /);
    expect(vendor.exchanges).toEqual([]);
  });
});
