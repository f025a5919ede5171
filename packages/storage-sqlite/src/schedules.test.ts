import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Agent } from "@troupe/core";
import { RunService } from "@troupe/core/runs";
import { ScriptedModel } from "@troupe/core/testing";
import { expect, it, onTestFinished, vi } from "vitest";
import { SqliteStorage } from "./sqlite-storage.ts";

const minuteMs = 60_000;

it("a process with SQLite and its own engine goes on with the schedules of the process before, each time once", async () => {
  const folder = await mkdtemp(join(tmpdir(), "schedules-"));
  onTestFinished(async () => await rm(folder, { recursive: true }));
  const start = Date.UTC(2027, 2, 28);
  const open = (now: number) => {
    const storage = new SqliteStorage(join(folder, "runs.db"));
    const a = new Agent({ name: "a", model: new ScriptedModel().respond(() => "Done.") });
    const runs = new RunService({ storage, agents: { a }, now: () => now });
    return { runs, close: async () => (await runs.close(), await storage.close()) };
  };
  const request = { kind: "agent", name: "a", input: "Berichte." } as const;
  const night = {
    id: "nächtlich",
    cron: "30 2 * * *",
    timeZone: "Europe/Berlin",
    missed: "all",
    overlap: "queue",
  } as const;
  const first = open(start);
  await first.runs.schedules.put({ ...night, request }, { userId: "ada" });
  await first.close();
  // The skipped 02:30 of this night is at 03:00, which is 01:00 in universal time.
  for (const now of [start + 60 * minuteMs, start + 61 * minuteMs]) {
    const next = open(now);
    await next.runs.serve();
    await vi.waitFor(async () => {
      const { history } = await next.runs.schedules.get("nächtlich", { userId: "ada" });
      expect(history).toMatchObject([{ status: "begun", at: start + 60 * minuteMs }]);
    });
    await next.close();
  }
  const last = open(start + 62 * minuteMs);

  expect((await last.runs.list({ userId: "ada" })).runs).toHaveLength(1);
  expect(await last.runs.schedules.list({ userId: "bob" })).toEqual([]);
  await last.close();
});
