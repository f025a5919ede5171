import { checkInterleavings } from "@troupe-internal/interleavings";
import type { HeldCalls, Scene } from "@troupe-internal/interleavings";
import { it } from "vitest";
import { Crowd } from "../test/crowd.ts";

it("a client of a gateway has its places and its runs until it is gone, and what is sent is its own, in any order [async.interleavings]", async () => {
  await checkInterleavings((held) => new Crowd(held).scene(), { seed: 38_201, numRuns: 100, stepMs: 600 });
});

it("a client of a gateway that asks for durable runs and follows them has its places until it is gone, in any order [async.interleavings]", async () => {
  const create = async (held: HeldCalls): Promise<Scene> => await new Crowd(held, { isDurable: true }).serve();
  await checkInterleavings(create, { seed: 38_202, numRuns: 30, stepMs: 600, quietMs: 3000 });
});
