/**
 * Prints the one line that sums up a run: what the test runners counted, read from their own JSON. A report that is
 * missing counts as one failure, since what never ran has not passed. Plain JavaScript without imports from the
 * workspace, because it must also speak when the installation failed.
 */
import { readFileSync } from "node:fs";

const [failedSteps = "0", ...reports] = process.argv.slice(2);

/** @param {string} path */
function countsOf(path) {
  try {
    const { numPassedTests, numFailedTests, numTotalTests, success } = JSON.parse(readFileSync(path, "utf8"));
    // A run can fail with no failed test: a file that did not load, an error outside of any test.
    const failed = Math.max(numFailedTests, success ? 0 : 1);
    return { passed: numPassedTests, failed, skipped: numTotalTests - numPassedTests - numFailedTests };
  } catch {
    console.log(`no report: ${path}`);
    return { passed: 0, failed: 1, skipped: 0 };
  }
}

const counts = reports.map(countsOf);
/** @param {"passed" | "failed" | "skipped"} key */
const sum = (key) => counts.reduce((total, count) => total + count[key], 0);
console.log(`${sum("passed")} passed, ${sum("failed") + Number(failedSteps)} failed, ${sum("skipped")} skipped`);
