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

/** An agent whose model asks a strict server. */
async function startAgent(config: Partial<AgentConfig> = {}) {
  const { vendor, connect } = await startVendor();
  const agent = new Agent({ name: "a", model: connect(), tools: [weather], reasoning: { enabled: true }, ...config });
  return { vendor, agent };
}

describe("an agent with a model of Ollama's", () => {
  it("thinks its way through tools, whole and streamed", async () => {
    const storage = new InMemoryStorage();
    const { vendor, agent } = await startAgent({ storage, sessionId: "s", instructions: "Be short." });
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
    // What was thought in this turn goes back with it, and what was thought in an earlier one does not.
    expect(JSON.stringify(bodiesOf(vendor)[2])).toContain('"thinking":"Sure?"');
    expect(JSON.stringify(bodiesOf(vendor)[3])).not.toContain("thinking");
    expect(JSON.stringify([await storage.list("turns"), await storage.list("sessions")])).toContain("rain in Oslo");
    vendor.assertDone();
  });

  it("answers without tools when it has used them often enough", async () => {
    const { vendor, agent } = await startAgent({ maxToolRoundtrips: 1 });
    vendor.say({ thinking: "Where?", ...look }, "Yes.");

    const output = await agent.run("Umbrella?");

    expect(output).toMatchObject({ text: "Yes." });
    expect(bodiesOf(vendor).map((body) => Object.hasOwn(body, "tools"))).toEqual([true, false]);
    expect(vendor.exchanges.flatMap(({ refusal }) => refusal ?? [])).toEqual([]);
  });

  it("calls its tools freely and is held to its schema where the answer did not fit it", async () => {
    const { vendor, agent } = await startAgent({
      structuredOutput: { type: "object", properties: { needed: { type: "boolean" } }, required: ["needed"] },
    });
    vendor.say({ thinking: "Where?", ...look }, '{"needed":"yes"}', '{"needed":true}');

    const output = await agent.run("Umbrella?");

    expect(output.structured).toEqual({ needed: true });
    expect(bodiesOf(vendor).map((body) => Object.hasOwn(body, "format"))).toEqual([false, false, true]);
    expect(vendor.exchanges.flatMap(({ refusal }) => refusal ?? [])).toEqual([]);
  });
});
