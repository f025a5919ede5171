import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { RunnerProcess } from "./runner-process.ts";

const root = join(import.meta.dirname, "../..");
const limitMs = 300_000;

/** Returns a change that replaces a text of a source. */
function changeOf(file: string, old: string, text: string) {
  const source = readFileSync(join(root, file), "utf8");
  expect(source).toContain(old);
  return { file, text: source.replace(old, text) };
}

it("the runner tells of each change what its own tests say, whatever those of the changes before it said", async () => {
  const runner = new RunnerProcess();
  onTestFinished(async () => await runner.close());
  const breaking = changeOf("tools/mutate/changed-lines.ts", "split", "splitNothing");
  const same = changeOf("tools/mutate/walk.ts", "/** A node of a syntax tree, whatever its type. */", "");
  const tests = ["tools/mutate/changed-lines.test.ts", "tools/mutate/mutations.test.ts"];

  for (let round = 1; round <= 2; round++) {
    const failures = await runner.run({ tests, change: breaking }, limitMs);
    expect(failures).toEqual([expect.objectContaining({ test: tests[0], isTimeout: false })]);
    expect(await runner.run({ tests: tests.slice(1), change: same }, limitMs)).toEqual([]);
    expect(await runner.run({ tests, change: same }, limitMs)).toEqual([]);
  }
});

it("the runner tells what a test says also where another one only waits", async () => {
  const runner = new RunnerProcess();
  onTestFinished(async () => await runner.close());
  const folder = "packages/a2a/src/client";
  const change = changeOf(
    `${folder}/remote-endpoint.ts`,
    'return /^text\\/event-stream\\b/i.test(headers.get("content-type") ?? "");',
    'return headers.get("content-type") === "text/event-stream";',
  );
  const tests = [`${folder}/faults.test.ts`, `${folder}/remote-endpoint.test.ts`];
  const failures = await runner.run({ tests, change }, limitMs);

  expect(failures?.find(({ isTimeout }) => !isTimeout)).toMatchObject({ test: tests[1] });
});
