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

/** The result of a run of the official conformance runner: its exit, what it printed, and the checks by their outcome. */
export type Verdict = { code: number; output: string; passed: number; failed: string[] };

/** Runs the official conformance runner in a folder. */
export async function runConformance(folder: string, args: readonly string[]): Promise<Verdict> {
  return await new Promise((resolve) => {
    execFile(process.execPath, [runner, ...args, "--output-dir", folder], { cwd: folder }, (error, stdout, stderr) => {
      const output = stripVTControlCharacters(`${stdout}\n${stderr}`);
      const [, passed = "0"] = /Passed: (\d+)\/\d+/.exec(output) ?? [];
      const failed = [...output.matchAll(/\[([\w-]+) *\] FAILURE/g)].map(([, id = ""]) => id);
      resolve({ code: error === null ? 0 : 1, output, passed: Number(passed), failed });
    });
  });
}
