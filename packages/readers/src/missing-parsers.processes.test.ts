import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "vitest";

const program = join(import.meta.dirname, "../test/read-each-format.ts");

/** Code that lets a process and its threads find none of these packages. */
const hideCode = (packages: readonly string[]) => `
  import { registerHooks } from "node:module";
  registerHooks({
    resolve(name, context, next) {
      if (${JSON.stringify(packages)}.includes(name)) throw new Error("Cannot find package " + name);
      return next(name, context);
    },
  });`;

function readWithout(missing: readonly string[]): string[] {
  const hook = `data:text/javascript,${encodeURIComponent(hideCode(missing))}`;
  const args = ["--conditions=@troupe/source", "--no-warnings", "--import", hook, program];
  return execFileSync(process.execPath, args).toString().trim().split("\n");
}

it.each([
  [[], ["a.html text", "a.pdf text", "a.docx text", "a.md text"]],
  [
    ["mammoth", "parse5", "unpdf"],
    [
      "a.html invalid_config: Reading HTML needs the package parse5. Install it: npm install parse5",
      "a.pdf invalid_config: Reading PDF needs the package unpdf. Install it: npm install unpdf",
      "a.docx invalid_config: Reading DOCX needs the package mammoth. Install it: npm install mammoth",
      "a.md text",
    ],
  ],
  [
    ["parse5"],
    [
      "a.html invalid_config: Reading HTML needs the package parse5. Install it: npm install parse5",
      "a.pdf text",
      "a.docx invalid_config: Reading DOCX needs the package parse5. Install it: npm install parse5",
      "a.md text",
    ],
  ],
])("an installation without %j names the missing parser of each format that needs one", (missing, lines) => {
  expect(readWithout(missing)).toEqual(lines);
});
