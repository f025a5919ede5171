import { measureInProcess, toInProcessTable } from "../measure-in-process.ts";
import { agentTrials } from "./trials.ts";

/** `pnpm --filter @troupe-internal/bench agent`: measures the cost of an agent beside the same work by hand. */
for (const [name, trial] of Object.entries(agentTrials)) {
  console.log(`${name}\n${toInProcessTable(await measureInProcess(trial), "unit")}\n`);
}
