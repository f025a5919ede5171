import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readWorkspace } from "./workspace.ts";

/**
 * Programs shown in a package's README are files of that package, compiled and run by the tests. A block says which
 * file it shows behind its language (```ts examples/first.ts), and a ```text block right after it holds what it prints.
 */
export interface ReadmeExample {
  /** From the package's folder, or nothing when the block does not say. */
  file: string | undefined;
  code: string;
  /** What the README says that the program prints. */
  output: string | undefined;
}

const block = /^```ts(?: (?<file>\S+))?\n(?<code>[\s\S]*?)^```$(?:\n+```text\n(?<output>[\s\S]*?)^```$)?/gm;

/** The programs of a README, in the order in which they are shown. */
export function readExamples(readme: string): ReadmeExample[] {
  return [...readme.matchAll(block)].map(({ groups }) => ({
    file: groups?.["file"],
    code: groups?.["code"] ?? "",
    output: groups?.["output"],
  }));
}

/** The README with each program replaced by what its file holds now. */
export function withFreshExamples(readme: string, read: (file: string) => string): string {
  return readExamples(readme).reduce(
    (text, { file, code }) =>
      file === undefined
        ? text
        : text.replace(`\`\`\`ts ${file}\n${code}\`\`\``, () => `\`\`\`ts ${file}\n${read(file)}\`\`\``),
    readme,
  );
}

/** `node tools/packages/readme-examples.ts`: copies every program into the README that shows it. */
if (import.meta.main) {
  for (const { path } of readWorkspace(process.cwd()).packages) {
    const readme = readFileSync(join(path, "README.md"), "utf8");
    const fresh = withFreshExamples(readme, (file) => readFileSync(join(path, file), "utf8"));
    if (fresh !== readme) writeFileSync(join(path, "README.md"), fresh);
  }
}
