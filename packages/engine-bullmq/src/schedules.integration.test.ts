import { Agent, InMemoryStorage } from "@troupe/core";
import { RunService } from "@troupe/core/runs";
import { ScriptedModel } from "@troupe/core/testing";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { databases, freshQueue, testEngine } from "../test/servers.ts";

for (const { name, url, connection } of databases) {
  describe.skipIf(url === "")(`schedules of a service with BullMqEngine on ${name}`, { timeout: 120_000 }, () => {
    it("begin one run at each of their times, which one of two processes performs", async () => {
      const [storage, queue] = [new InMemoryStorage(), freshQueue()];
      const services = [1, 2].map(() => {
        const a = new Agent({ name: "a", model: new ScriptedModel().respond(() => "Done.") });
        return new RunService({ storage, agents: { a }, engine: testEngine({ ...connection, queue }) });
      });
      onTestFinished(async () => {
        for (const each of services) await each.close();
      });
      for (const each of services) await each.serve();
      const [service] = services;
      const request = { kind: "agent", name: "a", input: "Berichte." } as const;
      await service?.schedules.put({ id: "häufig", everyMs: 1000, overlap: "queue", missed: "all", request });
      const { history } = await vi.waitFor(
        async () => {
          const schedule = await service?.schedules.get("häufig");
          expect(schedule?.history.length).toBeGreaterThanOrEqual(3);
          return schedule ?? { history: [] };
        },
        { timeout: 60_000 },
      );
      await service?.schedules.pause("häufig");

      const begun = history.filter(({ status }) => status === "begun");
      expect(new Set(begun.map(({ at }) => at)).size).toBe(begun.length);
      expect(new Set(begun.map(({ runId }) => runId)).size).toBe(begun.length);
      await vi.waitFor(
        async () => {
          const { runs = [] } = (await service?.list("host", { limit: 100 })) ?? {};
          expect(runs.length).toBeGreaterThanOrEqual(begun.length);
          expect(runs.every(({ status }) => status === "completed")).toBe(true);
        },
        { timeout: 60_000 },
      );
    });
  });
}
