import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { changedLines } from "./changed-lines.ts";
import { findRefused, packageOf } from "./check-types.ts";
import { draw } from "./draw.ts";
import type { Mutant } from "./draw.ts";
import { Trials } from "./trials.ts";

/**
 * `pnpm mutate [base]`: draws mutants from the lines that changed since `base`, runs the quick tests that reach each of
 * them, and prints the mutants that no test notices. Fails only if it cannot run.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    /** A whole folder instead of changed lines. */
    part: { type: "string" },
    /** A pattern of the lines to mutate. */
    lines: { type: "string" },
    /** A pattern of the kinds of mutants, such as `jump|spread`. */
    kinds: { type: "string" },
    count: { type: "string", default: "100" },
    /** The seed of the draw; the hash of the last commit by default. */
    seed: { type: "string" },
    /** True to run only the tests of the affected packages, and those in `tests`. */
    near: { type: "boolean", default: false },
    /** Seconds of tests per mutant. The nearest tests run first. */
    seconds: { type: "string", default: "30" },
  },
});
const { part, near, lines: pattern, kinds } = values;
const base = positionals[0] ?? "HEAD~1";
const startedAt = Date.now();

const root = join(import.meta.dirname, "../..");
const git = (...args: readonly string[]): string =>
  execFileSync("git", args, { cwd: root, encoding: "utf8", maxBuffer: 2 ** 30 });

/**
 * Returns the folder of a part: `lock` is a folder of core, `a2a/client` and `page/client` are folders of packages.
 */
function folderOf(name: string): string {
  const [first = "", ...rest] = name.split("/");
  const rooms = readdirSync(join(root, "packages/core/src"));
  const inCore = ["", ...rooms].map((room) => join("packages/core/src", room, name));
  const folders = [name, ...inCore, ["packages", first, "src", ...rest].join("/")];
  const found = [...folders, join("packages", name)].find((folder) => existsSync(join(root, folder)));
  if (found === undefined)
    throw new Error(`There is no part "${name}". Name a folder of core, package/folder, or a path.`);
  return found;
}

function isSource(file: string): boolean {
  const isProduct = /^(?:packages|internal)\/[^/]+\/(?:src|client)\/.*\.tsx?$/.test(file);
  return isProduct && !/\.(test|d)\.tsx?$|\/(test|testing|generated)\//.test(file);
}

/** Returns the numbers of the lines that match the pattern. Without a pattern, returns all lines. */
function linesOf(text: string, lines: ReadonlySet<number> | undefined): ReadonlySet<number> | undefined {
  if (pattern === undefined) return lines;
  const isWanted = new RegExp(pattern);
  const wanted = text.split("\n").flatMap((line, index) => (isWanted.test(line) ? [index + 1] : []));
  return new Set(wanted.filter((line) => lines?.has(line) !== false));
}

const diffOptions = [
  "--unified=0",
  "--no-renames",
  "--no-color",
  "--no-ext-diff",
  "--src-prefix=a/",
  "--dst-prefix=b/",
];
const changed = part === undefined ? changedLines(git("diff", ...diffOptions, base)) : undefined;
const folder = part === undefined ? undefined : folderOf(part);
const listed = changed === undefined ? git("ls-files", folder ?? "").split("\n") : [...changed.keys()];
const sources = listed
  .filter((file) => isSource(file) && existsSync(join(root, file)))
  .map((file) => ({ file, text: readFileSync(join(root, file), "utf8") }))
  .map(({ file, text }) => ({ file, text, lines: linesOf(text, changed?.get(file)) }));
const seed = values.seed ?? git("rev-parse", "HEAD").trim();
const count = Number(values.count);
// Draws twice as many as are tried, because about half do not type-check.
const { drawn, total } = draw(sources, 2 * count, { seed, kinds });
const refused = findRefused(root, drawn);
const mutants = drawn.filter((mutant) => !refused.has(mutant)).slice(0, count);
console.log(
  `${mutants.length} of ${total} mutants of ${folder ?? `lines changed since ${base}`}, drawn by the seed ${seed}. ` +
    `The compiler refuses ${refused.size} of ${drawn.length}.`,
);

const packages = [...new Set(sources.map(({ file }) => packageOf(file)))];
const isNear = (test: string): boolean => [...packages, "tests"].some((each) => test.startsWith(`${each}/`));
const trials = new Trials({ root, seconds: Number(values.seconds), isWanted: near ? isNear : () => true });
const results = await trials.tryAll(mutants);

const print = ({ file, line, description }: Mutant, note: string): void =>
  console.log(`${file}:${line} ${description} (${note})`);
const of = (outcome: string) => results.filter((result) => result.outcome === outcome);
console.log(`\n\nSurvived:`);
for (const { mutant, note } of of("survived")) print(mutant, note);
console.log(`\nTimed out, which tells nobody what is wrong:`);
for (const { mutant, note } of of("timed out")) print(mutant, note);
const seconds = Math.round((Date.now() - startedAt) / 1000);
console.log(
  `\n${mutants.length} mutants in ${seconds} s: ${of("noticed").length} noticed, ${of("timed out").length} timed out, ` +
    `${of("survived").length} survived.`,
);
