import type { LookupFunction } from "node:net";
import { createLogger } from "@troupe/core";
import { checkInterleavings } from "@troupe-internal/interleavings";
import type { HeldCalls, Scene } from "@troupe-internal/interleavings";
import { expect, it } from "vitest";
import { PushPost } from "./push-post.ts";
import { PushSigner } from "./push-signer.ts";

it("lookups of addresses that clients set are no more than two at once, and each gives its place back, in any order [async.interleavings]", async () => {
  await checkInterleavings(checkAddresses, { seed: 38_302, stepMs: 900, quietMs: 3000 });
});

const signer = new PushSigner(undefined, undefined);
const logger = createLogger({ level: "error", write: () => undefined });

function checkAddresses(held: HeldCalls): Scene {
  let underWay = 0;
  let asked = 0;
  const lookup = (async (host: string, _options: object, done: (...found: unknown[]) => void) => {
    underWay += 1;
    asked += 1;
    const found = held.hold(`the lookup of ${host}`, () => [{ address: "10.0.0.1", family: 4 }]);
    const [outcome] = await Promise.allSettled([found]);
    underWay -= 1;
    if (outcome.status === "fulfilled") done(null, outcome.value);
    else done(outcome.reason);
  }) as unknown as LookupFunction;
  const bounds = { timeoutMs: 10_000, maxAttempts: 1, retryMs: 1, maxPerTask: 9, concurrency: 2 };
  const post = new PushPost({ allowPrivateHosts: [], ...bounds, lookup }, signer, logger);
  let number = 0;
  const check = async (): Promise<void> => await post.checkUrl(`https://host${(number += 1)}.example/`);
  const refused = async (): Promise<void> => {
    const error: unknown = await check().catch((reason: unknown) => reason);
    held.check(error instanceof Error, "a private address is taken");
  };
  return {
    operations: { "a client sets an address": check },
    always: () => expect(underWay, "lookups at once").toBeLessThanOrEqual(2),
    // Both places are free again.
    again: async () => {
      const before = asked;
      await Promise.all([refused(), refused()]);
      held.check(asked === before + 2, "an address is not looked up");
    },
    afterwards: () => expect(underWay).toBe(0),
  };
}
