import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { statesPage } from "./draw-transitions.ts";

const root = join(import.meta.dirname, "../..");
/** The formatter aligns the columns of tables. */
const plain = (text: string) => text.replaceAll(/ +/g, " ").replaceAll(/-{3,}/g, "---");

it("docs/durable-run-states.md has the transitions of durable runs as the code makes them", () => {
  const { path, text } = statesPage(root);
  expect(plain(readFileSync(join(root, path), "utf8")), "run `pnpm reference`").toBe(plain(text));
});
