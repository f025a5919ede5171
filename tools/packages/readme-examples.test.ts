import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readExamples, withFreshExamples } from "./readme-examples.ts";
import { mustRun } from "./run-command.ts";
import { readWorkspace } from "./workspace.ts";

const root = join(import.meta.dirname, "../..");

describe.each(readWorkspace(root).packages.map(({ path }) => path))("the README of %s", (path) => {
  const examples = readExamples(readFileSync(join(root, path, "README.md"), "utf8"));

  it("shows every program of the package and no others", () => {
    const files = globSync("examples/*.ts", { cwd: join(root, path) });

    expect(new Set(examples.map(({ file }) => file))).toEqual(new Set(files));
  });

  it.each(examples)("shows $file as it is, and what it prints", async ({ file = "", code, output }) => {
    expect(code, "run `node tools/packages/readme-examples.ts`").toBe(readFileSync(join(root, path, file), "utf8"));

    const printed = await mustRun(process.execPath, ["--conditions=@troupe/source", file], { cwd: join(root, path) });

    expect(printed).toBe(output);
  });
});

it("has a README to look at", () => {
  expect(existsSync(join(root, "packages/core/README.md"))).toBe(true);
});

describe("reading programs from Markdown", () => {
  const readme =
    "# A\n\n```ts examples/a.ts\nlet a = 1;\n```\n\n```text\n1\n```\n\nNow\n\n```ts\nlet b;\n```\n\n```sh\nx\n```\n";

  it("finds the file, the code and what it prints", () => {
    expect(readExamples(readme)).toEqual([
      { file: "examples/a.ts", code: "let a = 1;\n", output: "1\n" },
      { file: undefined, code: "let b;\n", output: undefined },
    ]);
  });

  it("copies what the file holds now, dollar signs and all", () => {
    const fresh = withFreshExamples(readme, () => "let a = `$&$1`;\n");

    expect(fresh).toBe(readme.replace("let a = 1;", () => "let a = `$&$1`;"));
  });
});
