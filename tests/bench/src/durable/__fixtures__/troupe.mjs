import { readFileSync } from "node:fs";
import { Workflow } from "@troupe/core";
import { RunService } from "@troupe/core/runs";
import { PostgresStorage } from "@troupe/storage-postgres";
import { answer, answerRounds } from "./rounds.mjs";

const { version } = JSON.parse(readFileSync(new URL("../../../../../packages/core/package.json", import.meta.url)));
const step = (name) => ({ name, effect: "idempotent", run: () => ({ [name]: answer }) });
const storage = new PostgresStorage(process.argv[2]);
const write = new Workflow({ name: "write", initialState: {}, steps: [step("outline"), step("draft"), step("review")] });
const runs = new RunService({ storage, workflows: { write }, sealKeys: false });
await runs.serve({ concurrency: 100 });
answerRounds(version, async () => {
  const { runId } = await runs.accept({ kind: "workflow", name: "write", input: {} });
  let last;
  for await (const event of runs.events(runId, "host")) last = event;
  if (last?.type !== "end" || last.error !== undefined) throw new Error(`The run did not complete.`);
});
