import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { checkContents } from "./check-contents.ts";

let unpacked: string;

beforeEach(() => {
  unpacked = mkdtempSync(join(tmpdir(), "troupe-contents-"));
  for (const file of ["LICENSE", "README.md", "package.json", "dist/index.js", "dist/index.d.ts"]) write(file, "");
});

afterEach(() => {
  rmSync(unpacked, { recursive: true });
});

function write(file: string, text: string): void {
  mkdirSync(dirname(join(unpacked, file)), { recursive: true });
  writeFileSync(join(unpacked, file), text);
}

it("checkContents accepts code, declarations, a license, a README and a manifest", () => {
  expect(checkContents("x", unpacked)).toEqual([]);
});

it.each(["LICENSE", "README.md"])("checkContents reports a missing %s", (file) => {
  rmSync(join(unpacked, file));

  expect(checkContents("x", unpacked)).toEqual([`x is packed without ${file}.`]);
});

it("checkContents reports a core without the guide", () => {
  expect(checkContents("@troupe/core", unpacked)).toEqual([
    "@troupe/core is packed without dist/docs/guide/README.md.",
  ]);

  write("dist/docs/guide/README.md", "");

  expect(checkContents("@troupe/core", unpacked)).toEqual([]);
});

it("checkContents reports a page without the licence of its font", () => {
  for (const library of ["preact", "uplot"]) write(`dist/client/${library}.LICENSE.txt`, "");

  expect(checkContents("@troupe/page", unpacked)).toEqual([
    "@troupe/page is packed without dist/client/geist.LICENSE.txt.",
  ]);

  write("dist/client/geist.LICENSE.txt", "");

  expect(checkContents("@troupe/page", unpacked)).toEqual([]);
});

it.each([
  "src/index.ts",
  "dist/index.js.map",
  "dist/a/b.test.d.ts",
  "dist/entry.ts",
  ".env",
  "dist/__fixtures__/a.json",
])("checkContents reports %s as superfluous", (file) => {
  write(file, "");

  expect(checkContents("x", unpacked)).toEqual([`x ships ${file}, which its users do not need.`]);
});

it("checkContents accepts templates only in a command that makes projects", () => {
  for (const file of ["templates/shared/_gitignore", "templates/service/src/main.test.ts"]) write(file, "");

  expect(checkContents("create-x", unpacked)).toEqual([]);
  expect(checkContents("x", unpacked)).toHaveLength(2);
});

it.each<[what: string, file: string, text: string]>([
  ["a declaration that names a private package", "dist/index.d.ts", 'import { A } from "@troupe-internal/gemini";'],
  ["code that names a private package", "dist/index.js", 'import "@troupe-internal/gemini";'],
  ["the condition that leads to sources", "dist/index.js", '"@troupe/source"'],
  ["a pointer to a source map", "dist/index.js", "let a;\n//# sourceMappingURL=index.js.map"],
  [
    "a vendor's code",
    "dist/index.js",
    "// ../../node_modules/.pnpm/kysely@0.29.9/node_modules/kysely/dist/index.js\nlet a;",
  ],
])("reports %s", (_what, file, text) => {
  write(file, text);

  expect(checkContents("x", unpacked)).toHaveLength(1);
});
