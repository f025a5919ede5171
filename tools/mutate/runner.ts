import { dirname, join } from "node:path";
import type { UserWorkspaceConfig } from "vitest/config";
import { createVitest } from "vitest/node";
import type { TestCase, TestModule, Vitest } from "vitest/node";
import workspace from "../../vitest.workspace.ts";

/** Tests that are to be run, with a change of a source if there is one. */
export type Order = {
  readonly tests: readonly string[];
  readonly change?: { readonly file: string; readonly text: string };
};

/** A test that failed, or its file. */
export type Failure = { readonly test: string; readonly title: string; readonly isTimeout: boolean };

/** All tests, when a runner begins; then the failures of each order. */
export type Answer = { readonly tests: readonly string[] } | { readonly failures: readonly Failure[] };

// A process of Vitest that its parent ends when an order takes too long. A source is changed while it is loaded: no file is
// written, and nothing is left when the process is ended.
const root = join(import.meta.dirname, "../..");
const reachFolder = process.argv[2];
let changed: { readonly path: string; readonly text: string } | undefined;

/** Settings for a change: one worker, and little patience with a wait that the change has made endless. */
const forChange = { maxWorkers: 1, testTimeout: 15_000, hookTimeout: 15_000 };

const quick = ((workspace.test?.projects ?? []) as UserWorkspaceConfig[]).find(({ test }) => test?.name === "quick");
const setupFiles = [quick?.test?.setupFiles ?? []].flat();

/** Settings to note what tests reach. */
const forReach = (folder: string) => ({
  maxWorkers: 2,
  setupFiles: [join(import.meta.dirname, "reach-setup.ts"), ...setupFiles],
  provide: { ...quick?.test?.provide, reach: { folder, root } },
});

/** Returns the settings of the project "quick" for one of the two. */
function projectSettings(): UserWorkspaceConfig {
  const plugin = {
    name: "mutate",
    enforce: "pre" as const,
    load: (id: string) => (id === changed?.path ? changed.text : undefined),
  };
  return {
    ...quick,
    root,
    plugins: [plugin],
    test: {
      ...quick?.test,
      // A changed source must never come from the cache, or go there.
      fsModuleCache: false,
      ...(reachFolder === undefined ? forChange : forReach(reachFolder)),
    },
  };
}

async function openVitest(): Promise<Vitest> {
  const bail = reachFolder === undefined ? 1 : 0;
  const options = { root, config: false as const, watch: false, bail, reporters: [{}] };
  return await createVitest("test", options, { test: { projects: [projectSettings()] } });
}

const vitest = await openVitest();
const all = new Map(
  (await vitest.globTestSpecifications()).map((each) => [each.moduleId.slice(root.length + 1), each]),
);

async function run(tests: readonly string[]): Promise<Failure[]> {
  if (tests.length === 0) return [];
  // Vitest returns all tests that it ever ran: those of another change, and those that it skips after the first failure.
  vitest.state.filesMap.clear();
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(
    tests.flatMap((test) => all.get(test) ?? []),
  );
  const stray = unhandledErrors.map(() => ({
    test: "(no test)",
    title: "an error that no test waits for",
    isTimeout: false,
  }));
  return [...testModules.flatMap(failuresOf), ...stray];
}

/** Tells if a test says what is wrong. One that only waits until its time is over does not. */
function tells(failures: readonly Failure[]): boolean {
  return failures.some(({ isTimeout }) => !isTimeout);
}

/** Runs tests until one tells what is wrong. Vitest skips all behind the first failure: behind one that only waits, they run again. */
async function runUntilTold(tests: readonly string[]): Promise<Failure[]> {
  const found = await run(tests);
  if (found.length === 0 || tells(found)) return found;
  const late = new Set(found.map(({ test }) => test));
  return [...found, ...(await runUntilTold(tests.filter((test) => !late.has(test))))];
}

function failuresOf(testModule: TestModule): Failure[] {
  const failed: (TestCase | TestModule)[] = [...testModule.children.allTests("failed")];
  if (failed.length === 0 && testModule.state() === "failed") failed.push(testModule);
  return failed.map((each) => {
    const errors = each.type === "test" ? (each.result().errors ?? []) : each.errors();
    const isTimeout = errors.length > 0 && errors.every(({ message }) => /^(Test|Hook) timed out in/.test(message));
    const title = each.type === "test" ? each.fullName : "(its file)";
    return { test: testModule.relativeModuleId, title, isTimeout };
  });
}

async function follow({ tests, change }: Order): Promise<Failure[]> {
  if (change === undefined) return await run(tests);
  const path = join(root, change.file);
  changed = { path, text: change.text };
  vitest.invalidateFile(path);
  try {
    // Most changes are noticed by the tests beside them: the others run only where these see nothing, or only wait.
    const isBeside = (test: string): boolean => dirname(test) === dirname(change.file);
    const failures = await runUntilTold(tests.filter(isBeside));
    if (tells(failures)) return failures;
    return [...failures, ...(await runUntilTold(tests.filter((test) => !isBeside(test))))];
  } finally {
    changed = undefined;
    vitest.invalidateFile(path);
  }
}

const answer = (told: Answer): void => void process.send?.(told);
process.on("message", (order: Order) => void follow(order).then((failures) => answer({ failures })));
// The parent was ended: the workers, one of which may be in an endless loop, end too.
process.on("disconnect", () => process.kill(-process.pid, "SIGKILL"));
answer({ tests: [...all.keys()] });
