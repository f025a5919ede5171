import { mustRun } from "../../tools/packages/run-command.ts";

/** What importing a module leaves behind in a process of its own. */
export interface ImportTraces {
  /** The address of every module that was loaded. */
  loaded: string[];
  environmentReads: string[];
  /** Timers, sockets, file handles that are still open. */
  resources: string[];
  globals: string[];
  listeners: string[];
}

const rounds = 15;
const empty = "./empty.js";

/**
 * How many times as long as an empty module each import takes, by specifier. Fresh processes take turns, and each
 * module's best time counts: whatever else the machine does can only make it worse.
 */
export async function measureImportRatios(specifiers: readonly string[], cwd: string): Promise<Record<string, number>> {
  const best = new Map<string, number>();
  for (let round = 0; round < rounds; round++) {
    for (const specifier of [empty, ...specifiers]) {
      const time = Number(await probe("import-time", specifier, cwd));
      best.set(specifier, Math.min(time, best.get(specifier) ?? Number.POSITIVE_INFINITY));
    }
  }
  const ratio = (specifier: string) => (best.get(specifier) ?? Number.NaN) / (best.get(empty) ?? Number.NaN);
  return Object.fromEntries(specifiers.map((specifier) => [specifier, ratio(specifier)]));
}

/** Imports the module in a process of its own and tells what that did. */
export async function traceImport(specifier: string, cwd: string): Promise<ImportTraces> {
  return JSON.parse(await probe("import-traces", specifier, cwd)) as ImportTraces;
}

async function probe(name: string, specifier: string, cwd: string): Promise<string> {
  return await mustRun(process.execPath, [`probes/${name}.ts`, specifier], { cwd });
}
