import { expect, it } from "vitest";
import { createId } from "./create-id.ts";

it("makes random UUIDs", () => {
  const ids = Array.from({ length: 1000 }, () => createId());

  expect(new Set(ids).size).toBe(1000);
  expect(ids[0]).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
});
