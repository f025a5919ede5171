import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readExamples, readmeFolders } from "./readme-examples.ts";
import { mustRun } from "./run-command.ts";

const root = join(import.meta.dirname, "../..");

/** Without the keys of this machine, so that no program reaches a vendor; any free port. */
const env = { PATH: process.env["PATH"], PORT: "0" };

const programsOf = (folder: string) => globSync("examples/*.ts", { cwd: join(root, folder) });

/** Without those whose README shows a program of another folder, which runs there. */
const folders = readmeFolders(root).filter((folder) => programsOf(folder).length > 0);

describe("the programs of the recipes", () => {
  const shown = globSync("docs/recipes/*.md", { cwd: root }).flatMap((page) => {
    return readExamples(readFileSync(join(root, page), "utf8")).map((example) => ({
      ...example,
      file: join("docs/recipes", example.file ?? ""),
    }));
  });

  it.each(globSync("examples/recipes/*.ts", { cwd: root }))(
    "%s runs to its end and prints what the page shows",
    async (file) => {
      const output = shown.find((example) => example.file === file)?.output;
      const printed = await mustRun(process.execPath, ["--conditions=@troupe/source", file], {
        cwd: root,
        env,
        timeout: 90_000,
      });

      // A warning in the log is a line of JSON.
      expect(printed.replaceAll(/^\{"time".*\n/gm, "")).toBe(output ?? printed);
    },
  );
});

describe.each(folders)("the programs of the README in %s", (folder) => {
  const cwd = join(root, folder);
  const examples = readExamples(readFileSync(join(cwd, "README.md"), "utf8"));

  it.each(programsOf(folder))("%s runs to its end and prints what the README shows", async (file) => {
    const shown = examples.find((example) => example.file === file)?.output;
    const printed = await mustRun(process.execPath, ["--conditions=@troupe/source", file], {
      cwd,
      env,
      timeout: 90_000,
    });

    expect(printed).toBe(shown ?? printed);
  });
});
