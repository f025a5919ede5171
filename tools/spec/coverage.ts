import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";
import type { Rule } from "../../tests/spec/rule.ts";
import { rules } from "../../tests/spec/rules.ts";
import { findCitations } from "./citations.ts";
import type { Citation } from "./citations.ts";
import { judge, needsServer } from "./judge.ts";
import type { TestResult } from "./judge.ts";

/**
 * `pnpm spec:coverage`: says which rules of the specification are proven, documented or open, and fails when a proof is
 * missing, skipped, empty or red. It runs the tests it needs, or reads `--results`, the JSON of runs just made. Proofs that
 * need servers are judged only when `--services` says that those tests ran too.
 */
const { values } = parseArgs({
  options: { results: { type: "string", multiple: true }, open: { type: "boolean" }, services: { type: "boolean" } },
});

type VitestReport = {
  testResults: { name: string; assertionResults: { fullName: string; status: string }[] }[];
};

const read = (path: string) => readFileSync(path, "utf8");

/** Test files, and the tables of cases that tests of several packages run. */
function citingFiles(): string[] {
  const patterns = ["*.test.ts", "packages/core/src/testing/conformance/*.ts"];
  const listed = execFileSync("git", ["ls-files", "-co", "--exclude-standard", ...patterns], { encoding: "utf8" });
  return listed.split("\n").filter((file) => file !== "" && existsSync(file));
}

function readResults(path: string): TestResult[] {
  const report = JSON.parse(read(path)) as VitestReport;
  return report.testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.map(({ fullName, status }) => ({ file: relative(".", name), title: fullName, status })),
  );
}

/** Runs the named files; a red test is told by its result, not by the exit code. */
function runTests(files: readonly string[]): TestResult[] {
  if (files.length === 0) return [];
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

function byOwner(list: readonly Rule[]): string {
  const owners = [...new Set(list.map((rule) => rule.owner))];
  return owners.map((owner) => `  ${owner}: ${list.filter((rule) => rule.owner === owner).length}`).join("\n");
}

const citations: Citation[] = citingFiles().flatMap((file) => findCitations(file, read(file)));
const named = [...new Set(rules.flatMap((rule) => rule.test ?? []))];
const results =
  values.results === undefined
    ? runTests(named.filter((file) => existsSync(file) && !needsServer(file)))
    : values.results.flatMap(readResults);
const readPage = (path: string) => (existsSync(path) ? read(path) : undefined);
const { proven, documented, open, faults } = judge({
  rules,
  citations,
  results,
  readPage,
  hasServices: values.services === true,
});

if (open.length > 0) console.log(`open:\n${byOwner(open)}`);
if (values.open === true) for (const rule of open) console.log(`  ${rule.id}: ${rule.text}`);
console.log(`${rules.length} rules: ${proven.length} proven, ${documented.length} documented, ${open.length} open.`);
for (const fault of faults) console.error(fault);
process.exitCode = faults.length === 0 ? 0 : 1;
