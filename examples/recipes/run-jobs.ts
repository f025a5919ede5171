import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ScriptedModel } from "@troupe/core/testing";
// #region readme
import { Agent } from "@troupe/core";
import { createService, serve } from "@troupe/core/service";
import { http } from "@troupe/http";
import { SqliteStorage } from "@troupe/storage-sqlite";
// #endregion

const folder = mkdtempSync(join(tmpdir(), "troupe-jobs-"));
const file = join(folder, "troupe.db");
const port = Number(process.env["PORT"] ?? 0);
const model = new ScriptedModel().respond(() => "All orders have left.");

// #region readme
const storage = new SqliteStorage(file);
const reporter = new Agent({ name: "reporter", model, storage });
const service = createService({ agents: { reporter }, storage, durable: true });
const { url } = await serve(service, [http()], { port }); // takes up what an earlier process left
void service.closed.then(() => storage.close());

// From the program: the run is stored when `begin` resolves, and goes on without you.
const job = await service.begin({
  agent: "reporter",
  input: "Report on the orders of 29 November.",
  idempotencyKey: "report-2026-11-29", // the same key is the same job, from any process
});
const again = await service.begin({
  agent: "reporter",
  input: "Report on the orders of 29 November.",
  idempotencyKey: "report-2026-11-29",
});
console.log(`one job: ${again.runId === job.runId}`);

// Over HTTP: 202 at once, and the job's path.
const accepted = await fetch(`${url}/agents/reporter/run`, {
  method: "POST",
  headers: { "content-type": "application/json", prefer: "respond-async" },
  body: JSON.stringify({ input: "Report on the orders of 28 November." }),
});
const path = accepted.headers.get("location") ?? "";
console.log(accepted.status);

// By a schedule: each working day at eight.
await service.runs?.schedules.put({
  id: "daily-report",
  cron: "0 8 * * 1-5",
  timeZone: "Europe/Oslo",
  request: { kind: "agent", name: "reporter", input: "Report on yesterday's orders." },
});

// Later, in any process: the result, or `service.find(runId)` in a program.
const { text } = await job.output;
await (await fetch(`${url}${path}/events`)).text(); // ends with the run
const view = (await (await fetch(url + path)).json()) as { status: string };
console.log(text, view.status);
// #endregion

assert.equal(again.runId, job.runId);
assert.deepEqual([accepted.status, view.status], [202, "completed"]);
await service.close();
rmSync(folder, { recursive: true });
