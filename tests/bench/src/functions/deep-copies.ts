import type { EnteredFunction } from "./entered-functions.ts";

/** Numbers of deep copies, by the function that copies. For a built-in function with the file that called it. */
export type Copies = Readonly<Record<string, number>>;

/** Our functions that copy a value with all its parts, called once for each copy. */
const ours = ["cleanJson", "copyJson", "copyPlain", "forceStorable", "toStorable"];

/** Returns the calls of our own copying functions. */
export function copyingFunctions(functions: readonly EnteredFunction[]): Copies {
  const copying = functions.filter(({ name }) => ours.includes(name));
  return Object.fromEntries(copying.map(({ file, name, calls }) => [`${name} (${baseOf(file)})`, calls]));
}

/** Counts calls of `structuredClone` and `JSON.parse` by our files, until `restore`. */
export function builtInCopies(): { counted: () => Copies; restore: () => void } {
  const counts: Record<string, number> = {};
  const originals = { structuredClone: globalThis.structuredClone, parse: JSON.parse };
  const note = (name: string): void => {
    const caller = callerOf(new Error().stack);
    if (caller !== undefined) counts[`${name} (${caller})`] = (counts[`${name} (${caller})`] ?? 0) + 1;
  };
  globalThis.structuredClone = (value, options) => {
    note("structuredClone");
    return originals.structuredClone(value, options);
  };
  JSON.parse = (text, reviver) => {
    note("JSON.parse");
    return originals.parse(text, reviver) as unknown;
  };
  const restore = (): void => {
    globalThis.structuredClone = originals.structuredClone;
    JSON.parse = originals.parse;
  };
  return { counted: () => counts, restore };
}

/** Returns the file below a package's `src` that made the call; undefined for other callers, such as Node's. */
function callerOf(stack = ""): string | undefined {
  return /^.*\n.*\n.*\n.*\/(packages\/[^/]+\/src\/[^:]+\.ts):/.exec(stack)?.[1]?.replace(/^.*\//, "");
}

function baseOf(file: string): string {
  return file.slice(file.lastIndexOf("/") + 1);
}
