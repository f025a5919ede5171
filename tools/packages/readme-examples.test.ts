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
    // The front page links the list of the root's programs, in the order in which they are worth reading.
    const index = folder === "." ? read("examples/README.md").replaceAll("](", "](examples/") : "";

    expect(files.filter((file) => !readme.includes(file) && !index.includes(`](${file})`))).toEqual([]);
  });
});

describe("the recipes", () => {
  const pages = globSync("docs/recipes/*.md", { cwd: root });
  const shown = pages.flatMap((page) => readExamples(read(page)).map(({ file = "" }) => join(dirname(page), file)));

  it("show every program in their folder, and each in 60 lines at most", () => {
    const programs = globSync(["examples/recipes/*.ts", "examples/recipes/foreign/*.mjs"], { cwd: root });

    expect(shown.toSorted()).toEqual(programs.toSorted());
    expect(programs.filter((program) => shownPart(read(program)).split("\n").length > 61)).toEqual([]);
  });

  it("name the command that runs each program", () => {
    const texts = pages.map(read).join("\n");
    const isNamed = (program: string) =>
      program.endsWith(".mjs") ? texts.includes("pnpm test:outside migrations") : texts.includes(`source ${program}\n`);

    expect(shown.filter((program) => !isNamed(program))).toEqual([]);
  });
});

describe("the programs that must stay small", () => {
  const linesOf = (program: string) =>
    shownPart(read(program))
      .split("\n")
      .filter((line) => line.trim() !== "");

  it("are that of the front page, in 12 lines at most", () => {
    expect(readExamples(read("README.md"))[0]?.file).toBe("examples/serve-everything.ts");
    expect(linesOf("examples/serve-everything.ts").length).toBeLessThanOrEqual(12);
  });

  it("are an own transport, in 60 lines at most and from its entry point alone", () => {
    const program = "tests/third-party/small-transport.ts";
    const modules = [...read(program).matchAll(/^import .* from "([^"]+)";$/gm)].map(([, name]) => name);

    expect(linesOf(program).length).toBeLessThanOrEqual(60);
    expect([...new Set(modules)]).toEqual(["node:events", "@troupe/core/transport"]);
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
      { file: "examples/a.ts", language: "ts", code: "let a = 1;\n", output: "1\n" },
      { file: undefined, language: "ts", code: "let b;\n", output: undefined },
    ]);
  });

  it("takes a block of another language only if it names its file", () => {
    const page = "```js\nlet a;\n```\n\n```js a.mjs\nlet b;\n```\n\n```yaml\na: 1\n```\n";

    expect(readExamples(page)).toEqual([{ file: "a.mjs", language: "js", code: "let b;\n", output: undefined }]);
    expect(withFreshExamples(page, () => "let c;\n")).toBe(page.replace("let b;", "let c;"));
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
