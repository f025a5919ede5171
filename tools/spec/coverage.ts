import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";
import type { Rule } from "../../tests/spec/rule.ts";
import { rules } from "../../tests/spec/rules.ts";
import { findCitations } from "./citations.ts";
import { judge, needsServer } from "./judge.ts";
import type { TestResult } from "./judge.ts";

/**
 * `pnpm spec:coverage`: prints which rules of the specification are proven, documented or open, and fails when a proof is
 * missing, skipped, red or asserts nothing. It reads the JSON reports of earlier runs, named by `--results` or
 * `TROUPE_TEST_RESULTS`, or else runs the tests that cite a rule. Tests that need servers count only with `--services`.
 * `--open` lists the open rules.
 */
const { values } = parseArgs({
  options: { results: { type: "string", multiple: true }, open: { type: "boolean" }, services: { type: "boolean" } },
});

const reports = values.results ?? process.env["TROUPE_TEST_RESULTS"]?.split(",");

type VitestReport = {
  testResults: { name: string; assertionResults: { fullName: string; status: string }[] }[];
};

/** Lists the files of a pattern, and those that are not committed yet. */
function listFiles(...patterns: string[]): string[] {
  const listed = execFileSync("git", ["ls-files", "-co", "--exclude-standard", ...patterns], { encoding: "utf8" });
  return listed.split("\n").filter((file) => file !== "" && existsSync(file));
}

function readResults(path: string): TestResult[] {
  const report = JSON.parse(readFileSync(path, "utf8")) as VitestReport;
  return report.testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.map(({ fullName, status }) => ({ file: relative(".", name), title: fullName, status })),
  );
}

/** Runs the named files. A red test shows in its result, so the exit code does not count. */
function runTests(files: readonly string[]): TestResult[] {
  const folder = mkdtempSync(join(tmpdir(), "troupe-spec-"));
  const outputFile = join(folder, "results.json");
  const reporter = ["--reporter=json", `--outputFile=${outputFile}`];
  try {
    execFileSync("vitest", ["run", "--config", "vitest.workspace.ts", ...reporter, ...files], { stdio: "ignore" });
  } catch {
    if (!existsSync(outputFile)) return [];
  }
  const results = readResults(outputFile);
  rmSync(folder, { recursive: true });
  return results;
}

function bySection(list: readonly Rule[]): string {
  const sections = Map.groupBy(list, ({ section }) => section);
  return [...sections].map(([section, members]) => `  ${section}: ${members.length}`).join("\n");
}

const citations = listFiles("*.test.ts", "packages/core/src/testing/conformance/*-cases.ts").flatMap((file) =>
  findCitations(file, readFileSync(file, "utf8")),
);
// The cases of suites are run by the implementations.
const suites = citations.some(({ isCase }) => isCase) ? listFiles("*.conformance.test.ts") : [];
const cited = citations.filter(({ isCase }) => isCase !== true).map(({ file }) => file);
const files = [...new Set([...cited, ...suites])].filter((file) => !needsServer(file));
const { proven, documented, open, faults } = judge({
  rules,
  citations,
  results: reports === undefined ? runTests(files) : reports.flatMap(readResults),
  readPage: (path) => (existsSync(path) ? readFileSync(path, "utf8") : undefined),
  hasServices: values.services === true,
});

if (open.length > 0) console.log(`open:\n${bySection(open)}`);
if (values.open === true) for (const { id, text } of open) console.log(`  ${id}: ${text}`);
console.log(`${rules.length} rules: ${proven.length} proven, ${documented.length} documented, ${open.length} open.`);
for (const fault of faults) console.error(fault);
process.exitCode = faults.length === 0 ? 0 : 1;
