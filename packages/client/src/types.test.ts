import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

it("the client has 25 wrong uses that the compiler refuses, which pnpm typecheck proves [client.types]", () => {
  const text = readFileSync(join(import.meta.dirname, "../test/types.ts"), "utf8");
  // An expected error that does not come is itself an error.
  const numbers = [...text.matchAll(/@ts-expect-error (\d+):/g)].map(([, number]) => Number(number));

  expect(numbers).toEqual(Array.from({ length: 25 }, (_, index) => index + 1));
});
