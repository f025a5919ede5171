import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { pagesWithPrograms, readExamples, readmeFolders, shownPart, withFreshExamples } from "./readme-examples.ts";

const root = join(import.meta.dirname, "../..");
const read = (path: string) => readFileSync(join(root, path), "utf8");

describe.each(readmeFolders(root))("the README in %s", (folder) => {
  const readme = read(join(folder, "README.md"));

  it("shows or links every program of its examples folder", () => {
    const files = globSync("examples/*.ts", { cwd: join(root, folder) });

    expect(files.filter((file) => !readme.includes(file))).toEqual([]);
  });
});

const isShowing = (page: string): boolean => readExamples(read(page)).length > 0;

describe.each(pagesWithPrograms(root).filter(isShowing))("%s", (page) => {
  it.each(readExamples(read(page)))("shows $file as the file stands", ({ file = "", code }) => {
    expect(code, "run `node tools/packages/readme-examples.ts`").toBe(shownPart(read(join(dirname(page), file))));
  });
});

describe("reading programs from Markdown", () => {
  const readme =
    "# A\n\n```ts examples/a.ts\nlet a = 1;\n```\n\n```text\n1\n```\n\nNow\n\n```ts\nlet b;\n```\n\n```sh\nx\n```\n";

  it("finds the file, the code and the output", () => {
    expect(readExamples(readme)).toEqual([
      { file: "examples/a.ts", code: "let a = 1;\n", output: "1\n" },
      { file: undefined, code: "let b;\n", output: undefined },
    ]);
  });

  it("copies the file as it stands, dollar signs and all", () => {
    const fresh = withFreshExamples(readme, () => "let a = `$&$1`;\n");

    expect(fresh).toBe(readme.replace("let a = 1;", () => "let a = `$&$1`;"));
  });

  it("shows the regions of a program that has some, and all of one without", () => {
    const program = "start();\n// #region readme\na();\n// #endregion\nb();\n// #region readme\nc();\n// #endregion\n";

    expect(shownPart(program)).toBe("a();\n\nc();\n");
    expect(shownPart("a();\n")).toBe("a();\n");
  });
});
