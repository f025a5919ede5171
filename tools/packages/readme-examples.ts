import { globSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { readWorkspace } from "./workspace.ts";

/**
 * A program shown on a page. The block names its file after the language (```ts examples/first.ts). It shows the whole
 * file or, if the file has them, its regions named `readme`. Blocks of other languages
 * count if they name a file. A ```text block directly after it contains the program's
 * output.
 */
export interface ReadmeExample {
  /** The path from the page's folder. Undefined if the block names no file. */
  file: string | undefined;
  language: string;
  code: string;
  /** The output that the README shows. */
  output: string | undefined;
}

const block =
  /^```(?<language>ts|(?:js|json|jsonc|toml|yaml)(?= ))(?: (?<file>\S+))?\n(?<code>[\s\S]*?)^```$(?:\n+```text\n(?<output>[\s\S]*?)^```$)?/gm;
const region = /^\/\/ #region readme\n(?<code>[\s\S]*?)^\/\/ #endregion\n/gm;

/** Returns the programs of a page, in order. */
export function readExamples(readme: string): ReadmeExample[] {
  return [...readme.matchAll(block)].map(({ groups }) => ({
    file: groups?.["file"],
    language: groups?.["language"] ?? "",
    code: groups?.["code"] ?? "",
    output: groups?.["output"],
  }));
}

/** Returns the part of a program that a page shows: its regions named `readme`, or the whole program if it has none. */
export function shownPart(program: string): string {
  const regions = [...program.matchAll(region)].map(({ groups }) => groups?.["code"] ?? "");
  return regions.length === 0 ? program : regions.join("\n");
}

/** Returns the page with each program replaced by the shown part of its file. */
export function withFreshExamples(readme: string, read: (file: string) => string): string {
  return readExamples(readme).reduce(
    (text, { file, language, code }) =>
      file === undefined
        ? text
        : text.replace(
            `\`\`\`${language} ${file}\n${code}\`\`\``,
            () => `\`\`\`${language} ${file}\n${shownPart(read(file))}\`\`\``,
          ),
    readme,
  );
}

/** Returns the folders whose README shows programs: the root and every published package. */
export function readmeFolders(root: string): string[] {
  return [".", ...readWorkspace(root).packages.map(({ path }) => path)];
}

/** Returns the pages whose TypeScript blocks are programs: the READMEs, the guide and the recipes. */
export function pagesWithPrograms(root: string): string[] {
  const pages = globSync("docs/{guide,recipes}/*.md", { cwd: root }).toSorted();
  return [...readmeFolders(root).map((folder) => join(folder, "README.md")), ...pages];
}

/** `node tools/packages/readme-examples.ts`: copies every program into the pages that show it. */
if (import.meta.main) {
  for (const path of pagesWithPrograms(process.cwd())) {
    const page = readFileSync(path, "utf8");
    const fresh = withFreshExamples(page, (file) => readFileSync(join(dirname(path), file), "utf8"));
    if (fresh !== page) writeFileSync(path, fresh);
  }
}
