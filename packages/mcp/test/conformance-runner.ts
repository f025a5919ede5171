import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { stripVTControlCharacters } from "node:util";

const runner = createRequire(import.meta.url).resolve("@modelcontextprotocol/conformance/dist/index.js");

/** The client or server scenarios that a revision requires, by the list that the runner has frozen. */
export function requiredScenarios(side: "client" | "server", revision: string): string[] {
  const file = join(dirname(runner), "..", "requirements", `${revision}.yaml`);
  const [, list = ""] = new RegExp(`^${side}:\\n((?: {2}- .*\\n)+)`, "m").exec(readFileSync(file, "utf8")) ?? [];
  return [...list.matchAll(/^ {2}- (\S+)$/gm)].map(([, name = ""]) => name);
}

type Printed = { code: number; output: string };

/** The result of a run of one scenario: the runner's exit, what it printed, and the checks by their outcome. */
export type Verdict = Printed & { passed: number; failed: string[] };

/** The checks of one scenario that were passed and failed. */
export type ScenarioCount = { passed: number; failed: number };

/** Runs one scenario of the official conformance runner in a folder. */
export async function runConformance(folder: string, args: readonly string[]): Promise<Verdict> {
  const { code, output } = await start(folder, args);
  const [, passed = "0"] = /Passed: (\d+)\/\d+/.exec(output) ?? [];
  const failed = [...output.matchAll(/\[([\w-]+) *\] FAILURE/g)].map(([, id = ""]) => id);
  return { code, output, passed: Number(passed), failed };
}

/** Runs all scenarios that a revision requires, and those that the runner reports beside them, and counts their checks. */
export async function runRequirements(
  folder: string,
  args: readonly string[],
  revision: string,
): Promise<Printed & { scenarios: ReadonlyMap<string, ScenarioCount> }> {
  const printed = await start(folder, [...args, "--requirements", revision]);
  const counted = printed.output.matchAll(/^[✓✗] (\S+): (\d+) passed, (\d+) failed$/gm);
  const scenarios = [...counted].map(([, name = "", passed, failed]): [string, ScenarioCount] => [
    name,
    { passed: Number(passed), failed: Number(failed) },
  ]);
  return { ...printed, scenarios: new Map(scenarios) };
}

async function start(folder: string, args: readonly string[]): Promise<Printed> {
  return await new Promise((resolve) => {
    const options = { cwd: folder, maxBuffer: 64 * 1024 * 1024 };
    execFile(process.execPath, [runner, ...args, "--output-dir", folder], options, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : 1, output: stripVTControlCharacters(`${stdout}\n${stderr}`) });
    });
  });
}
