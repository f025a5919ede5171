import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { runScript } from "./check/run-script.ts";
import { runSteps } from "./check/run-steps.ts";
import type { StepResult } from "./check/run-steps.ts";
import { steps } from "./check/steps.ts";
import type { Step } from "./check/steps.ts";

/**
 * `pnpm check`: what a change must pass, in less than a minute. All steps run, whatever the others gave; what a step says is shown
 * only when it fails. `--only lint,test` runs these alone; `--results <folder>` is where the tests' own reports go.
 * The build needs pnpm on the path, which it is in every script.
 */
const root = join(import.meta.dirname, "..");
const { values } = parseArgs({ options: { only: { type: "string" }, results: { type: "string" } } });
const results = resolve(values.results ?? join(root, "node_modules/.cache/check"));
const abort = new AbortController();
const chosen = choose(values.only);

async function run(step: Step): Promise<StepResult> {
  const { script, writesResults, readsResultsOf } = step;
  const start = performance.now();
  const env: Record<string, string> = writesResults ? { TROUPE_TEST_RESULTS: resultsOf(script) } : {};
  // Without the tests' report, the step runs the tests that it needs itself.
  const report = chosen.find((other) => other.script === readsResultsOf);
  const args = report === undefined ? [] : ["--results", `"${resultsOf(report.script)}"`];
  const { code, output } = await runScript(script, { root, args, env, signal: abort.signal });
  return { script, outcome: code === 0 ? "passed" : "failed", seconds: (performance.now() - start) / 1000, output };
}

function resultsOf(script: string): string {
  return join(results, `${script.replaceAll(":", "-")}.json`);
}

function tell({ script, outcome, seconds, output }: StepResult): void {
  console.log(`${outcome.padEnd(8)} ${script.padEnd(14)} ${seconds.toFixed(1).padStart(5)} s`);
  if (outcome === "failed") console.log(`\n${output.trimEnd()}\n`);
}

function choose(only: string | undefined): readonly Step[] {
  if (only === undefined) return steps;
  const names = only.split(",");
  const known = steps.map(({ script }) => script);
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0) throw new Error(`There is no step ${unknown.join(", ")}; the steps are ${known.join(", ")}.`);
  return steps.filter(({ script }) => names.includes(script));
}

// Whatever ends this process, nothing that it started goes on.
process.on("exit", () => abort.abort());
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(130));

mkdirSync(results, { recursive: true });
const start = performance.now();
const ended = await runSteps(chosen, { run, onEnd: tell, lanes: 2 });
const bad = ended.filter(({ outcome }) => outcome !== "passed").map(({ script }) => script);
const total = `${((performance.now() - start) / 1000).toFixed(1)} s`;
console.log(
  bad.length === 0 ? `All ${ended.length} steps passed in ${total}.` : `Not passed: ${bad.join(", ")} (${total}).`,
);
if (bad.length > 0) process.exitCode ??= 1;
