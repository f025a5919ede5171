import { statSync } from "node:fs";
import { mustRun } from "../../tools/packages/run-command.ts";

/** Traces that importing a module leaves in a process of its own. */
export interface ImportTraces {
  /** URLs of all loaded modules. */
  loaded: string[];
  /** Number of calls of functions of these modules. */
  calls: number;
  environmentReads: string[];
  /** Timers, sockets and file handles that are still open. */
  resources: string[];
  globals: string[];
  listeners: string[];
}

/** The work of an import. Unlike its time, it is the same on a busy machine. */
export interface ImportCost {
  /** Size of all modules that are loaded, those of Node left out. */
  bytes: number;
  /** Number of calls of functions of these modules. */
  calls: number;
}

/** Returns what importing the module costs. */
export async function costOfImport(specifier: string, cwd: string): Promise<ImportCost> {
  const { loaded, calls } = await traceImport(specifier, cwd);
  const files = [...new Set(loaded)].filter((url) => url.startsWith("file:"));
  return { bytes: files.reduce((sum, url) => sum + statSync(new URL(url)).size, 0), calls };
}

/** Imports the module in a process of its own and returns its traces. */
export async function traceImport(specifier: string, cwd: string): Promise<ImportTraces> {
  return JSON.parse(await mustRun(process.execPath, ["probes/import-traces.ts", specifier], { cwd })) as ImportTraces;
}
