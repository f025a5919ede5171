import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import type { TestResult } from "./judge.ts";

type VitestReport = {
  testResults: { name: string; assertionResults: { fullName: string; status: string }[] }[];
};

/** Test projects that need no servers and no keys. "quick" would run the files of "shallow" and "deep" again. */
const projects = ["shallow", "deep", "processes", "slow", "timing", "packed"];

/**
 * Reads the JSON report of a Vitest run. Throws if there is none, because a missing report does not mean that there are
 * no tests.
 */
export function readResults(path: string): TestResult[] {
  if (!existsSync(path)) throw new Error(`There is no report ${path}. Run the tests that write it first.`);
  const report = JSON.parse(readFileSync(path, "utf8")) as VitestReport;
  return report.testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.map(({ fullName, status }) => ({ file: relative(".", name), title: fullName, status })),
  );
}

/**
 * Runs the named test files. A failed test is part of its result. Throws, with the output, if the run cannot start or
 * writes no report.
 */
export function runTests(files: readonly string[], program = "vitest"): TestResult[] {
  if (files.length === 0) return [];
  console.log(`Runs ${files.length} test files that cite rules of which no result is there.`);
  const folder = mkdtempSync(join(tmpdir(), "troupe-spec-"));
  const outputFile = join(folder, "results.json");
  // The variable names a report of the caller, which this run must not overwrite.
  const { TROUPE_TEST_RESULTS: _, ...env } = process.env;
  const chosen = projects.map((name) => `--project=${name}`);
  const reporter = ["--reporter=json", `--outputFile=${outputFile}`];
  try {
    const options = ["run", "--config", "vitest.workspace.ts", ...chosen, ...reporter];
    const { error, stdout, stderr } = spawnSync(program, [...options, ...files], { env, encoding: "utf8" });
    if (error !== undefined || !existsSync(outputFile)) {
      const printed = `${stdout ?? ""}${stderr ?? ""}`.trim();
      throw new Error(`The tests could not be run, so nothing is measured.\n${printed}`, { cause: error });
    }
    return readResults(outputFile);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
