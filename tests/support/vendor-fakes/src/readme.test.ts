import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const folder = join(import.meta.dirname, "..");
const readme = readFileSync(join(folder, "README.md"), "utf8");
const programs = [...readme.matchAll(/^```ts (\S+)\n([\s\S]*?)^```$/gm)];

describe("the README", () => {
  it("begins with the name and the description of the package", () => {
    const { name, description } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Record<
      string,
      string
    >;

    expect(readme.startsWith(`# ${name}\n\n${description}\n`)).toBe(true);
  });

  it.each(programs.map(([, file = "", code]) => ({ file, code })))("shows $file unchanged", ({ file, code }) => {
    expect(code).toBe(readFileSync(join(folder, file), "utf8"));
  });
});
