import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const root = join(import.meta.dirname, "../..");

const files = globSync("{apps,examples,internal,packages,tests,tools}/**/*.{ts,tsx,mts}", {
  cwd: root,
  exclude: ["**/node_modules", "**/dist"],
}).toSorted();

/** Matches a doc comment that begins with a question word, and the words after it. */
const question = /\/\*\*\s+(?:\*\s*)?((?:What|Who|Whose|Where|Whether|How)\b.{0,60})/g;

function questionsIn(text: string): string[] {
  return [...text.matchAll(question)].map(([, words = ""]) => words.replace(/ \*\/.*/, ""));
}

it("a search of the sources finds no doc comment that begins with What, Who, Where, Whether or How", () => {
  const found = files.flatMap((file) =>
    questionsIn(readFileSync(join(root, file), "utf8")).map((words) => `${file}: ${words}`),
  );

  expect(found).toEqual([]);
});

it("a search of the sources reads the source of every package", () => {
  const packages = globSync("{internal,packages}/*", { cwd: root });

  expect(packages.filter((folder) => !files.some((file) => file.startsWith(`${folder}/`)))).toEqual([]);
});

it("a search of the sources recognises a question word at the beginning of a doc comment of any form", () => {
  const open = "/**";
  const asked = ["What it is. */", "\n * Whether it is.\n */", "\n   * Where it is.\n   */"];
  const plain = ["The reason. */", "Returns what it is. */", "\n * Whatever is sent.\n */"];

  expect(asked.filter((rest) => questionsIn(`${open} ${rest}`).length !== 1)).toEqual([]);
  expect(plain.filter((rest) => questionsIn(`${open} ${rest}`).length > 0)).toEqual([]);
});
