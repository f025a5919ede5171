import { checkInterleavings } from "@troupe-internal/interleavings";
import type { HeldCalls, Scene } from "@troupe-internal/interleavings";
import { expect, it } from "vitest";
import { runNamespaces } from "../../agents/journal/log-entry.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { LiveNodes } from "./live-nodes.ts";
import type { ServedPlans } from "./live-nodes.ts";

it("the record of a process says what it does in the end, whichever write of it is answered first, and is gone when it does nothing [async.interleavings]", async () => {
  await checkInterleavings(liveAndDie, { seed: 38_504, numRuns: 100, stepMs: 6000 });
});

function liveAndDie(held: HeldCalls): Scene {
  const storage = new InMemoryStorage();
  const slow = {
    list: async (...args: Parameters<InMemoryStorage["list"]>) => await held.hold("list", () => storage.list(...args)),
    set: async (...args: Parameters<InMemoryStorage["set"]>) => await held.hold("set", () => storage.set(...args)),
    delete: async (...args: Parameters<InMemoryStorage["delete"]>) =>
      // One that fails leaves a record, which expires.
      await held.hold("delete", () => storage.delete(...args), { canFail: false }),
  };
  const nodes = new LiveNodes({
    storage: slow as unknown as InMemoryStorage,
    id: "n1",
    name: "n",
    isAlone: false,
    describe: () => ({}) as ServedPlans,
    onError: () => undefined,
  });
  let isPerforming = false;
  let isSubscriber = false;
  return {
    operations: {
      perform: async () => {
        isPerforming = true;
        await nodes.perform();
      },
      retire: async () => {
        isPerforming = false;
        await nodes.retire();
      },
      subscribe: async () => {
        isSubscriber = true;
        await nodes.subscribe();
      },
      look: async () => {
        const isLive = await nodes.look();
        held.check(isLive("n1"), "a process takes itself for dead");
      },
      "another one's heartbeat": async () => await storage.set(runNamespaces.nodes, "n2", { v: 1, heartbeat: 1 }),
    },
    end: async () => {
      isPerforming = false;
      await nodes.retire();
      if (isSubscriber) await nodes.look();
    },
    again: async () => await nodes.look(),
    afterwards: async () => {
      const entry = await storage.get(runNamespaces.nodes, "n1");
      expect(isPerforming).toBe(false);
      const { isSubscriber: saysSo = false, serves } = Object(entry) as { isSubscriber?: boolean; serves?: object };
      expect({ isThere: entry !== null, saysSo, serves }).toEqual({ isThere: isSubscriber, saysSo: isSubscriber });
    },
  };
}
