/**
 * `node tools/ci/summary.mjs <folder> <failed step…>` prints the failed tests, each with its file, its title and the
 * beginning of its message. Then it prints one line that summarises the run. It reads the JSON reports of the test
 * runners in the folder. A missing report counts as one failure, because tests that never ran have not passed. So does
 * a failed step whose report has no failure, and a failed step without a report. Plain JavaScript without imports from
 * the workspace, because it must also work if the installation failed.
 */
import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { stripVTControlCharacters } from "node:util";

/** @typedef {{ ancestorTitles: string[], title: string, status: string, failureMessages: string[] }} TestCase */
/** @typedef {{ name: string, status: string, message: string, assertionResults: TestCase[] }} TestFile */
/** @typedef {{ place: string, message: string }} Failure */

/** Steps that run tests and leave a report. */
const testSteps = ["test", "services", "packed"];

/**
 * Number of printed lines per message, and number of failures printed with a message. Of further failures, only the
 * names are printed.
 */
const [messageLines, messages] = [20, 50];

const [folder = ".", ...failedSteps] = process.argv.slice(2);

/** @param {string} step */
function readReport(step) {
  const path = join(folder, `${step}.json`);
  try {
    const { numPassedTests, numFailedTests, numTotalTests, testResults } = JSON.parse(readFileSync(path, "utf8"));
    const failures = failuresOf(testResults);
    // The step may have failed by an error outside of any test, for example.
    if (failures.length === 0 && failedSteps.includes(step)) {
      failures.push({ place: step, message: "failed outside of its tests" });
    }
    return { passed: numPassedTests, skipped: numTotalTests - numPassedTests - numFailedTests, failures };
  } catch {
    return { passed: 0, skipped: 0, failures: [{ place: step, message: `no report: ${path}` }] };
  }
}

/**
 * @param {readonly TestFile[]} files
 * @returns {Failure[]}
 */
function failuresOf(files) {
  return files.flatMap(({ name, status, message, assertionResults }) => {
    const file = relative(process.cwd(), name);
    const failed = assertionResults.filter((test) => test.status === "failed");
    if (status === "failed" && failed.length === 0) {
      return [{ place: file, message: message || "failed outside of its tests, in a hook or while it was loaded" }];
    }
    return failed.map(({ ancestorTitles, title, failureMessages }) => ({
      place: [file, ...ancestorTitles, title].join(" > "),
      message: failureMessages.join("\n"),
    }));
  });
}

/**
 * Returns the beginning of a message, without the frames of third-party code.
 *
 * @param {string} message
 */
function beginning(message) {
  const lines = stripVTControlCharacters(message)
    .replaceAll(`${process.cwd()}/`, "")
    .split("\n")
    .filter((line) => !/^\s+at (?:.*node_modules\/|new Promise \(<anonymous>\))/.test(line));
  return lines.slice(0, messageLines).map((line) => `    ${line}`);
}

const reports = testSteps.map(readReport);
const failures = reports.flatMap((report) => report.failures);
for (const [index, { place, message }] of failures.entries()) {
  console.log([`failed test: ${place}`, ...(index < messages ? beginning(message) : [])].join("\n"));
}

/** @param {"passed" | "skipped"} key */
const sum = (key) => reports.reduce((total, report) => total + report[key], 0);
const others = failedSteps.filter((step) => !testSteps.includes(step)).length;
console.log(`${sum("passed")} passed, ${failures.length + others} failed, ${sum("skipped")} skipped`);
