import { expect, it } from "vitest";
import { askAnything } from "../test/generated/any-request.ts";

it("the router answers any request without a fault of its own", { timeout: 300_000 }, async () => {
  const { statuses, lines } = await askAnything(10_000);

  expect([...statuses]).toEqual(expect.arrayContaining([200, 400, 404, 405, 415]));
  expect(lines).toEqual([]);
});
