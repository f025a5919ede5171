import { describe, expect, it, vi } from "vitest";
import { hashOf } from "../run-store/plan-print.ts";
import { newRecord } from "../run-store/test/run-records.ts";
import type { RunRequest } from "../run-store/run-view.ts";
import { acceptance, other, runId, sealKeys } from "./test/acceptance.ts";

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
});
