import { existsSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { rules } from "../../tests/spec/rules.ts";
import { judge } from "./judge.ts";
import { readCitations } from "./read-citations.ts";

// The results come with `pnpm spec:coverage`, which runs after all tests. A title that lost its rule is seen here.
it("finds a test that asserts, or a page, for each rule, and a rule for each citation", () => {
  const citations = readCitations();
  const { faults } = judge({
    rules,
    citations,
    results: citations.map(({ file, id }) => ({ file, title: `[${id}]`, status: "passed" })),
    readPage: (path) => (existsSync(path) ? readFileSync(path, "utf8") : undefined),
    hasServices: true,
  });

  expect(faults).toEqual([]);
});
