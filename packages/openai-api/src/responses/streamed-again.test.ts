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

describe("responses with tools of the client", () => {
  it("are streamed again in each response of a run, from its own beginning to its own end", async () => {
    const zones = ["UTC", "Ünal", "Oslo"];
    const calls = zones.map((zone) => ({ toolCalls: [{ name: "get_time", arguments: { zone } }] }));
    const model = new ScriptedModel(...calls, "Noon.");
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
      expect((await client.responses.retrieve(id)).output).toHaveLength(1);
    }
  });
});
