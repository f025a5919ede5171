import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { OptionTypes } from "./option-types.ts";

function read(files: Record<string, string>, name: string) {
  const folder = mkdtempSync(join(tmpdir(), "troupe-reference-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text);
  const types = new OptionTypes((specifier) => (specifier === "@troupe/core" ? join(folder, "core.ts") : undefined));
  return types.read(join(folder, "index.ts"), name);
}

const row = { isRequired: false, default: undefined, type: "string", meaning: "" };

it("OptionTypes reads name, type, default and meaning of each option, through the files that pass a type on", () => {
  const found = read(
    {
      "index.ts": `export type { Options } from "./options.ts";`,
      "options.ts": `
        /** Options of a thing. */
        export type Options = {
          /** The place. */
          place: string;
          /**
           * Milliseconds
           * to wait. @default 60_000
           */
          readonly waitMs?: number | undefined;
          /** Called first. */
          begin?(): void;
        };`,
    },
    "Options",
  );

  expect(found).toEqual({
    name: "Options",
    meaning: "Options of a thing.",
    rows: [
      { name: "place", type: "string", isRequired: true, default: undefined, meaning: "The place." },
      { name: "waitMs", type: "number", isRequired: false, default: "60_000", meaning: "Milliseconds to wait." },
      { name: "begin", type: "function", isRequired: false, default: undefined, meaning: "Called first." },
    ],
  });
});

it("OptionTypes adds the options of other types, also of another package, and takes those that are picked or left", () => {
  const found = read(
    {
      "index.ts": `
        import type { Network as Net } from "@troupe/core";
        type Own = { a?: string; b?: string; c: string };
        export type Options = Net & (Pick<Own, "a"> & Omit<Own, "a" | "c">) & Partial<{ d: string }> & Unknown;`,
      "core.ts": `export type { Network } from "./network.ts";`,
      "network.ts": `export type Network = { proxy?: string | undefined; a?: number };`,
    },
    "Options",
  );

  expect(found?.rows).toEqual([
    { ...row, name: "proxy" },
    { ...row, name: "a" },
    { ...row, name: "b" },
    { ...row, name: "d" },
  ]);
});

it("OptionTypes does not find a type that is missing, or is no object", () => {
  expect(read({ "index.ts": `export type Mode = "a" | "b";` }, "Mode")).toBeUndefined();
  expect(read({ "index.ts": "" }, "Options")).toBeUndefined();
});
