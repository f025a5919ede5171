import { describe, expect, it, vi } from "vitest";
import type { AgentUserMemory } from "../memory/agent-user-memory.ts";
import type { ExtractOptions } from "../memory/user-memory.ts";
import type { RunEvents } from "../run/run-events.ts";
import type { RunOpts } from "../run/run-options.ts";
import { testRun } from "../run/test/test-run.ts";
import { UsageMeter } from "../run/usage-meter.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { resolveRunOpts } from "../run/resolve-run-opts.ts";
import { AgentParts } from "./agent-parts.ts";
import { extractFacts } from "./extract-facts.ts";
import { answering } from "./test/agents.ts";

const opts: RunOpts = { userId: "ann", tenantId: "acme", sessionId: "s", apiKeys: { odd: "k-odd" } };
const usage = { promptTokens: 1, completionTokens: 2, totalTokens: 3 };

/** A finished run of an agent with a user memory that returns this, and the extraction that follows it. */
function finishedRun(found: (options: ExtractOptions) => unknown, more: Partial<AgentUserMemory> = {}, given = opts) {
  const extract = vi.fn<AgentUserMemory["extractAndStore"]>(
    async (...args) => await Promise.resolve(found(args[3] as ExtractOptions)),
  );
  const tracked: Promise<unknown>[] = [];
  const track = (work: Promise<unknown>) => void tracked.push(work);
  const userMemory = { getContextString: () => "", clear: () => {}, extractAndStore: extract, track, ...more };
  const [model, storage] = [answering(), new InMemoryStorage()];
  const parts = new AgentParts({ name: "helper", model, storage, userMemory });
  const ends: RunEvents["run.complete"][] = [];
  parts.eventBus.on("run.complete", (end) => void ends.push(end));
  const parentMeter = new UsageMeter();
  const run = testRun({}, { settings: { ...resolveRunOpts(given), parentMeter } });
  const warn = vi.spyOn(run, "warn");
  run.messages.push({ role: "assistant", content: "Hello." });
  extractFacts(parts, run);
  return { run, warn, extract, tracked, ends, model, storage, parentMeter };
}

describe("extractFacts", () => {
  it("begins after the answer, with the conversation, the owner and what a model call needs", async () => {
    const { run, extract, tracked, model, storage } = finishedRun(() => []);
    expect(extract).not.toHaveBeenCalled();
    await Promise.resolve();
    expect(extract).not.toHaveBeenCalled();
    await Promise.all(tracked);

    expect(tracked).toHaveLength(1);
    const [id, messages, asked, options] = extract.mock.calls[0] ?? [];
    expect(id).toBe("acme/ann");
    expect(messages).toEqual([
      { role: "user", content: "Hi" },
      { role: "assistant", content: "Hello." },
    ]);
    expect(asked).toBe(model);
    expect(options).toMatchObject({ tenantId: "acme", verified: true });
    expect(options?.storage).toBe(storage);
    expect(options?.signal).not.toBe(run.signal);
    expect([options?.apiKeyFor?.("odd"), options?.apiKeyFor?.("other")]).toEqual(["k-odd", undefined]);
  });

  it("is a run of its own, which follows the finished one and is no child of it", async () => {
    const facts = [{ fact: "Likes tea." }, { fact: 5 }, "Likes milk.", null, { fact: "Is tall." }];
    const { run, tracked, ends, parentMeter, warn } = finishedRun((options) => {
      options.onUsage?.(usage);
      return facts;
    });
    await Promise.all(tracked);

    expect(ends).toMatchObject([{ parentRunId: run.runId, output: { text: "Likes tea.\nIs tall.", usage } }]);
    expect(ends[0]?.runId).not.toBe(run.runId);
    expect([run.meter.total.totalTokens, parentMeter.total.totalTokens]).toEqual([0, 0]);
    expect(warn).not.toHaveBeenCalled();
  });

  it.each([[undefined], ["Likes tea."], [{ fact: "Likes tea." }]])(
    "takes what is no array as no facts: %j",
    async (found) => {
      const { tracked, ends } = finishedRun(() => found);
      await Promise.all(tracked);

      expect(ends).toMatchObject([{ output: { text: "" } }]);
    },
  );

  it("warns of a failure, and rejects for nobody", async () => {
    const { tracked, warn, ends } = finishedRun(() => {
      throw new Error("down");
    });
    await Promise.all(tracked);

    expect(warn.mock.calls).toEqual([
      ["facts_not_extracted", "No facts could be extracted from the conversation.", { error: expect.any(Error) }],
    ]);
    expect(ends).toEqual([]);
  });

  it("does not end when the finished run had been cancelled since", async () => {
    const cancel = new AbortController();
    const { tracked, extract, warn } = finishedRun(() => [], {}, { ...opts, signal: cancel.signal });
    cancel.abort();
    await Promise.all(tracked);

    expect(extract).toHaveBeenCalledOnce();
    expect(warn).not.toHaveBeenCalled();
  });

  it.each<[what: string, more: Partial<AgentUserMemory>, given: RunOpts, calls: number]>([
    ["is enabled", { enabled: true }, opts, 1],
    ["does not say", { enabled: undefined }, opts, 1],
    ["is not enabled", { enabled: false }, opts, 0],
    ["has no user to remember", {}, { sessionId: "s" }, 0],
  ])("asks a memory that %s", async (...[, more, given, calls]) => {
    const { tracked, extract } = finishedRun(() => [], more, given);
    await Promise.all(tracked);

    expect([tracked.length, extract.mock.calls.length]).toEqual([calls, calls]);
  });
});
