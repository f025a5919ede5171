import { writeFile } from "node:fs/promises";
import { join } from "node:path";
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
/** A module of plain functions, whose import takes longer or shorter on a machine as that of any code does. */
const plain = "./plain.js";
const plainFunctions = Array.from(
  { length: 8000 },
  (_, index) =>
    `(value) => { const next = value + ${index}; return next > ${index} ? { next, value } : [next, value]; }`,
);

/**
 * Measures how many times as long as a module of plain functions each import takes, by specifier. An empty module is over too soon
 * to compare with: on another machine the same code took 170 times as long in place of 147. Fresh processes take turns, and the
 * median of the ratios within a round counts, since the speed of the machine changes between rounds.
 */
export async function measureImportRatios(specifiers: readonly string[], cwd: string): Promise<Record<string, number>> {
  await writeFile(join(cwd, "probes", plain), `export const all = [\n${plainFunctions.join(",\n")}\n];\n`);
  const ratios = new Map<string, number[]>(specifiers.map((specifier) => [specifier, []]));
  for (let round = 0; round < rounds; round++) {
    const baseline = Number(await probe("import-time", plain, cwd));
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
