import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { rules } from "../../tests/spec/rules.ts";
import { findCitations } from "./citations.ts";
import { filesToRun, judge, provenByServers } from "./judge.ts";
import { readResults, runTests } from "./run-tests.ts";

/**
 * `pnpm spec:coverage`: runs the tests that cite a rule, prints how many rules of the specification are proven or documented,
 * and fails when one is neither, or a proof is missing, skipped, red or asserts nothing. It runs no test of a rule that the JSON
 * reports of earlier runs have, named by `--results` or `TROUPE_TEST_RESULTS`. Tests that need servers count only with
 * `--services`, and in such a report.
 */
const { values } = parseArgs({
  options: { results: { type: "string", multiple: true }, services: { type: "boolean" } },
});

const reports = values.results ?? process.env["TROUPE_TEST_RESULTS"]?.split(",");

/** Lists the files of a pattern, and those that are not committed yet. */
function listFiles(...patterns: string[]): string[] {
  const listed = execFileSync("git", ["ls-files", "-co", "--exclude-standard", ...patterns], { encoding: "utf8" });
  return listed.split("\n").filter((file) => file !== "" && existsSync(file));
}

const citations = listFiles("*.test.ts", "packages/core/src/testing/conformance/*-cases.ts").flatMap((file) =>
  findCitations(file, readFileSync(file, "utf8")),
);
// The cases of suites are run by the implementations.
const suites = citations.some(({ isCase }) => isCase) ? listFiles("*.conformance.test.ts") : [];
const known = (reports ?? []).flatMap((path) => readResults(path));
const files = filesToRun(citations, known);
const { proven, documented, faults } = judge({
  rules,
  citations,
  results: [...known, ...runTests(known.length === 0 ? [...new Set([...files, ...suites])] : files)],
  readPage: (path) => (existsSync(path) ? readFileSync(path, "utf8") : undefined),
  hasServices: values.services === true,
});

console.log(
  `${rules.length} rules: ${proven.length} have tests that prove them, ${documented.length} are documented for hosts.`,
);
const byServers = provenByServers(rules, citations).length;
if (values.services !== true) {
  console.log(
    `Of ${byServers} of them all tests need servers: they count with --services and the results of test:services.`,
  );
}
for (const fault of faults) console.error(fault);
console.log(faults.length === 0 ? "No rule is open." : `${faults.length} faults, listed above.`);
process.exitCode = faults.length === 0 ? 0 : 1;
