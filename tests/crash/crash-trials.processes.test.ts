import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { StorageAddress } from "../processes/open-storage.ts";
import { tryCrashes } from "./crash-trials.ts";

function newFile(): StorageAddress {
  const folder = mkdtempSync(join(tmpdir(), "troupe-crash-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return { kind: "sqlite", address: join(folder, "sessions.db") };
}

describe("a service on SQLite that is killed under load and restarted", () => {
  it("keeps every acknowledged turn once and none half, and goes on with every session", async () => {
    const record = await tryCrashes({ storage: newFile(), trials: 1, seed: 3 });

    expect(record.faults).toEqual([]);
    expect(record.trials).toBe(1);
    // One turn before the random kill, and one on each of the 36 sessions afterwards; three kills with 8 runs in flight.
    expect(record.acknowledged).toBeGreaterThan(36);
    expect(record.inFlight).toBeGreaterThanOrEqual(24);
  });

  it.each([
    ["hasty", "was acknowledged and is not in storage"],
    ["doubling", "was acknowledged once and is in storage 2 times"],
    ["halving", "does not end with an answer"],
  ] as const)("is reported when its storage is %s", async (mutant, sentence) => {
    const { faults } = await tryCrashes({ storage: newFile(), trials: 1, seed: 3, mutant });

    expect(faults).toContainEqual(expect.stringContaining(sentence));
  });
});
