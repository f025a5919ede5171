import assert from "node:assert/strict";
import { Agent, InMemoryStorage, TroupeError } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";

const storage = new InMemoryStorage();
const agents = { reporter: new Agent({ name: "reporter", model: new ScriptedModel("All is well."), storage }) };

// Without a server at this address `put` fails, and the error says why.
process.once("uncaughtException", (error) => {
  assert.ok(TroupeError.is(error));
  assert.equal(error.code, "storage_unavailable");
  console.log(error.message);
  process.exit(0);
});

// #region readme
import { RunService } from "@troupe/core/runs";
import { BullMqEngine } from "@troupe/engine-bullmq";

const engine = new BullMqEngine({ connectionString: "postgres://app:secret@127.0.0.1:5432/app" });
const runs = new RunService({ storage, engine, agents });
await runs.schedules?.put({
  id: "daily-report",
  cron: "0 8 * * 1-5",
  timeZone: "Europe/Oslo",
  request: { kind: "agent", name: "reporter", input: "Report on yesterday's orders." },
});
await runs.serve();
// #endregion
