import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { checkNode } from "./check-node.ts";

it.each(["18.20.8", "20.20.2", "21.7.3", "22.18.9", "23.11.0", "24.13.9", "25.0.0"])(
  "checkNode refuses Node %s with a sentence",
  (version) => {
    expect(() => checkNode(version)).toThrow(
      `The demo server needs Node 22 from 22.19 on, 24 from 24.14 on, or 26 and later, got ${version}.`,
    );
  },
);

it.each(["22.19.0", "24.14.0", "26.0.0", process.versions.node])("checkNode takes Node %s", (version) => {
  expect(() => checkNode(version)).not.toThrow();
});

it("the main file loads nothing before it has checked the version", () => {
  const source = readFileSync(join(import.meta.dirname, "main.ts"), "utf8");
  const checked = readFileSync(join(import.meta.dirname, "check-node.ts"), "utf8");

  expect([...source.matchAll(/^import .* from "(.*)";$/gm)].map(([, from]) => from)).toEqual(["./check-node.ts"]);
  expect(checked).not.toMatch(/^import /m);
});
