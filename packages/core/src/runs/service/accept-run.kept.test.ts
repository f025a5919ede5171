import { describe, expect, it } from "vitest";
import { createLogger } from "../../base/log/logger.ts";
import { acceptance, other, runId, sealKeys } from "./test/acceptance.ts";

const ada = { tenantId: "t", userId: "ada" };

describe("what acceptRun keeps beside the record of a run", () => {
  it("keeps the keys of a caller sealed, and local options in the memory of the process", async () => {
    const { accept, read, parts } = acceptance({ sealKeys, isEphemeral: true });
    const keys = { apiKeys: { scripted: "the-key" } };
    const local = { metadata: { file: "x" } };
    await accept({ runId, keys, local });
    const record = await read();
    expect(JSON.stringify(record)).not.toMatch(/the-key|file/);
    expect(parts.vault.open(runId, record?.keys)).toEqual(keys);
    expect([...parts.locals]).toEqual([[runId, local]]);
  });

  it("forgets keys and local options of a run that cannot be stored", async () => {
    const { accept, parts, engine } = acceptance({ isEphemeral: true });
    const beforeStored = () => Promise.reject(new Error("No room."));
    await expect(accept({ runId, keys: { apiKey: "k" }, local: {}, beforeStored })).rejects.toThrow("No room.");
    expect(parts.vault.open(runId, "")).toBeNull();
    expect([engine.jobs.length, parts.locals.size]).toEqual([0, 0]);
  });

  it.each<[local: object, name: RegExp]>([
    [{ input: 5 }, /input/],
    [{ tools: 1 }, /tools/],
  ])("checks the local options %j as those of the record", async (local, message) => {
    const { accept, parts } = acceptance({ isEphemeral: true });
    await expect(accept({ local })).rejects.toMatchObject({ message: expect.stringMatching(message) });
    expect(parts.locals.size).toBe(0);
  });

  it("asks for room in memory first, and counts there what it was handed over", async () => {
    const { accept, parts, admitted } = acceptance({ isEphemeral: true });
    const calls: unknown[][] = [];
    const check = (...args: unknown[]) => void calls.push(["check", ...args]);
    Object.assign(parts, { memory: { check, add: (...args: unknown[]) => void calls.push(["add", ...args]) } });
    const [caller, local] = [{ kind: "user", key: "t/ada" }, { metadata: { a: 1 } }];
    await accept({ runId, owner: ada, local });
    expect(calls).toEqual([
      ["check", caller],
      ["add", runId, caller, local],
    ]);
    const full = new Error("No room.");
    Object.assign(parts, {
      memory: {
        check: () => {
          throw full;
        },
      },
    });
    await expect(accept({ runId: other })).rejects.toBe(full);
    expect(admitted).toHaveLength(1);
  });

  it("has accepted a run that the engine does not take, and tells that", async () => {
    const lines: string[] = [];
    const logger = createLogger({ level: "warn", write: (line) => lines.push(line) });
    const { accept, engine, read } = acceptance({ logger });
    engine.failure = new Error("full");
    expect(await accept({ runId })).toMatchObject({ runId, isNew: true });
    expect(await read()).toMatchObject({ status: "queued" });
    expect(lines).toEqual([expect.stringContaining("The engine did not take a run. It is submitted again.")]);
    expect(lines[0]).toContain(runId);
    expect(lines[0]).toContain("full");
  });
});
