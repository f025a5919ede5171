import { expect, it } from "vitest";
import { tryShutdowns } from "./shutdown.ts";

it("a service that is shut down under load answers every request that it got [http.shutdown-drain] [http.shutdown-no-reset]", async () => {
  const { statuses, resets, mistakes } = await tryShutdowns(2);

  expect(resets).toEqual([]);
  expect(mistakes).toEqual([]);
  expect(statuses[200]).toBeGreaterThan(0);
  expect(statuses[503]).toBeGreaterThan(0);
});
