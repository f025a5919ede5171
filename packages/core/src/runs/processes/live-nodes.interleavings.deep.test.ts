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
      look: async () => void (await nodes.someOther(() => true)),
      "another one's heartbeat": async () => await storage.set(runNamespaces.nodes, "n2", { v: 1, heartbeat: 1 }),
    },
    end: async () => {
      isPerforming = false;
      await nodes.retire();
    },
    again: async () => void (await nodes.someOther(() => true)),
    afterwards: async () => {
      expect(isPerforming).toBe(false);
      expect(await storage.get(runNamespaces.nodes, "n1")).toBeNull();
    },
  };
}
