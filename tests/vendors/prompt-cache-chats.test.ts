import { UserMemory } from "@troupe/core";
import { describe, expect, it } from "vitest";
import { instructions, readsOf, startGuide } from "./guide.ts";

describe("a chat of ten turns with Claude", () => {
  it.each([
    ["tools and instructions", { instructions }, 2900],
    ["tools, without instructions", {}, 1400],
  ])("reads %s from the cache each time, while the facts change [cache.changing-facts]", async (_, config, least) => {
    const userMemory = new UserMemory({ enabled: false });
    const { vendor, agent } = await startGuide({ ...config, userMemory });
    const before = (turn: number) => userMemory.addFacts("ada", [`Has seen picture ${turn}.`]);
    const { reads, bodies } = await readsOf({ runnable: agent, vendor, before });

    for (const [turn, body] of bodies.entries()) expect(body).toContain(`- Has seen picture ${turn}.`);
    expect(reads[0]).toBe(0);
    for (const read of reads.slice(1)) expect(read).toBeGreaterThan(least);
  });

  it("reads the whole conversation before from the cache when nothing changes [cache.anthropic-marks]", async () => {
    const { vendor, agent } = await startGuide({ instructions });
    const { reads } = await readsOf({ runnable: agent, vendor });

    expect(reads).toEqual([...new Set(reads)].toSorted((one, other) => one - other));
  });
});

describe("a long chat with Claude", () => {
  it("reads the conversation before from the cache in most turns, once the oldest are left out [cache.long-sessions]", async () => {
    const { vendor, agent } = await startGuide({ instructions });
    const { reads, bodies } = await readsOf({ runnable: agent, vendor, turns: 70 });

    const [second = 0] = reads.slice(1);
    const misses = reads.flatMap((read, turn) => (read < second ? [turn] : []));
    expect(misses).toEqual([0, 51, 59, 67]);
    for (const body of bodies) expect(body.match(/Where is picture/g)?.length).toBeLessThanOrEqual(51);
  });
});
