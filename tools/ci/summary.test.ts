import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { mustRun } from "../packages/run-command.ts";

const script = join(import.meta.dirname, "summary.mjs");
const root = join(import.meta.dirname, "../..");
const folders: string[] = [];

afterEach(async () => {
  await Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true })));
});

/** A test in a report, as Vitest writes it. */
function testCase(title: string, ...failureMessages: string[]) {
  return {
    ancestorTitles: ["a clock"],
    title,
    status: failureMessages.length > 0 ? "failed" : "passed",
    failureMessages,
  };
}

function testFile(name: string, tests: ReturnType<typeof testCase>[], message?: string) {
  const hasFailed = message !== undefined || tests.some(({ status }) => status === "failed");
  return {
    name: join(root, name),
    status: hasFailed ? "failed" : "passed",
    message: message ?? "",
    assertionResults: tests,
  };
}

function report(...testResults: ReturnType<typeof testFile>[]) {
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
  const numFailedTests = tests.filter(({ status }) => status === "failed").length;
  const success = testResults.every(({ status }) => status === "passed");
  const numPassedTests = tests.length - numFailedTests;
  return { numPassedTests, numFailedTests, numTotalTests: tests.length, success, testResults };
}

const green = report(testFile("packages/clock/src/clock.test.ts", [testCase("ticks")]));

type Report = ReturnType<typeof report>;

/** Returns the lines that the script prints for the reports of some steps and the names of the failed steps. */
async function summaryOf(reports: Record<string, Report>, ...failedSteps: string[]): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), "summary-"));
  folders.push(folder);
  const write = ([step, content]: [string, Report]) => writeFile(join(folder, `${step}.json`), JSON.stringify(content));
  await Promise.all(Object.entries(reports).map(write));
  const printed = await mustRun(process.execPath, [script, folder, ...failedSteps], { cwd: root });
  return printed.trimEnd().split("\n");
}

describe("the summary of a CI run", () => {
  it("is one line when everything passed", async () => {
    const summary = await summaryOf({ test: green, services: green, packed: green });

    expect(summary).toEqual(["3 passed, 0 failed, 0 skipped"]);
  });

  it("names each failed test with its file, its title and its message, and counts in the last line", async () => {
    const message = [
      "\u001B[31mError: too late\u001B[39m",
      `    at ${join(root, "packages/clock/src/clock.test.ts")}:3:1`,
      "    at file:///x/node_modules/vitest/run.js:1:1",
    ].join("\n");
    const failing = testFile("packages/clock/src/clock.test.ts", [testCase("ticks"), testCase("strikes", message)]);
    const summary = await summaryOf({ test: report(failing), services: green, packed: green }, "test");

    expect(summary).toEqual([
      "failed test: packages/clock/src/clock.test.ts > a clock > strikes",
      "    Error: too late",
      "        at packages/clock/src/clock.test.ts:3:1",
      "3 passed, 1 failed, 0 skipped",
    ]);
  });

  it("prints the first 20 lines of a message, and of the 51st failure only its name", async () => {
    const long = Array.from({ length: 100 }, (_, line) => `line ${line}`).join("\n");
    const tests = Array.from({ length: 51 }, (_, index) => testCase(`test ${index}`, long));
    const summary = await summaryOf({ test: report(testFile("a.test.ts", tests)), services: green, packed: green });

    expect(summary).toHaveLength(50 * 21 + 1 + 1);
    expect(summary[20]).toBe("    line 19");
    expect(summary[21]).toBe("failed test: a.test.ts > a clock > test 1");
    expect(summary.slice(-2)).toEqual(["failed test: a.test.ts > a clock > test 50", "2 passed, 51 failed, 0 skipped"]);
  });

  it("names a file that failed outside of its tests", async () => {
    const notLoaded = testFile("a.test.ts", [], "Cannot find module './b.ts'");
    const hook = testFile("c.test.ts", [testCase("ticks")], "");
    const summary = await summaryOf({ test: report(notLoaded, hook), services: green, packed: green }, "test");

    expect(summary).toEqual([
      "failed test: a.test.ts",
      "    Cannot find module './b.ts'",
      "failed test: c.test.ts",
      "    failed outside of its tests, in a hook or while it was loaded",
      "3 passed, 2 failed, 0 skipped",
    ]);
  });

  it("counts a step that failed though its report knows no failure, a missing report and another failed step", async () => {
    const summary = await summaryOf({ test: green, services: green }, "test", "packed", "lint");

    expect(summary).toEqual([
      "failed test: test",
      "    failed outside of its tests",
      "failed test: packed",
      expect.stringMatching(/^ {4}no report: .*packed\.json$/),
      "2 passed, 3 failed, 0 skipped",
    ]);
  });
});
