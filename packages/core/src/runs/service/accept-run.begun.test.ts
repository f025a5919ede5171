import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { Runnable } from "../../agents/run/runnable.ts";
import { hashOf } from "../record/plan-print.ts";
import { newRecord } from "../record/test/run-records.ts";
import type { RunRequest } from "../record/run-view.ts";
import { talking } from "./test/performing.ts";
import { acceptance, other, runId, sealKeys } from "./test/acceptance.ts";
import { makeService, readEvents, request, scriptedAgent, serveRuns } from "./test/services.ts";

describe("a run that this process performs at once", () => {
  async function served(options: Parameters<typeof acceptance>[0] = {}) {
    const made = acceptance(options);
    await made.engine.serve(async () => undefined, { concurrency: 1 });
    return made;
  }

  it("is stored with the first attempt, and known as begun", async () => {
    const { accept, parts, storage, read, engine } = await served({ node: "here", sealKeys });
    const keys = { apiKey: "k" };
    await accept({ runId, keys });
    const begun = parts.begun.get(runId);
    const record = await read();
    expect(begun).toMatchObject({
      record,
      keys,
      plan: record?.plan,
      print: hashOf(record?.plan),
      target: { name: "a" },
    });
    expect(begun?.first.entries).toMatchObject([{ t: "attempt", n: 1, node: "here", print: begun?.print }]);
    expect((await storage.list("run-log")).map(({ value }) => value)).toEqual([begun?.first]);
    expect(engine.released).toEqual([]);
  });

  it.each<[what: string, given: Partial<RunRequest>]>([
    ["may come twice", { idempotencyKey: "k" }],
    ["begins later", { notBefore: 0 }],
    ["has a long input", { input: "x".repeat(33_000) }],
  ])("is not one that %s", async (_what, given) => {
    const { accept, parts, storage } = await served();
    await accept(given);
    expect(parts.begun.size).toBe(0);
    expect(await storage.list("run-log")).toEqual([]);
  });

  it("is not one in a storage that cannot insert a run with its log", async () => {
    const { accept, parts, storage } = await served();
    Object.assign(storage, { insertAll: undefined });
    await accept();
    expect(parts.begun.size).toBe(0);
    expect(await storage.list("run-log")).toEqual([]);
  });

  it("gives its place back when its id is taken, or when it cannot be stored", async () => {
    const { accept, parts, engine } = await served();
    await parts.store.insert(newRecord({ runId, createdAt: 1 }));
    await expect(accept({ runId })).rejects.toMatchObject({ code: "conflict" });
    const beforeStored = vi.fn<() => Promise<void>>().mockRejectedValue(new Error("No room."));
    await expect(accept({ runId: other, beforeStored })).rejects.toThrow("No room.");
    expect(engine.released).toEqual([runId, other]);
    expect(parts.begun.size).toBe(0);
  });

  it("gives its place back when its options are wrong, and keeps the keys of a run with its id", async () => {
    const { accept, parts, engine } = await served();
    await accept({ runId: other, notBefore: 5000, keys: { apiKey: "k" } });
    const options = { limits: { durationMs: -1 } };
    await expect(accept({ runId: other, options })).rejects.toMatchObject({ code: "invalid_request" });
    expect(engine.released).toEqual([other]);
    expect(parts.vault.open(other, "")).toMatchObject({ apiKey: "k" });
  });

  it.each([
    ["once", true, 1],
    ["again for its attempt unless it begins here", false, 2],
  ])("is made %s", async (_times, isServed, times) => {
    const stream = vi.fn<Runnable["stream"]>((...given) => talking.stream(...given));
    const options = { agents: { a: { ...talking, stream } } };
    const service = isServed ? await serveRuns(options) : makeService(options);
    const accepted = await service.accept(request);
    if (!isServed) await service.serve();
    expect((await readEvents(service, accepted.runId)).at(-1)).toMatchObject({ output: { text: "Hi." } });
    expect(stream).toHaveBeenCalledTimes(times);
  });

  it("does not count the time before it was stored", async () => {
    // The clock of the run alone stands still, so that a busy machine makes no difference.
    vi.useFakeTimers({ toFake: ["performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const service = await serveRuns({ agents: { a: scriptedAgent([{ text: "Hi." }]) } });
    const beforeStored = async () => void vi.advanceTimersByTime(60_000);
    const accepted = await service.accept({ ...request, beforeStored });
    const end = (await readEvents(service, accepted.runId)).at(-1) as { output?: { durationMs?: number } } | undefined;
    expect(end?.output?.durationMs).toBeLessThan(60_000);
  });
});
