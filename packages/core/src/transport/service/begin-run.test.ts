import { describe, expect, expectTypeOf, it, onTestFinished, vi } from "vitest";
import { z } from "zod";
import { Agent } from "../../agents/agent/agent.ts";
import { Team } from "../../agents/team/team.ts";
import { defineTool } from "../../agents/tool/define-tool.ts";
import { Workflow } from "../../agents/workflow/workflow.ts";
import { silentLogger } from "../../base/log/logger.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { createService } from "./service.ts";
import type { Service } from "./service.ts";

const answering = (text = "Hello.") => new ScriptedModel().respond(() => ({ text }));
const agent = (name: string, model = answering()) => new Agent({ name, model });

/** Calls `begin` with arguments that its types refuse. */
const beginAny = async (service: Service, start: unknown) =>
  await (service.begin as (start: unknown) => Promise<unknown>).call(service, start);

/** All kinds of runnables, served durably or in memory. */
function world(durable: boolean) {
  const storage = new InMemoryStorage();
  const service = createService({
    agents: { helper: new Agent({ name: "helper", model: answering(), storage }) },
    teams: { crew: new Team({ name: "crew", mode: "route", model: answering(), members: [agent("one")] }) },
    workflows: {
      flow: new Workflow({
        name: "flow",
        initialState: { words: 1 },
        steps: [{ name: "count", effect: "pure", run: async ({ words }) => ({ words: words + 1 }) }],
      }),
    },
    ...(durable && { storage, durable: true }),
    logger: silentLogger,
  });
  onTestFinished(async () => await service.close({ graceMs: 0 }));
  return { service, storage };
}

describe.each([true, false])("a run that a program begins in a service whose durability is %s", (durable) => {
  it("is of an agent, by its name, in the session that it names", async () => {
    const { service } = world(durable);
    const run = await service.begin({ agent: "helper", input: "Hi.", sessionId: "s1" });

    expect(await run.output).toMatchObject({ text: "Hello.", sessionId: "s1", runId: run.runId });
    expect(run).toMatchObject({ kind: "agent", name: "helper", sessionId: "s1", isDurable: durable });
  });

  it("has its output after its end too, also for a second handle", async () => {
    const { service } = world(durable);
    const run = await service.begin({ agent: "helper", input: "Hi." });
    await run.output;
    const again = await service.find(run.runId);

    expect(await again.output).toMatchObject({ text: "Hello." });
    expect(await again.settled()).toMatchObject({ output: { text: "Hello." } });
    expect(await again.view()).toMatchObject({ status: "completed", kind: "agent" });
    expect(await again.cancel()).toBe("over");
  });

  it("is of a workflow, with its state, and without input", async () => {
    const run = await world(durable).service.begin({ workflow: "flow" });

    expect((await run.output).state).toEqual({ words: 2 });
  });

  it("streams its events, and continues after one of them", async () => {
    const { service } = world(durable);
    const run = await service.begin({ agent: "helper", input: "Hi." });
    const all = await Array.fromAsync(run.events());
    const rest = await Array.fromAsync(run.events(all[0]?.id));

    expect(all.at(-1)?.type).toBe("end");
    expect(rest).toEqual(all.slice(1));
  });

  it("is the same run for the same idempotency key", async () => {
    const { service } = world(durable);
    const start = { agent: "helper", input: "Hi.", userId: "ada", idempotencyKey: "mail-1" } as const;
    const [one, other] = [await service.begin(start), await service.begin(start)];

    expect(other.runId).toBe(one.runId);
    await expect(service.begin({ ...start, input: "Other." })).rejects.toMatchObject({ code: "idempotency_mismatch" });
  });

  it("is found by its owner alone, and by the program", async () => {
    const { service } = world(durable);
    const { runId } = await service.begin({ agent: "helper", input: "Hi.", userId: "ada", tenantId: "t" });

    expect((await service.find(runId, { userId: "ada", tenantId: "t" })).runId).toBe(runId);
    expect((await service.find(runId)).runId).toBe(runId);
    for (const owner of [{}, { userId: "bob", tenantId: "t" }, { userId: "ada" }])
      await expect(service.find(runId, owner)).rejects.toMatchObject({ code: "not_found" });
  });

  it("is refused for a wrong request before anything is stored", async () => {
    const { service, storage } = world(durable);
    const refused = async (start: unknown) => await beginAny(service, start).catch((error: unknown) => error);

    for (const start of [
      { input: "Hi." },
      { agent: "helper", team: "crew", input: "Hi." },
      { agent: "helper" },
      { agent: "helper", input: "" },
      { agent: "helper", input: "Hi.", sessionId: "a/b" },
      { agent: "helper", input: "Hi.", userId: "" },
      { agent: "helper", input: "Hi.", signal: new AbortController().signal },
      { agent: "helper", input: "Hi.", ttlMs: 0 },
      { agent: "helper", input: "Hi.", idempotencyKey: "" },
      { agent: "helper", input: "Hi.", limits: { durationMs: -1 } },
      { workflow: "flow", input: 5 },
      undefined,
    ])
      expect(await refused(start), JSON.stringify(start)).toMatchObject({ code: "invalid_request" });
    for (const start of [
      { agent: "crew", input: "Hi." },
      { agent: "constructor", input: "Hi." },
      { team: "helper", input: "Hi." },
      { workflow: "helper" },
    ])
      expect(await refused(start), JSON.stringify(start)).toMatchObject({ code: "not_found" });
    expect(await storage.list("runs")).toEqual([]);
  });

  it("is refused once the service is closed", async () => {
    const { service } = world(durable);
    await service.close({ graceMs: 0 });
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());

    for (let round = 0; round < 2; round++) {
      await expect(service.begin({ agent: "helper", input: "Hi." })).rejects.toMatchObject({ code: "unavailable" });
    }
    // No service was begun that would never be closed.
    expect(vi.getTimerCount()).toBe(0);
  });

  it("rejects its output with the error of the run, and again after its end", async () => {
    const failing = new Agent({ name: "failing", model: new ScriptedModel() });
    const storage = new InMemoryStorage();
    const options = { agents: { failing }, logger: silentLogger };
    const service = createService({ ...options, ...(durable && { storage, durable: true }) });
    onTestFinished(async () => await service.close({ graceMs: 0 }));
    const run = await service.begin({ agent: "failing", input: "Hi." });
    // The rejection is not awaited anywhere, and must not count as unhandled.
    void run.output;
    await expect(run.output).rejects.toThrow(Error);
    const { status } = await run.view();

    expect(status).toBe("error");
    const output = { runId: run.runId };
    await expect((await service.find(run.runId)).output).rejects.toMatchObject({ code: "internal", output });
    await expect(run.settled()).rejects.toMatchObject({ code: "internal", output });
  });

  it("waits for an answer, and goes on with it", async () => {
    const pay = defineTool({
      name: "pay",
      description: "Pays.",
      parameters: z.object({}),
      needsApproval: true,
      execute: () => "Paid.",
    });
    const model = new ScriptedModel({ toolCalls: [{ name: "pay", arguments: {} }] }, "Done.");
    const storage = new InMemoryStorage();
    const agents = { cashier: new Agent({ name: "cashier", model, tools: [pay], storage }) };
    const service = createService({ agents, logger: silentLogger, ...(durable && { storage, durable: true }) });
    onTestFinished(async () => await service.close({ graceMs: 0 }));
    const run = await service.begin({ agent: "cashier", input: "Pay." });
    const { waiting } = await run.settled();
    await run.answer(waiting?.waits?.[0]?.id ?? "", { approved: true });

    expect(await run.output).toMatchObject({ text: "Done." });
  });
});

describe("a durable run that a program begins", () => {
  it("goes on after a restart, and is found there by its key and by its id", async () => {
    const storage = new InMemoryStorage();
    const start = { agent: "helper", input: "Hi.", idempotencyKey: "mail-1" } as const;
    const open = (model: ScriptedModel) => {
      const agents = { helper: new Agent({ name: "helper", model, storage }) };
      return createService({ agents, storage, durable: true, logger: silentLogger });
    };
    const { promise: asked, resolve } = Promise.withResolvers<void>();
    const first = open(new ScriptedModel().respond(() => (resolve(), { text: "Late.", delayMs: 600_000 })));
    const before = await first.begin(start);
    const interrupted = before.settled().catch((error: unknown) => error);
    await asked;
    await first.close({ graceMs: 0 });
    expect(await interrupted).toMatchObject({ code: "interrupted" });

    const second = open(answering("After the restart."));
    onTestFinished(async () => await second.close({ graceMs: 0 }));
    const after = await second.begin(start);

    expect(after.runId).toBe(before.runId);
    expect(await after.output).toMatchObject({ text: "After the restart." });
    expect((await (await second.find(before.runId)).view()).attempts).toBe(2);
  });

  it("is performed by a service that only finds it", async () => {
    const storage = new InMemoryStorage();
    const open = (perform: boolean) => {
      const made = createService({
        agents: { helper: agent("helper") },
        storage,
        durable: perform ? true : { storage, perform: false },
        logger: silentLogger,
      });
      onTestFinished(async () => await made.close({ graceMs: 0 }));
      return made;
    };
    const run = await open(true).begin({ agent: "helper", input: "Hi.", ttlMs: 60_000 });
    const second = open(true);

    expect(await (await second.find(run.runId)).output).toMatchObject({ text: "Hello." });
  });

  it("is not limited as a caller without a user is", async () => {
    const { service } = world(true);
    const runs = await Promise.all(
      Array.from({ length: 25 }, async () => await service.begin({ agent: "helper", input: "Hi." })),
    );

    expect(new Set(runs.map(({ runId }) => runId)).size).toBe(25);
  });

  it("takes the keys of a caller only with seal keys, where the storage outlives the process", async () => {
    const memory = new InMemoryStorage();
    const members = ["get", "set", "delete", "list", "compareAndSet", "close"] as const;
    const lasting = Object.fromEntries(members.map((name) => [name, memory[name].bind(memory)])) as never;
    const open = (durable: true | { sealKeys: string[] }) => {
      const made = createService({
        agents: { helper: agent("helper") },
        storage: lasting,
        durable,
        logger: silentLogger,
      });
      onTestFinished(async () => await made.close({ graceMs: 0 }));
      return made;
    };
    const start = { agent: "helper", input: "Hi.", apiKey: "key-1" } as const;

    await expect(open(true).begin(start)).rejects.toMatchObject({
      code: "invalid_request",
      message: expect.stringContaining("API keys of callers are not"),
    });
    const sealed = await open({ sealKeys: ["a secret of 32 characters or more"] }).begin(start);
    expect(await sealed.output).toMatchObject({ text: "Hello." });
  });
});

describe("the types of begin", () => {
  const structured = new Agent({
    name: "structured",
    model: answering('{"city":"Oslo"}'),
    structuredOutput: z.object({ city: z.string() }),
  });

  it("know the names and the outputs of a service", async () => {
    const service = createService({ agents: { helper: agent("helper"), structured }, logger: silentLogger });
    onTestFinished(async () => await service.close({ graceMs: 0 }));
    const run = await service.begin({ agent: "structured", input: "Where?" });

    expectTypeOf((await run.output).structured).toEqualTypeOf<{ city: string } | null>();
    expect((await run.output).structured).toEqual({ city: "Oslo" });
    // @ts-expect-error -- no agent of this name is served
    await expect(service.begin({ agent: "other", input: "Hi." })).rejects.toMatchObject({ code: "not_found" });
    // @ts-expect-error -- no team is served
    await expect(service.begin({ team: "helper", input: "Hi." })).rejects.toMatchObject({ code: "not_found" });
    const two = { agent: "helper", workflow: "flow", input: "Hi." } as const;
    // @ts-expect-error -- one runnable, and not two
    await expect(service.begin(two)).rejects.toMatchObject({ code: "invalid_request" });
    // @ts-expect-error -- an agent needs an input
    await expect(service.begin({ agent: "helper" })).rejects.toMatchObject({ code: "invalid_request" });
  });

  it("know the state of a workflow", async () => {
    const { state } = await (await world(false).service.begin({ workflow: "flow" })).output;

    expectTypeOf(state.words).toEqualTypeOf<number>();
    expect(state.words).toBe(2);
  });

  it("take any name for a service whose names are not known", async () => {
    const service: Service = world(false).service;

    await expect(service.begin({ agent: "other", input: "Hi." })).rejects.toMatchObject({ code: "not_found" });
  });
});
