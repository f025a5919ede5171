import { expect, inject, it } from "vitest";
import { askAnything } from "../test/generated/any-request.ts";

it("the router answers any request without a fault of its own", async () => {
  const { statuses, lines } = await askAnything({ few: 80, many: 10_000 }[inject("trials")]);

  expect([...statuses]).toEqual(expect.arrayContaining([200, 400, 404, 405, 415]));
  expect(lines).toEqual([]);
});
