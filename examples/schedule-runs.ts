import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Agent } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";

const model = new ScriptedModel("All orders have left.");
const folder = mkdtempSync(join(tmpdir(), "troupe-schedules-"));
const file = join(folder, "troupe.db");

// #region readme
import { createService } from "@troupe/core/service";
import { SqliteStorage } from "@troupe/storage-sqlite";

const storage = new SqliteStorage(file);
const reporter = new Agent({ name: "reporter", model, storage });
const service = createService({ agents: { reporter }, storage, durable: true });
await service.open();

const schedules = service.runs?.schedules;
await schedules?.put({
  id: "daily-report",
  cron: "0 8 * * 1-5",
  timeZone: "Europe/Oslo",
  request: { kind: "agent", name: "reporter", input: "Report on yesterday's orders." },
});
await schedules?.put({
  id: "first-report",
  at: Date.now(),
  request: { kind: "agent", name: "reporter", input: "Report on last month's orders." },
});
// #endregion

const ended = async (): Promise<string> => {
  for (;;) {
    const [run] = (await service.runs?.list("host"))?.runs ?? [];
    if (run?.status === "completed") return run.runId;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
};
const runId = await ended();
const first = await schedules?.get("first-report");
assert.equal(first?.history[0]?.runId, runId);
const daily = await schedules?.get("daily-report");
console.log(`${first.id}: ${first.status}. ${daily?.id}: ${daily?.status}.`);
await service.close();
await storage.close();
rmSync(folder, { recursive: true });
