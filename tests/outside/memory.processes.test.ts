import { expect, it } from "vitest";
import { tryFloods } from "./memory.ts";

it("a service without a storage lives through floods of large sessions, and keeps those of a user who is signed in [storage.default-bytes]", async () => {
  const { statuses, mistakes } = await tryFloods();

  expect(mistakes).toEqual([]);
  expect(Object.keys(statuses)).toEqual(["200"]);
});
