import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { architecturePage } from "./draw-transitions.ts";

const root = join(import.meta.dirname, "../..");
/** The formatter aligns the columns of tables. */
const plain = (text: string) => text.replaceAll(/ +/g, " ").replaceAll(/-{3,}/g, "---");

it("docs/architecture.md has the transitions of durable runs as the code makes them", () => {
  const { path, text } = architecturePage(root);
  expect(plain(readFileSync(join(root, path), "utf8")), "run `pnpm reference`").toBe(plain(text));
});
