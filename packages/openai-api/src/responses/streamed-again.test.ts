import { Agent, InMemoryStorage } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { describe, expect, it } from "vitest";
import { readAll, serve } from "../../test/serve.ts";

const timeTool = {
  type: "function",
  name: "get_time",
  description: "Tells the time.",
  parameters: { type: "object", properties: { zone: { type: "string" } } },
  strict: false,
} as const;

const usageOf = (promptTokens: number) => ({ promptTokens, completionTokens: 1, totalTokens: promptTokens + 1 });

describe("responses with tools of the client", () => {
  it("are streamed again in each response of a run, from its own beginning to its own end", async () => {
    const zones = ["UTC", "Ünal", "Oslo"];
    const calls = zones.map((zone, index) => {
      return { toolCalls: [{ name: "get_time", arguments: { zone } }], usage: usageOf(10 * (index + 1)) };
    });
    const model = new ScriptedModel(...calls, { text: "Noon.", usage: usageOf(100) });
    const helper = new Agent({ name: "helper", model, storage: new InMemoryStorage() });
    const { client } = await serve({ agents: { helper } });
    const made = [await client.responses.create({ model: "helper", input: "Time?", tools: [timeTool] })];
    for (const zone of zones) {
      const before = made.at(-1);
      const [call] = before?.output ?? [];
      const callId = (call as { call_id: string }).call_id;
      const input = [{ type: "function_call_output", call_id: callId, output: `12:00 ${zone}` }] as const;
      const previous = { previous_response_id: before?.id ?? "", tools: [timeTool] };
      made.push(await client.responses.create({ model: "helper", input: [...input], ...previous }));
    }
    for (const [index, { id }] of made.entries()) {
      const events = await readAll(await client.responses.retrieve(id, { stream: true }));
      const done = events.flatMap((event) => (event.type === "response.output_item.done" ? [event.item] : []));
      const wanted = zones[index] === undefined ? "Noon." : JSON.stringify({ zone: zones[index] });
      expect(done.map((item) => JSON.stringify(item).includes(JSON.stringify(wanted)))).toEqual([true]);
      expect(events.at(-1)).toMatchObject({ type: "response.completed", response: { id } });
      const retrieved = await client.responses.retrieve(id);
      expect(retrieved.output).toHaveLength(1);
      const responses = events.flatMap((event) => ("response" in event ? [event.response] : []));
      const used = [made[index], responses.at(-1), retrieved].map((response) => response?.usage?.total_tokens);
      expect(used).toEqual(Array.from(used, () => [11, 21, 31, 101][index]));
    }
  });
});
