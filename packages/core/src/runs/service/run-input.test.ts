import { describe, expect, it, vi } from "vitest";
import { Agent } from "../../agents/agent/agent.ts";
import type { ChatMessage } from "../../base/message/message.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { defineTool } from "../../agents/tool/define-tool.ts";
import type { Perform, RunEngine } from "../processes/run-engine.ts";
import { makeService, request, runRecordsIn, serveRuns, untilStatus } from "./test/services.ts";

const image = {
  type: "image",
  data: Buffer.alloc(600_000, "image").toString("base64"),
  mimeType: "image/png",
} as const;
const withImage = { ...request, input: [{ type: "text", text: "Look." }, image] };
/** Characters of two units, of which one lies on the border of two pieces. */
const smileys = `a${"😀".repeat(300_000)}`;

const pay = defineTool({
  name: "pay",
  description: "Pays.",
  parameters: { type: "object" },
  needsApproval: true,
  execute: () => "paid",
});

/** An agent `a` with a model of this script and a tool that asks for an approval. */
function agentWith(storage: InMemoryStorage, ...script: ConstructorParameters<typeof ScriptedModel>) {
  const model = new ScriptedModel(...script);
  return { model, agents: { a: new Agent({ name: "a", model, storage, tools: [pay] }) } };
}

async function piecesIn(storage: InMemoryStorage): Promise<string[]> {
  return (await storage.list("run-input")).map(({ key }) => key);
}

/** An engine that performs what it is told to, and nothing by itself. */
function manualEngine() {
  const given = Promise.withResolvers<Perform>();
  const engine: RunEngine = {
    submit: async () => {},
    withdraw: async () => {},
    waiting: async () => 0,
    close: async () => {},
    serve: async (perform) => (given.resolve(perform), { drain: async () => {} }),
  };
  const perform = async (runId: string) => {
    await (
      await given.promise
    )({ runId, activation: 1 }, new AbortController().signal);
  };
  return { engine, perform };
}

describe("a long input of a durable run", () => {
  it("is written once beside its record, which stays small, and reaches the model in each process [durable.long-input]", async () => {
    const storage = new InMemoryStorage();
    const lengths: number[] = [];
    const compareAndSet = storage.compareAndSet.bind(storage);
    vi.spyOn(storage, "compareAndSet").mockImplementation(async (...args) => {
      if (args[0] === "runs") lengths.push(JSON.stringify(args).length);
      return await compareAndSet(...args);
    });
    const first = agentWith(storage, { toolCalls: [{ name: "pay", arguments: {} }] });
    const before = await serveRuns({ storage, agents: first.agents });
    const { runId } = await before.accept(withImage);
    await untilStatus(before, runId, "waiting");
    const pieces = await piecesIn(storage);
    await before.close();

    const second = agentWith(storage, "Done.");
    const after = await serveRuns({ storage, agents: second.agents });
    await after.answer(runId, "t.0.0", { approved: true }, "host");
    await untilStatus(after, runId, "completed");

    expect(pieces.length).toBeGreaterThan(2);
    expect(await piecesIn(storage)).toEqual(pieces);
    expect(lengths.length).toBeGreaterThan(2);
    expect(Math.max(...lengths)).toBeLessThan(20_000);
    for (const { model } of [first, second]) {
      expect(model.calls[0]?.messages.find(({ role }) => role === "user")?.content).toEqual(withImage.input);
    }
    await after.delete(runId, "host");
    expect(await runRecordsIn(storage)).toEqual([]);
  });

  it("may be text of any characters, and so may the messages before it [durable.long-input]", async () => {
    const storage = new InMemoryStorage();
    const { model, agents } = agentWith(storage, "Hm.");
    const service = await serveRuns({ storage, agents });
    const messages: ChatMessage[] = [
      { role: "user", content: smileys },
      { role: "assistant", content: "I see." },
    ];
    const { runId } = await service.accept({ ...request, input: smileys, options: { messages } });
    await untilStatus(service, runId, "completed");

    const users = model.calls[0]?.messages.filter(({ role }) => role === "user") ?? [];
    expect(users.map(({ content }) => content === smileys)).toEqual([true, true]);
  });

  it("is stored once for requests with one key that come together [durable.long-input]", async () => {
    const storage = new InMemoryStorage();
    const service = makeService({ storage, agents: agentWith(storage).agents });
    const accepted = await Promise.all(
      [1, 2, 3].map(async () => await service.accept({ ...withImage, idempotencyKey: "one" })),
    );

    expect(accepted.filter(({ isNew }) => isNew)).toHaveLength(1);
    const writes = new Set((await piecesIn(storage)).map((key) => key.split("/")[1]));
    expect(writes.size).toBe(1);
  });

  it("goes with the log, 24 hours after the end [durable.long-input]", async () => {
    const storage = new InMemoryStorage();
    let time = Date.now();
    const service = await serveRuns({ storage, agents: agentWith(storage, "Hm.").agents, now: () => time });
    const { runId } = await service.accept(withImage);
    await untilStatus(service, runId, "completed");
    time += 24 * 3_600_000 + 1;
    await service.removal.cleanUp();

    expect(await piecesIn(storage)).toEqual([]);
    expect(await service.get(runId, "host")).toMatchObject({ status: "completed" });
  });

  it("a long input of a durable run of which a piece is gone ends its run as storage_corrupt [durable.long-input]", async () => {
    const storage = new InMemoryStorage();
    const service = makeService({ storage, agents: agentWith(storage).agents });
    const { runId } = await service.accept(withImage);
    const [key = ""] = await piecesIn(storage);
    await storage.delete("run-input", key);
    await service.serve();

    expect((await untilStatus(service, runId, "error")).error).toMatchObject({ code: "storage_corrupt" });
  });

  it("a long input that a process has left before it stored the record of its run is removed a minute later [durable.orphan]", async () => {
    const storage = new InMemoryStorage();
    const insertAll = vi.spyOn(storage, "insertAll").mockRejectedValue(new Error("Lost."));
    let time = Date.now();
    const { engine, perform } = manualEngine();
    const service = await serveRuns({ storage, engine, agents: agentWith(storage).agents, now: () => time });
    await expect(service.accept(withImage)).rejects.toThrow("Lost.");
    insertAll.mockRestore();
    const [open] = await storage.list("run-open");
    const { key: runId, value } = open ?? { key: "", value: null };
    expect(await piecesIn(storage)).not.toEqual([]);

    await perform(runId);
    time += 59_000;
    await storage.set("run-open", runId, { ...(value as object), submittedAt: time });
    await perform(runId);
    expect(await piecesIn(storage)).not.toEqual([]);
    time += 1001;
    await perform(runId);

    expect(await runRecordsIn(storage)).toEqual([]);
  });
});
