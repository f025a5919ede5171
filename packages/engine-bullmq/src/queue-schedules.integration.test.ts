import { describe, expect, it, vi } from "vitest";
import { databases, freshQueue, openBullMqQueue, testEngine } from "../test/servers.ts";
import { scheduleQueueOf } from "./open-queue.ts";

for (const { name, url, connection } of databases) {
  describe.skipIf(url === "")(`schedules of BullMqEngine on ${name}`, { timeout: 120_000 }, () => {
    it("are told at each of their times, to one of two processes", async () => {
      const queue = freshQueue();
      const told: string[] = [];
      for (const engine of [testEngine({ ...connection, queue }), testEngine({ ...connection, queue })]) {
        const onSchedule = async (id: string, at: number) => void told.push(`${id} ${at % 1000}`);
        await engine.serve(async () => {}, { concurrency: 1, onSchedule });
      }
      const engine = testEngine({ ...connection, queue });
      await engine.schedules.put({ id: "a:b c", cron: "* * * * * *", timeZone: "UTC" });

      await vi.waitFor(() => expect(told.length).toBeGreaterThanOrEqual(2), { timeout: 60_000 });
      await engine.schedules.remove("a:b c");
      expect(new Set(told)).toEqual(new Set(["a:b c 0"]));
      expect(await engine.waiting()).toBe(0);
    });

    it("are listed, replaced and removed", async () => {
      const engine = testEngine(connection);
      const daily = { id: "daily", cron: "0 8 * * *", timeZone: "Europe/Oslo" };
      await engine.schedules.put({ id: "daily", cron: "0 7 * * *", timeZone: "UTC" });
      await engine.schedules.put(daily);
      await engine.schedules.put({ id: "often", everyMs: 3_600_000 });
      const listed = await engine.schedules.list();

      expect(listed.toSorted((one, other) => one.id.localeCompare(other.id))).toEqual([
        daily,
        { id: "often", everyMs: 3_600_000 },
      ]);
      await engine.schedules.remove("daily");
      await engine.schedules.remove("absent");
      expect(await engine.schedules.list()).toHaveLength(1);
    });

    it.each([
      ["Asia/Kolkata", "02:30"],
      ["UTC", "08:00"],
      ["Pacific/Apia", "19:00"],
    ])("fall due by the clock of their own time zone, %s, and not of the host's", async (timeZone, time) => {
      const queue = freshQueue();
      await testEngine({ ...connection, queue }).schedules.put({ id: "daily", cron: "0 8 * * *", timeZone });
      const kept = await openBullMqQueue({ ...connection, queue: scheduleQueueOf(queue) });
      const [scheduler] = await kept.getJobSchedulers();

      expect(new Date(scheduler?.next ?? 0).toISOString()).toContain(`T${time}:00.000Z`);
    });

    it("refuse a cron expression that has no times", async () => {
      const { schedules } = testEngine(connection);
      const put = schedules.put({ id: "never", cron: "0 0 31 2,4 *", timeZone: "UTC" });

      await expect(put).rejects.toMatchObject({
        code: "invalid_request",
        message: expect.stringContaining("has no times"),
      });
      expect(await schedules.list()).toEqual([]);
    });

    it("refuse a cron expression that cannot be read", async () => {
      const put = testEngine(connection).schedules.put({ id: "daily", cron: "every day", timeZone: "UTC" });

      await expect(put).rejects.toMatchObject({ code: "invalid_request" });
    });
  });
}
