import { mustRun } from "../../tools/packages/run-command.ts";

/** Traces that importing a module leaves in a process of its own. */
export interface ImportTraces {
  /** URLs of all loaded modules. */
  loaded: string[];
  environmentReads: string[];
  /** Timers, sockets and file handles that are still open. */
  resources: string[];
  globals: string[];
  listeners: string[];
}

const rounds = 15;
const empty = "./empty.js";

/**
 * Measures how many times as long as an empty module each import takes, by specifier. Fresh processes take turns, and the
 * median of the ratios within a round counts, since the speed of the machine changes between rounds.
 */
export async function measureImportRatios(specifiers: readonly string[], cwd: string): Promise<Record<string, number>> {
  const ratios = new Map<string, number[]>(specifiers.map((specifier) => [specifier, []]));
  for (let round = 0; round < rounds; round++) {
    const baseline = Number(await probe("import-time", empty, cwd));
    for (const specifier of specifiers) {
      ratios.get(specifier)?.push(Number(await probe("import-time", specifier, cwd)) / baseline);
    }
  }
  return Object.fromEntries([...ratios].map(([specifier, all]) => [specifier, median(all)]));
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** Imports the module in a process of its own and returns its traces. */
export async function traceImport(specifier: string, cwd: string): Promise<ImportTraces> {
  return JSON.parse(await probe("import-traces", specifier, cwd)) as ImportTraces;
}

async function probe(name: string, specifier: string, cwd: string): Promise<string> {
  return await mustRun(process.execPath, [`probes/${name}.ts`, specifier], { cwd });
}
