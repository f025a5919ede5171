import { writeFileSync } from "node:fs";
import { Session } from "node:inspector";
import type { Profiler } from "node:inspector";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, inject } from "vitest";

declare module "vitest" {
  export interface ProvidedContext {
    /** The folder of the records of reached functions, and the root of the repository. */
    reach?: { readonly folder: string; readonly root: string };
  }
}

/** Names of the functions that ran, by the path of their file. */
type Reached = Record<string, string[]>;

// A worker runs this file once per test file, but evaluates each module only once.
const shared = globalThis as { mutateReach?: { session: Session; whileImported: Reached } };
const { session, whileImported } = (shared.mutateReach ??= { session: openSession(), whileImported: {} });
const usedBefore = process.cpuUsage();
const { folder = "", root = "" } = inject("reach") ?? {};

// Functions that run while modules are imported count for every later test file of the worker, which might have
// imported them first.
beforeAll(() => merge(whileImported, takeReached()));
afterAll(() => {
  const test = relative(root, expect.getState().testPath ?? "");
  const reached = takeReached();
  merge(reached, whileImported);
  const { user, system } = process.cpuUsage(usedBefore);
  const notes = { test, ms: Math.round((user + system) / 1000), reached };
  writeFileSync(join(folder, `${test.replaceAll("/", "+")}.json`), JSON.stringify(notes));
});

function openSession(): Session {
  const opened = new Session();
  opened.connect();
  opened.post("Profiler.enable");
  opened.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  return opened;
}

/** Returns the functions that ran since the last call. The inspector answers before `post` returns. */
function takeReached(): Reached {
  let scripts: Profiler.ScriptCoverage[] = [];
  session.post("Profiler.takePreciseCoverage", (_, { result }) => void (scripts = result));
  const reached: Reached = {};
  for (const { url, functions } of scripts) {
    const path = relative(root, url.startsWith("file:") ? fileURLToPath(url) : url);
    if (path.startsWith("..") || path.includes("node_modules") || !/\.tsx?$/.test(path)) continue;
    const names = functions
      .filter(({ ranges }) => ranges.some(({ count }) => count > 0))
      // `get a` and `A.a`, V8's name of a static method, both become `a`.
      .map(({ functionName }) => functionName.replace(/^.*[ .]/, ""));
    merge(reached, { [path]: names });
  }
  return reached;
}

function merge(into: Reached, more: Reached): void {
  for (const [path, names] of Object.entries(more)) into[path] = [...new Set([...(into[path] ?? []), ...names])];
}
