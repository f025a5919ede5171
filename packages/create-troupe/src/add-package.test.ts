import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../test/temporary-folder.ts";
import { addPackage } from "./add-package.ts";

/** Adds a package to a project with this package.json. Returns the result and the new text. */
function addTo(manifest: object | string, wanted: string) {
  const folder = temporaryFolder();
  const file = join(folder, "package.json");
  writeFileSync(file, typeof manifest === "string" ? manifest : JSON.stringify(manifest, null, 2));
  const result = addPackage(folder, wanted);
  return { result, text: readFileSync(file, "utf8") };
}

const project = { name: "x", dependencies: { "@troupe/core": "^0.0.7", zod: "^4.0.0" }, scripts: { dev: "x" } };

describe("addPackage", () => {
  it.each(["provider-anthropic", "providers-anthropic", "@troupe/providers-anthropic"])(
    "adds %s in the range of the project's core",
    (wanted) => {
      const { result, text } = addTo(project, wanted);

      expect(result.added).toEqual({ "@troupe/providers-anthropic": "^0.0.7" });
      expect(JSON.parse(text)).toEqual({
        ...project,
        dependencies: { "@troupe/core": "^0.0.7", "@troupe/providers-anthropic": "^0.0.7", zod: "^4.0.0" },
      });
      expect(Object.keys(JSON.parse(text))).toEqual(["name", "dependencies", "scripts"]);
      expect(result.lines).toEqual([
        'import { anthropic } from "@troupe/providers-anthropic";',
        'export const model = anthropic("claude-opus-5-5");',
      ]);
    },
  );

  it("adds core and the libraries that the package needs", () => {
    const { result } = addTo({ name: "x" }, "engine-bullmq");

    expect(Object.keys(result.added)).toEqual(["@troupe/core", "@troupe/engine-bullmq", "pg"]);
  });

  it("adds the client without core", () => {
    expect(Object.keys(addTo({ name: "x" }, "client").result.added)).toEqual(["@troupe/client"]);
  });

  it("leaves a package.json as it is that has the package", () => {
    const text = '{"dependencies":{"@troupe/mcp":"*","@troupe/core":"*"}}';

    expect(addTo(text, "mcp")).toMatchObject({ result: { added: {} }, text });
  });

  it("keeps the indentation", () => {
    expect(addTo('{\n\t"name": "x"\n}\n', "page").text).toMatch(/^\{\n\t"name": "x",\n\t"dependencies": \{\n\t\t/);
  });

  it.each<[text: string, message: string]>([
    ["{ broken", "is not valid JSON. Mend it first."],
    ["{}", 'There is no package "nothing". Expected one of a2a, ag-ui, client,'],
  ])("says why it adds nothing to %s", (text, message) => {
    const wanted = text === "{}" ? "nothing" : "mcp";

    expect(() => addTo(text, wanted)).toThrowError(message);
  });

  it("says that there is no project in the folder", () => {
    expect(() => addPackage(temporaryFolder(), "mcp")).toThrowError(/^There is no package\.json in /);
  });
});
