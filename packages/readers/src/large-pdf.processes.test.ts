import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "vitest";

it("a PDF of 1,000 pages is read in at most 300 MB, the parser and the text included", () => {
  const program = join(import.meta.dirname, "../test/read-thousand-pages.ts");
  const args = ["--conditions=@troupe/source", "--no-warnings", program];
  const [pages, megabytes] = execFileSync(process.execPath, args).toString().trim().split(" ").map(Number);

  expect(pages).toBe(1000);
  expect(megabytes).toBeLessThanOrEqual(300);
});
