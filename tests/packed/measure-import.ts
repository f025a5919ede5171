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
 * How many times as long as an empty module each import takes, by specifier. Fresh processes take turns, and the middle of
 * the ratios within a round counts: the machine's speed changes from one round to the next.
 */
export async function measureImportRatios(specifiers: readonly string[], cwd: string): Promise<Record<string, number>> {
  const ratios = new Map<string, number[]>(specifiers.map((specifier) => [specifier, []]));
  for (let round = 0; round < rounds; round++) {
    const floor = Number(await probe("import-time", empty, cwd));
    for (const specifier of specifiers) {
      ratios.get(specifier)?.push(Number(await probe("import-time", specifier, cwd)) / floor);
    }
  }
  return Object.fromEntries([...ratios].map(([specifier, all]) => [specifier, middle(all)]));
}

function middle(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** Imports the module in a process of its own and tells what that did. */
export async function traceImport(specifier: string, cwd: string): Promise<ImportTraces> {
  return JSON.parse(await probe("import-traces", specifier, cwd)) as ImportTraces;
}

async function probe(name: string, specifier: string, cwd: string): Promise<string> {
  return await mustRun(process.execPath, [`probes/${name}.ts`, specifier], { cwd });
}
