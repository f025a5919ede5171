import { Agent, defineTool, InMemoryStorage } from "@troupe/core";
import type { AgentConfig } from "@troupe/core";
import { describe, expect, it } from "vitest";
import { bodiesOf, gather, startVendor } from "../test/vendor.ts";

const weather = defineTool({
  name: "get_weather",
  description: "Tells the weather of a city.",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  execute: ({ city }) => `rain in ${String(city)}`,
});
const look = { toolCalls: [{ name: "get_weather", arguments: { city: "Oslo" } }] };

/** An agent whose model asks a strict vendor. */
async function startAgent(modelId: string, config: Partial<AgentConfig> = {}) {
  const { vendor, connect } = await startVendor();
  const model = connect(modelId);
  const agent = new Agent({ name: "a", model, tools: [weather], reasoning: { enabled: true }, ...config });
  return { vendor, agent };
}

describe.each(["gemini-3.8-flash", "gemini-2.5-pro"])("an agent with google's %s", (modelId) => {
  it("thinks its way through tools, whole and streamed, and stores none of the vendor's secrets", async () => {
    const storage = new InMemoryStorage();
    const { vendor, agent } = await startAgent(modelId, { storage, sessionId: "s", instructions: "Be short." });
    const turns = [
      { thinking: "Where?", ...look },
      { thinking: "Sure?", ...look },
      { thinking: "So.", text: "Yes." },
    ];
    vendor.say(...turns, ...turns);

    const whole = await agent.run("Umbrella?");
    const { chunks, error } = await gather(agent.stream("And now?"));

    expect(whole).toMatchObject({ text: "Yes.", status: "completed", usage: { totalTokens: 45 } });
    expect([error, chunks.at(-1)]).toMatchObject([undefined, { type: "finish", finishReason: "stop" }]);
    expect(vendor.exchanges.flatMap(({ refusal }) => refusal ?? [])).toEqual([]);
    const stored = JSON.stringify([await storage.list("turns"), await storage.list("sessions"), whole, chunks]);
    expect(stored).toContain("rain in Oslo");
    expect(stored).not.toMatch(/ignature/);
    vendor.assertDone();
  });

  it("answers without tools when it has used them often enough", async () => {
    const { vendor, agent } = await startAgent(modelId, { maxToolRoundtrips: 1 });
    vendor.say({ thinking: "Where?", ...look }, "Yes.");

    const output = await agent.run("Umbrella?");

    expect(output).toMatchObject({ text: "Yes." });
    expect(bodiesOf(vendor).at(-1)).toMatchObject({
      tools: [{ functionDeclarations: [{ name: "get_weather" }] }],
      toolConfig: { functionCallingConfig: { mode: "NONE" } },
    });
    expect(vendor.exchanges.flatMap(({ refusal }) => refusal ?? [])).toEqual([]);
  });

  it("mends an answer that does not fit its schema", async () => {
    const { vendor, agent } = await startAgent(modelId, {
      structuredOutput: { type: "object", properties: { needed: { type: "boolean" } }, required: ["needed"] },
    });
    vendor.say({ thinking: "Where?", ...look }, '{"needed":"yes"}', '{"needed":true}');

    const output = await agent.run("Umbrella?");

    expect(output.structured).toEqual({ needed: true });
    expect(JSON.stringify(bodiesOf(vendor)[2])).toMatch(
      modelId === "gemini-3.8-flash" ? /"responseJsonSchema":\{/ : /must fit this JSON schema/,
    );
    expect(vendor.exchanges.flatMap(({ refusal }) => refusal ?? [])).toEqual([]);
  });
});
