import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { readResults, runTests } from "./run-tests.ts";

/** A program that stands for Vitest, as a script of Node. */
function program(script: string): string {
  const folder = mkdtempSync(join(tmpdir(), "troupe-run-tests-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "vitest.cjs");
  writeFileSync(path, `#!${process.execPath}\n${script}`);
  chmodSync(path, 0o755);
  return path;
}

const writeReport = `
  const option = process.argv.find((argument) => argument.startsWith("--outputFile="));
  const tests = [{ fullName: "its report is " + process.env.TROUPE_TEST_RESULTS, status: "passed" }];
  const report = { testResults: [{ name: process.cwd() + "/a.test.ts", assertionResults: tests }] };
  require("node:fs").writeFileSync(option.slice("--outputFile=".length), JSON.stringify(report));
  process.exitCode = 1;
`;

it("runTests says that it could not measure, and what the run printed", () => {
  vi.spyOn(console, "log").mockReturnValue();
  const broken = program('console.error("Error: Projects have different maxWorkers"); process.exitCode = 1;');

  expect(() => runTests(["a.test.ts"], broken)).toThrow(
    "The tests could not be run, so nothing is measured.\nError: Projects have different maxWorkers",
  );
  expect(() => runTests(["a.test.ts"], "/no/such/program")).toThrow("nothing is measured");
  vi.restoreAllMocks();
});

it("runTests reads its own report of a run with red tests, also where the caller's report has a name", () => {
  vi.spyOn(console, "log").mockReturnValue();
  vi.stubEnv("TROUPE_TEST_RESULTS", "of-the-caller.json");

  const results = runTests(["a.test.ts"], program(writeReport));

  expect(results).toEqual([{ file: "a.test.ts", title: "its report is undefined", status: "passed" }]);
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

it("readResults refuses a report that is not there", () => {
  expect(() => readResults("/no/such/report.json")).toThrow("There is no report /no/such/report.json.");
});
