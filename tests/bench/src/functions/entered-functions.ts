import { readFileSync } from "node:fs";
import type { Profiler } from "node:inspector";
import { Session } from "node:inspector/promises";
import { fileURLToPath } from "node:url";

/** A function of a package that some work entered. */
export interface EnteredFunction {
  /** Path from the root of the checkout, such as `packages/core/src/agents/run/run.ts`. */
  readonly file: string;
  readonly name: string;
  /** The number of calls. */
  readonly calls: number;
  readonly isAsync: boolean;
}

const ours = /\/((?:packages|internal)\/[^/]+\/src\/.+\.ts)$/;

/** Does some work, and returns the functions of the packages that it entered, by V8's precise coverage. */
export async function functionsEntered(work: () => Promise<unknown>): Promise<EnteredFunction[]> {
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  await work();
  const { result } = await session.post("Profiler.takePreciseCoverage");
  session.disconnect();
  return result.flatMap(functionsOf);
}

function functionsOf({ url, functions }: Profiler.ScriptCoverage): EnteredFunction[] {
  const file = ours.exec(url)?.[1];
  if (file === undefined) return [];
  // Types are stripped in place, so that offsets are those of the source.
  const text = readFileSync(fileURLToPath(url), "utf8");
  return functions.flatMap(({ functionName: name, ranges: [range] }) => {
    const isModule = range?.startOffset === 0;
    if (range === undefined || range.count === 0 || isModule) return [];
    return [{ file, name, calls: range.count, isAsync: text.startsWith("async", range.startOffset) }];
  });
}
