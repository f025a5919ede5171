import assert from "node:assert/strict";
import { InMemoryStorage, TroupeError } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";

const model = new ScriptedModel("Nice to meet you, Ada.");
const storage = new InMemoryStorage();

// Without a server at this address `serve` fails, and the error says why.
process.once("uncaughtException", (error) => {
  assert.ok(TroupeError.is(error));
  assert.equal(error.code, "storage_unavailable");
  console.log(error.message);
  process.exit(0);
});

// #region readme
import { Agent } from "@troupe/core";
import { RunService } from "@troupe/core/runs";
import { BullMqEngine } from "@troupe/engine-bullmq";

const engine = new BullMqEngine({ connectionString: "postgres://app:secret@127.0.0.1:5432/app" });
const helper = new Agent({ name: "helper", model, storage });
const runs = new RunService({ storage, engine, agents: { helper } });

await runs.serve(); // the same program on another machine shares the work
const { runId } = await runs.accept({ kind: "agent", name: "helper", input: "I am Ada." });
for await (const event of runs.events(runId, "host")) console.log(event);

await runs.close();
await engine.close(); // after the service, which leaves it open
// #endregion
