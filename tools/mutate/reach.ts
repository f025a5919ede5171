import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Mutant } from "./draw.ts";
import { RunnerProcess } from "./runner-process.ts";

/**
 * The functions that a test file calls, by their file, and its processor time in milliseconds, which does not depend on
 * other load.
 */
export type Reach = {
  readonly test: string;
  readonly ms: number;
  readonly reached: Readonly<Record<string, string[]>>;
};

/** The tests to run, and the number of tests left out. */
type Chosen = { readonly tests: readonly string[]; readonly left: number };

/** The form of the notes: notes of another form are not used. */
const form = 2;

/** Milliseconds after which the recording of reached functions is abandoned. */
const limitMs = 3_600_000;

/**
 * Returns the reached functions of each test, without tests that fail even without a mutation. Each test runs once for
 * its record, which is valid while the test and all files with functions that it called are unchanged.
 */
export async function readReach(root: string, tests: readonly string[]): Promise<Reach[]> {
  const folder = join(root, "node_modules/.cache/troupe-mutate");
  const notesOf = (test: string): string => join(folder, `${test.replaceAll("/", "+")}.json`);
  const hashOf = hasher(root);
  const current = tests.flatMap((test) => readNotes(notesOf(test), hashOf) ?? []);
  const known = new Set(current.map(({ test }) => test));
  const missing = tests.filter((test) => !known.has(test));
  if (missing.length === 0) return current;

  console.log(`Runs ${missing.length} test files once, to note which functions they call.`);
  mkdirSync(folder, { recursive: true });
  const { failed, passed } = await runOnce(missing);
  for (const test of failed) console.log(`Left out, since it fails without any change: ${test}`);
  for (const notes of passed) writeFileSync(notesOf(notes.test), JSON.stringify({ ...notes, hash: hashOf(notes) }));
  return [...current, ...passed];
}

/**
 * Returns the tests that call a function, as many as fit into the time. Those nearest to its file come first, and among
 * them the fastest.
 */
export function testsReaching(reach: readonly Reach[], { file, within }: Mutant, budgetMs: number): Chosen {
  const isReached = ({ reached }: Reach): boolean =>
    within === undefined ? reached[file] !== undefined : reached[file]?.includes(within) === true;
  const all = reach
    .filter(isReached)
    .toSorted((one, other) => nearness(file, other.test) - nearness(file, one.test) || one.ms - other.ms);
  let ms = 0;
  const chosen = all.filter((each, index) => (ms += each.ms) <= budgetMs || index === 0);
  return { tests: chosen.map(({ test }) => test), left: all.length - chosen.length };
}

async function runOnce(tests: readonly string[]): Promise<{ failed: ReadonlySet<string>; passed: readonly Reach[] }> {
  const folder = mkdtempSync(join(tmpdir(), "troupe-mutate-"));
  const runner = new RunnerProcess(folder);
  try {
    const failures = await runner.run({ tests }, limitMs);
    if (failures === undefined) throw new Error("The tests did not end. Run pnpm test to see which one hangs.");
    const failed = new Set(failures.map(({ test }) => test));
    const all = readdirSync(folder).map((name) => JSON.parse(readFileSync(join(folder, name), "utf8")) as Reach);
    return { failed, passed: all.filter(({ test }) => !failed.has(test)) };
  } finally {
    await runner.close();
    rmSync(folder, { recursive: true });
  }
}

function readNotes(path: string, hashOf: (notes: Reach) => string): Reach | undefined {
  if (!existsSync(path)) return undefined;
  const notes = JSON.parse(readFileSync(path, "utf8")) as Reach & { readonly hash: string };
  return notes.hash === hashOf(notes) ? notes : undefined;
}

/** Returns a function that hashes a test and all files with named functions that it called. Each file is read once. */
function hasher(root: string): (notes: Reach) => string {
  const texts = new Map<string, string>();
  const textOf = (file: string): string => {
    const path = join(root, file);
    const text =
      texts.get(file) ?? (existsSync(path) ? createHash("sha256").update(readFileSync(path)).digest("hex") : "");
    texts.set(file, text);
    return text;
  };
  return ({ test, reached }) => {
    const called = Object.keys(reached).filter((file) => reached[file]?.some((name) => name !== ""));
    const hash = createHash("sha256").update(String(form));
    for (const file of [test, ...called.toSorted()]) hash.update(`${file}\0${textOf(file)}\0`);
    return hash.digest("hex");
  };
}

/** Returns the number of folders that two paths share, plus one if the test has the name of the file. */
function nearness(file: string, test: string): number {
  const [parts, others] = [file.split("/"), test.split("/")];
  const shared = parts.findIndex((part, index) => part !== others[index]);
  return shared + (test.startsWith(file.replace(/\.tsx?$/, ".")) ? 1 : 0);
}
