import { dirname, join } from "node:path";
import type { UserWorkspaceConfig } from "vitest/config";
import { createVitest } from "vitest/node";
import type { TestCase, TestModule, Vitest } from "vitest/node";
import workspace from "../../vitest.workspace.ts";

/** The tests to run, and the mutation of a source, if any. */
export type Order = {
  readonly tests: readonly string[];
  readonly change?: { readonly file: string; readonly text: string };
};

/** A test that failed, or its file. */
export type Failure = { readonly test: string; readonly title: string; readonly isTimeout: boolean };

/** The list of all tests when a runner starts, and then the failures of each order. */
export type Answer = { readonly tests: readonly string[] } | { readonly failures: readonly Failure[] };

// A Vitest process, which its parent ends if an order takes too long. A source is mutated while it is loaded: no file
// is written, and nothing remains if the process is killed.
const root = join(import.meta.dirname, "../..");
const reachFolder = process.argv[2];
let changed: { readonly path: string; readonly text: string } | undefined;

/** Vitest settings for a mutation: one worker, and short timeouts, because a mutation may make a wait endless. */
const forChange = { maxWorkers: 1, testTimeout: 15_000, hookTimeout: 15_000 };

const quick = ((workspace.test?.projects ?? []) as UserWorkspaceConfig[]).find(({ test }) => test?.name === "quick");
const setupFiles = [quick?.test?.setupFiles ?? []].flat();

/** Returns the Vitest settings for recording reached functions. */
const forReach = (folder: string) => ({
  maxWorkers: 2,
  setupFiles: [join(import.meta.dirname, "reach-setup.ts"), ...setupFiles],
  provide: { ...quick?.test?.provide, reach: { folder, root } },
});

/** Returns the settings of the project "quick" for a mutation or for recording. */
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
      // A mutated source must neither come from the cache nor be stored there.
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
  // Vitest otherwise returns all tests that it ever ran: those of earlier mutations, and those that it skips after the
  // first failure.
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

/** Returns true if a test noticed the mutation. A test that only ran into its timeout did not. */
function tells(failures: readonly Failure[]): boolean {
  return failures.some(({ isTimeout }) => !isTimeout);
}

/**
 * Runs tests until one of them notices the mutation. Vitest skips all tests after the first failure. After a mere
 * timeout, the skipped tests run again.
 */
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
    // Most mutations are noticed by the tests beside the source. Further tests run only if these notice nothing or only
    // time out.
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
// The parent was killed: also kills the workers, one of which may be in an endless loop.
process.on("disconnect", () => process.kill(-process.pid, "SIGKILL"));
answer({ tests: [...all.keys()] });
