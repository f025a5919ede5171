import { Agent, InMemoryStorage } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { describe, expect, it, onTestFinished, vi } from "vitest";
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
  const picture = "data:image/png;base64,iVBORw0KGgo=";
  it.each([
    ["12:00 é", "12:00 é"],
    [
      [
        { type: "input_text", text: "12:00" },
        { type: "input_text", text: "é" },
      ],
      "12:00\né",
    ],
    [
      [
        { type: "input_text", text: "12:00" },
        { type: "input_image", image_url: picture, detail: "auto" },
      ],
      [{ type: "text", text: "12:00" }, expect.objectContaining({ type: "image" })],
    ],
    [[{ type: "input_image", image_url: picture, detail: "auto" }], [expect.objectContaining({ type: "image" })]],
  ] as const)("give the model the result %j of such a tool", async (output, given) => {
    const model = new ScriptedModel({ toolCalls: [{ name: "get_time", arguments: {} }] }, "Noon.");
    const helper = new Agent({ name: "helper", model, storage: new InMemoryStorage() });
    const { client } = await serve({ agents: { helper } });
    const first = await client.responses.create({ model: "helper", input: "Time?", tools: [timeTool] });
    const call_id = (first.output[0] as { call_id: string }).call_id;
    const result = { type: "function_call_output", call_id, output: typeof output === "string" ? output : [...output] };
    const previous = { previous_response_id: first.id, tools: [timeTool] };
    await client.responses.create({ model: "helper", input: [result as never], ...previous });

    expect(model.calls.at(-1)?.messages.at(-1)?.content).toEqual(given);
  });

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

describe("a response that is read later", () => {
  it("was completed when its part of the run ended, however late it is read, and in whatever way", async () => {
    const model = new ScriptedModel({ toolCalls: [{ name: "get_time", arguments: {} }] }, "Noon.");
    const helper = new Agent({ name: "helper", model, storage: new InMemoryStorage() });
    const { client } = await serve({ agents: { helper }, resumeMs: 600_000 });
    const first = await client.responses.create({ model: "helper", input: "Time?", tools: [timeTool] });
    const call_id = (first.output[0] as { call_id: string }).call_id;
    const input = [{ type: "function_call_output", call_id, output: "12:00 é" }] as const;
    const previous = { previous_response_id: first.id, tools: [timeTool] };
    const last = await client.responses.create({ model: "helper", input: [...input], ...previous });
    const before = Date.now();
    const clock = vi.spyOn(Date, "now");
    onTestFinished(() => clock.mockRestore());
    for (const { id } of [first, last]) {
      const read: (number | null | undefined)[] = [];
      for (const lateMs of [10_000, 100_000]) {
        clock.mockImplementation(() => before + lateMs);
        read.push((await client.responses.retrieve(id)).completed_at);
        const events = await readAll(await client.responses.retrieve(id, { stream: true }));
        read.push(events.flatMap((event) => ("response" in event ? [event.response.completed_at] : [])).at(-1));
      }
      expect(new Set(read).size).toBe(1);
      expect(read[0]).toBeLessThanOrEqual(before / 1000);
    }
  });
});

describe("a response whose run is in memory", () => {
  it.each([
    [-300_000, 200, undefined],
    [1000, 410, "gone"],
  ])("is streamed again %i ms after its events are to be kept with status %i", async (late, status, code) => {
    const helper = new Agent({ name: "helper", model: new ScriptedModel("Noon."), storage: new InMemoryStorage() });
    const { ask, post } = await serve({ agents: { helper }, resumeMs: 600_000 });
    const { id } = (await post("/v1/responses", { model: "helper", input: "Time?", background: true })).json;
    await vi.waitFor(async () => expect((await ask(`/v1/responses/${id}`)).json.status).toBe("completed"));
    const now = Date.now();
    const clock = vi.spyOn(Date, "now").mockImplementation(() => now + 600_000 + late);
    onTestFinished(() => clock.mockRestore());
    const again = await ask(`/v1/responses/${id}?stream=true`);

    expect([again.status, again.json?.error.code]).toEqual([status, code]);
  });
});
