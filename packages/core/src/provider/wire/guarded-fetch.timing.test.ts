import { expect, it } from "vitest";
import { failure } from "../../../test/pooled.ts";
import { createGuardedFetch } from "./guarded-fetch.ts";

it("GuardedFetch rejects a private address within 100 ms, also the first time", async () => {
  const guardedFetch = createGuardedFetch();
  const start = performance.now();

  await failure(guardedFetch("http://169.254.169.254/latest/meta-data/"));

  expect(performance.now() - start).toBeLessThan(100);
});
