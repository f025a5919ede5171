import { existsSync, readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { rules } from "../../tests/spec/rules.ts";
import { filesToRun, judge, provenByServers } from "./judge.ts";
import { listFiles, readCitations } from "./read-citations.ts";
import { readResults, runTests } from "./run-tests.ts";

/**
 * `pnpm spec:coverage`: runs the tests that cite a rule, and prints how many rules of the specification are proven or
 * documented. Fails if a rule is neither, or its proof is missing, skipped, red or asserts nothing. Tests whose results
 * are in the JSON reports of earlier runs, named by `--results` or `TROUPE_TEST_RESULTS`, do not run again. Tests that
 * need servers count only with `--services`, and from such a report.
 */
const { values } = parseArgs({
  options: { results: { type: "string", multiple: true }, services: { type: "boolean" } },
});

const reports = values.results ?? process.env["TROUPE_TEST_RESULTS"]?.split(",");

const citations = readCitations();
// The implementations run the cases of suites.
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
