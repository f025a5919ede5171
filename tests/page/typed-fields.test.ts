import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const client = join(import.meta.dirname, "../../packages/page/client");

it("a search of the sources finds no field whose typed text is lost when the page is drawn again", () => {
  const fields = globSync("**/*.tsx", { cwd: client }).flatMap((file) =>
    [...readFileSync(join(client, file), "utf8").matchAll(/<(?:input|textarea)\s[^]*?\/>/g)].map(([field]) => ({
      file,
      field,
    })),
  );
  // Preact gives a field its `value` again with each drawing. One that hears of the text only when it is confirmed has an old one.
  const lost = fields.filter(({ field }) => /\svalue=/.test(field) && !/\s(?:onInput=|readOnly)/.test(field));

  expect(fields.length).toBeGreaterThan(15);
  expect(lost).toEqual([]);
});
