import { describe, expect, it, vi } from "vitest";
import { databases, freshQueue, job, openBullMqQueue, startChild, testEngine, told, Work } from "../test/servers.ts";

for (const { name, url, connection } of databases) {
  describe.skipIf(url === "")(`processes that share a queue on ${name}`, { timeout: 120_000 }, () => {
    it("perform each job once", async () => {
      const queue = freshQueue();
      const performed: string[] = [];
      const engines = [testEngine({ ...connection, queue }), testEngine({ ...connection, queue })];
      for (const engine of engines) {
        await engine.serve(async ({ runId }) => void performed.push(runId), { concurrency: 5 });
      }
      const ids = Array.from({ length: 100 }, (_, index) => `run-${index}`);
      await Promise.all(ids.map(async (id, index) => await engines[index % 2]?.submit(job(id))));
      await vi.waitFor(() => expect(performed.length).toBeGreaterThanOrEqual(100), { timeout: 60_000 });
      await Promise.all(engines.map(async (engine) => await engine.close()));

      expect(performed.toSorted()).toEqual(ids.toSorted());
    });

    it("take over the job of one that was killed", async () => {
      const queue = freshQueue();
      const child = await startChild(connection, queue);
      const engine = testEngine({ ...connection, queue });
      await engine.submit(job("a"));
      await told(child, "started", "a");
      const work = new Work();
      await engine.serve(work.perform, { concurrency: 1 });
      await child.kill();

      await vi.waitFor(() => expect(work.started).toEqual(["a"]), { timeout: 60_000 });
    });

    it("perform a recovered job before those that have waited for longer", async () => {
      const queue = freshQueue();
      const child = await startChild(connection, queue);
      const [engine, bull] = [testEngine({ ...connection, queue }), await openBullMqQueue({ ...connection, queue })];
      await engine.submit({ ...job("recovered"), priority: 50 });
      await told(child, "started", "recovered");
      const work = new Work();
      await engine.serve(work.perform, { concurrency: 1 });
      await child.freeze();
      await engine.submit(job("first"));
      await vi.waitFor(() => expect(work.started).toEqual(["first"]), { timeout: 60_000 });
      for (let index = 0; index < 20; index++) await engine.submit({ ...job(`backlog-${index}`), priority: 0 });
      await child.kill();
      const isMoved = async () => {
        const found = await bull.getJob("recovered_1");
        expect({ priority: found?.priority, state: await found?.getState() }).toMatchObject({ priority: 0 });
        expect(await found?.getState()).toBe("waiting");
      };
      await vi.waitFor(isMoved, { timeout: 60_000, interval: 50 });
      work.finish();

      await vi.waitFor(() => expect(work.started).toEqual(["first", "recovered"]), { timeout: 60_000 });
    });

    it("abort a job of one that stood still for longer than the lock, which another has taken", async () => {
      const queue = freshQueue();
      const child = await startChild(connection, queue);
      const engine = testEngine({ ...connection, queue });
      await engine.submit(job("a"));
      await told(child, "started", "a");
      const work = new Work();
      await engine.serve(work.perform, { concurrency: 1 });
      await child.freeze();
      await vi.waitFor(() => expect(work.started).toEqual(["a"]), { timeout: 60_000 });
      await child.thaw();
      await told(child, "aborted", "a");

      expect(work).toMatchObject({ started: ["a"], aborted: [] });
    });

    it("get the job of one that is drained at once, without waiting for its lock", async () => {
      // The lock lasts for longer than the test: a job that is not given back is not taken in time.
      const options = { ...connection, queue: freshQueue(), lockMs: 3_600_000 };
      const [leaving, staying] = [testEngine(options), testEngine(options)];
      const [left, stayed] = [new Work(), new Work()];
      const serving = await leaving.serve(left.perform, { concurrency: 1 });
      await leaving.submit(job("a"));
      await vi.waitFor(() => expect(left.started).toEqual(["a"]), { timeout: 60_000 });
      await staying.serve(stayed.perform, { concurrency: 1 });
      await serving.drain(0);

      await vi.waitFor(() => expect(stayed.started).toEqual(["a"]), { timeout: 60_000 });
      expect(left.aborted).toEqual(["a"]);
    });

    it("finish a job that is drained with no end of its grace period", async () => {
      const engine = testEngine(connection);
      const work = new Work();
      const serving = await engine.serve(work.perform, { concurrency: 1 });
      await engine.submit(job("a"));
      await vi.waitFor(() => expect(work.started).toEqual(["a"]), { timeout: 60_000 });
      const drained = serving.drain(Infinity);
      // Longer than a timer lasts that overflowed.
      for (let count = 0; count < 3; count++) await engine.waiting();
      work.finish();
      await drained;

      expect(work.aborted).toEqual([]);
      expect(await engine.waiting()).toBe(0);
    });

    it("leave a job where it is while its process is busy for a second", async () => {
      const queue = freshQueue();
      const child = await startChild(connection, queue);
      const engine = testEngine({ ...connection, queue });
      const work = new Work();
      await engine.submit(job("a"));
      await told(child, "started", "a");
      await engine.serve(work.perform, { concurrency: 1 });
      child.send({ blockMs: 1000 });
      await child.next((message): message is string => message === "unblocked");
      await engine.submit(job("b"));
      await Promise.race([
        told(child, "started", "b"),
        vi.waitFor(() => expect(work.started).toEqual(["b"]), { timeout: 60_000 }),
      ]);

      expect(work.started).not.toContain("a");
    });

    it("keep nothing of a run but its ids, its priority and times", async () => {
      const queue = freshQueue();
      const engine = testEngine({ ...connection, queue });
      await engine.submit({ ...job("a"), priority: 12 });
      const stored = await (await openBullMqQueue({ ...connection, queue })).getJob("a_1");

      expect(stored?.name).toBe("run");
      expect(stored?.data).toEqual({ runId: "a", activation: 1, priority: 12 });
      expect(Object.keys(stored?.opts ?? {}).toSorted()).toEqual(
        expect.not.arrayContaining(["input", "keys", "text", "options"]),
      );
    });
  });
}
