import { readFileSync } from "node:fs";
import { Workflow } from "@troupe/core";
import { RunService } from "@troupe/core/runs";
import { BullMqEngine } from "@troupe/engine-bullmq";
import { PostgresStorage } from "@troupe/storage-postgres";
import { answer, answerRounds } from "./rounds.mjs";

const { version } = JSON.parse(readFileSync(new URL("../../../../../packages/core/package.json", import.meta.url)));
const step = (name) => ({ name, effect: "idempotent", run: () => ({ [name]: answer }) });
const [, , connectionString, engineName] = process.argv;
const storage = new PostgresStorage(connectionString);
// One process is enough: without an engine, it performs its runs itself.
const engine = engineName === "bullmq" ? new BullMqEngine({ connectionString }) : undefined;
const write = new Workflow({ name: "write", initialState: {}, steps: [step("outline"), step("draft"), step("review")] });
const runs = new RunService({ storage, engine, workflows: { write }, sealKeys: false });
await runs.serve({ concurrency: 100 });
answerRounds(version, async () => {
  const { runId } = await runs.accept({ kind: "workflow", name: "write", input: {} });
  let last;
  for await (const event of runs.events(runId, "host")) last = event;
  if (last?.type !== "end" || last.error !== undefined) throw new Error(`The run did not complete.`);
});
