import { Agent, InMemoryStorage } from "@troupe/core";
import { RunService } from "@troupe/core/runs";
import { ScriptedModel } from "@troupe/core/testing";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { scripted, weatherTool, weatherTurns } from "../../test/agents.ts";
import { readAll, serve } from "../../test/serve.ts";

describe("a response in the background", () => {
  it("is queued, is polled, and is streamed again from its beginning and behind an event", async () => {
    const { agent } = scripted(weatherTurns, { tools: [weatherTool().tool] });
    const { client } = await serve({ agents: { helper: agent } });
    const { id, status } = await client.responses.create({ model: "helper", input: "Hi", background: true });
    expect(status).toBe("queued");
    await vi.waitFor(async () => expect((await client.responses.retrieve(id)).status).toBe("completed"), {
      interval: 5,
      timeout: 20_000,
    });
    const all = await readAll(await client.responses.retrieve(id, { stream: true }));
    expect(all.map(({ sequence_number: number }) => number)).toEqual(all.map((_, index) => index));
    const rest = await readAll(await client.responses.retrieve(id, { stream: true, starting_after: 4 }));
    expect(rest).toEqual(all.slice(5));
    const helper = client.responses.stream({ response_id: id, starting_after: 4 });
    expect((await helper.finalResponse()).output_text).toBe("Let me see.It rains.");
  });

  it("is cancelled", async () => {
    const model = new ScriptedModel();
    model.stream = async function* stream(_messages, options) {
      yield { type: "text", text: "Well, " };
      await new Promise((resolve) => options?.signal?.addEventListener("abort", resolve, { once: true }));
      options?.signal?.throwIfAborted();
    };
    const { client } = await serve({ agents: { helper: new Agent({ name: "helper", model }) } });
    const { id } = await client.responses.create({ model: "helper", input: "Hi", background: true });
    await vi.waitFor(async () => expect((await client.responses.retrieve(id)).output_text).toBe("Well, "), {
      interval: 5,
      timeout: 20_000,
    });
    expect((await client.responses.cancel(id)).status).toBe("cancelled");
    await vi.waitFor(async () => expect((await client.responses.retrieve(id)).status).toBe("cancelled"), {
      interval: 5,
      timeout: 20_000,
    });
  });

  it("is a durable run of an agent that has such runs", async () => {
    const { agent } = scripted(["Hello."]);
    const runs = new RunService({ storage: new InMemoryStorage(), agents: { helper: agent } });
    onTestFinished(async () => await runs.close());
    await runs.serve();
    const { as } = await serve({ agents: { helper: agent }, runs });
    const { id } = await as("ada").responses.create({ model: "helper", input: "Hi", background: true });
    await vi.waitFor(async () => expect((await as("ada").responses.retrieve(id)).output_text).toBe("Hello."), {
      interval: 5,
      timeout: 20_000,
    });
    expect((await runs.list({ userId: "ada" })).runs).toHaveLength(1);
  });
});
