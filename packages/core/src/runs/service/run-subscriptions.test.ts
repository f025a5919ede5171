import { describe, expect, it, vi } from "vitest";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { faultyStorage } from "../../testing/faulty-storage.ts";
import { askingRunnable } from "./test/asking-runnable.ts";
import { makeService, request, runRecordsIn, scriptedAgent, serveRuns, untilStatus } from "./test/services.ts";

const agents = () => ({ a: scriptedAgent([{ text: "Hm." }]) });
const sealKeys = ["a key to seal with, of 32 characters"];
const data = { url: "https://example.org/hook?key=s3cret", token: "t0ken" };
const fromStart = { id: "one", data, fromStart: true, most: 2 };

/** A storage in memory that counts as a lasting one. */
class LastingStorage {
  readonly #inner = new InMemoryStorage();
  readonly get = this.#inner.get.bind(this.#inner);
  readonly set = this.#inner.set.bind(this.#inner);
  readonly delete = this.#inner.delete.bind(this.#inner);
  readonly list = this.#inner.list.bind(this.#inner);
  readonly compareAndSet = this.#inner.compareAndSet.bind(this.#inner);
  readonly close = async () => {};
}

describe("subscriptions to a run", () => {
  it("are kept beside the run for its owner, and removed with it [durable.subscriptions]", async () => {
    const storage = new InMemoryStorage();
    const service = await serveRuns({ agents: agents(), storage });
    const { runId } = await service.accept({ ...request, owner: { userId: "ada" } });
    await service.subscriptions.put(runId, { userId: "ada" }, fromStart);
    await service.subscriptions.put(runId, { userId: "ada" }, { ...fromStart, id: "two" });

    const listed = await service.subscriptions.list(runId, { userId: "ada" });
    expect(listed.map(({ id }) => id)).toEqual(["one", "two"]);
    expect(listed[0]).toEqual({ runId, id: "one", data });
    await expect(service.subscriptions.list(runId, { userId: "eve" })).rejects.toMatchObject({ code: "not_found" });
    const third = service.subscriptions.put(runId, { userId: "ada" }, { ...fromStart, id: "three" });
    await expect(third).rejects.toMatchObject({ code: "conflict" });

    await service.subscriptions.delete(runId, { userId: "ada" }, "two");
    await service.subscriptions.delete(runId, { userId: "ada" }, "two");
    expect(await service.subscriptions.list(runId, "host")).toHaveLength(1);
    await untilStatus(service, runId, "completed");
    await service.delete(runId, "host");
    const left = (await storage.list("run-subscriptions")).map(({ key }) => key);
    expect(left.filter((key) => !key.startsWith("node/"))).toEqual([]);
    expect(await runRecordsIn(storage)).toEqual([]);
  });

  it("are sealed in a lasting storage, and not kept there without seal keys [durable.subscriptions-sealed]", async () => {
    const storage = new LastingStorage();
    const open = makeService({ agents: agents(), storage });
    expect(open.subscriptions.canKeep).toBe(false);
    const { runId } = await open.accept(request);
    await expect(open.subscriptions.put(runId, "host", fromStart)).rejects.toThrow("sealKeys");
    expect(await storage.list("run-subscriptions", "open/")).toEqual([]);

    const service = makeService({ agents: agents(), storage, sealKeys });
    expect(service.subscriptions.canKeep).toBe(true);
    await service.subscriptions.put(runId, "host", fromStart);
    const stored = JSON.stringify(await storage.list("run-subscriptions"));
    for (const secret of ["s3cret", "t0ken", "example.org"]) expect(stored).not.toContain(secret);
    expect(await service.subscriptions.list(runId, "host")).toEqual([{ runId, id: "one", data }]);
    const other = makeService({ agents: agents(), storage, sealKeys: ["another key to seal with, quite long"] });
    expect(await other.subscriptions.list(runId, "host")).toEqual([]);
  });

  it.each(["fail-before", "fail-after"] as const)(
    "are served once they are stored, whichever call of the storage fails: %s [durable.subscriptions]",
    async (fault) => {
      const outcomes = new Set<string>();
      for (let call = 1; call <= 9; call++) {
        let calls = -Infinity;
        const faulty = faultyStorage(new InMemoryStorage(), () => ((calls += 1) === call ? fault : undefined));
        const service = await serveRuns({ agents: { a: askingRunnable() }, storage: faulty });
        const { runId } = await service.accept(request);
        await untilStatus(service, runId, "waiting");
        calls = 0;
        const put = await Promise.allSettled([service.subscriptions.put(runId, "host", fromStart)]);
        calls = -Infinity;
        const taken = await Array.fromAsync(service.subscriptions.takeUp());
        const listed = await service.subscriptions.list(runId, "host");
        const served = [...put.flatMap((each) => (each.status === "fulfilled" ? (each.value ?? []) : [])), ...taken];

        expect(served.map(({ subscription }) => subscription)).toEqual(listed);
        outcomes.add(`${put[0].status} ${listed.length}`);
        expect(await Array.fromAsync(service.subscriptions.takeUp())).toEqual([]);
      }
      expect([...outcomes].toSorted()).toEqual(["fulfilled 1", "rejected 0", "rejected 1"]);
    },
  );

  it.each(["fail-before", "fail-after"] as const)(
    "are taken up by a second look where the first one could not store that: %s [durable.subscriptions]",
    async (fault) => {
      const storage = new InMemoryStorage();
      let isFailing = false;
      const faulty = faultyStorage(storage, ({ method, args }) =>
        isFailing && method === "compareAndSet" && args[0] === "run-subscriptions" ? fault : undefined,
      );
      const first = await serveRuns({ agents: { a: askingRunnable() }, storage });
      const { runId } = await first.accept(request);
      const put = await first.subscriptions.put(runId, "host", fromStart);
      await first.subscriptions.release();
      const other = makeService({ agents: {}, storage: faulty });
      isFailing = true;
      await expect(Array.fromAsync(other.subscriptions.takeUp())).rejects.toMatchObject({
        code: "storage_unavailable",
      });
      isFailing = false;

      const taken = await Array.fromAsync(other.subscriptions.takeUp());
      expect(taken.map((held) => held.subscription)).toEqual([put?.subscription]);
      expect(await Array.fromAsync(other.subscriptions.takeUp())).toEqual([]);
    },
  );

  it("stay with what serves them where they could not be replaced [durable.subscriptions]", async () => {
    let isFailing = false;
    const faulty = faultyStorage(new InMemoryStorage(), ({ method, args }) =>
      isFailing && method === "set" && args[0] === "run-subscriptions" ? "fail-before" : undefined,
    );
    const service = await serveRuns({ agents: { a: askingRunnable() }, storage: faulty });
    const { runId } = await service.accept(request);
    const held = await service.subscriptions.put(runId, "host", fromStart);
    isFailing = true;
    const replaced = service.subscriptions.put(runId, "host", { ...fromStart, data: { url: "https://e.org/é" } });
    await expect(replaced).rejects.toMatchObject({ code: "storage_unavailable" });
    isFailing = false;

    expect(await Array.fromAsync(service.subscriptions.takeUp())).toEqual([]);
    expect(await service.subscriptions.list(runId, "host")).toEqual([held?.subscription]);
    expect(await held?.advance({ sent: 1, attempt: 0 })).toBe(true);
  });

  it("are listed when they have ended, also where a process that lost them ends them later [durable.subscriptions]", async () => {
    const storage = new InMemoryStorage();
    const isOverStored = Promise.withResolvers<void>();
    const mayGoOn = Promise.withResolvers<void>();
    const first = await serveRuns({ agents: { a: askingRunnable() }, storage });
    const { runId } = await first.accept(request);
    const lost = await first.subscriptions.put(runId, "host", fromStart);
    await first.subscriptions.release();
    const other = makeService({ agents: {}, storage });
    const [held] = await Array.fromAsync(other.subscriptions.takeUp());
    const set = vi.spyOn(storage, "set").mockImplementationOnce(async (...args) => {
      set.mockRestore();
      await storage.set(...args);
      isOverStored.resolve();
      await mayGoOn.promise;
    });
    const late = lost?.end();
    await isOverStored.promise;
    await held?.end();
    mayGoOn.resolve();
    await late;

    expect(await other.subscriptions.list(runId, "host")).toEqual([lost?.subscription]);
  });

  it("are served once they are stored, also where the one before could not be removed [durable.subscriptions]", async () => {
    const storage = new InMemoryStorage();
    let isFailing = false;
    const faulty = faultyStorage(storage, ({ method, args }) =>
      isFailing && method === "delete" && args[0] === "run-subscriptions" ? "fail-before" : undefined,
    );
    const service = await serveRuns({ agents: { a: askingRunnable() }, storage: faulty });
    const { runId } = await service.accept(request);
    await (await service.subscriptions.put(runId, "host", fromStart))?.end();
    isFailing = true;
    const held = await service.subscriptions.put(runId, "host", { ...fromStart, data: { url: "https://e.org/é" } });

    expect(held?.subscription).toMatchObject({ id: "one", data: { url: "https://e.org/é" } });
    expect(await service.subscriptions.list(runId, "host")).toEqual([held?.subscription]);
    isFailing = false;
    await service.subscriptions.delete(runId, "host", "one");
    expect(await service.subscriptions.list(runId, "host")).toEqual([]);
  });

  it("are served by one process, and by another one once it is gone [durable.subscriptions-taken]", async () => {
    const storage = new InMemoryStorage();
    const first = await serveRuns({ agents: { a: askingRunnable() }, storage });
    const { runId } = await first.accept(request);
    const held = await first.subscriptions.put(runId, "host", fromStart);
    expect(await held?.advance({ after: "1.0", sent: 1, attempt: 1 })).toBe(true);
    expect(await Array.fromAsync(first.subscriptions.takeUp())).toEqual([]);

    const second = await serveRuns({ agents: { a: askingRunnable() }, storage });
    const [taken] = await Array.fromAsync(second.subscriptions.takeUp());
    expect(taken?.place).toMatchObject({ after: "1.0", sent: 1, attempt: 1 });
    expect(taken?.subscription).toEqual({ runId, id: "one", data });
    expect(await held?.advance({ sent: 2, attempt: 1 })).toBe(false);
    expect(await taken?.advance({ sent: 2, attempt: 1 })).toBe(true);

    // While it says that it lives, no other one serves it.
    expect(await Array.fromAsync(first.subscriptions.takeUp())).toEqual([]);
    await second.subscriptions.release();
    expect(await Array.fromAsync(first.subscriptions.takeUp())).toHaveLength(1);
  });

  it("begin with the run, or with what comes next [durable.subscriptions]", async () => {
    const service = await serveRuns({ agents: { a: askingRunnable() } });
    const { runId } = await service.accept(request);
    await untilStatus(service, runId, "waiting");
    const whole = await service.subscriptions.put(runId, "host", fromStart);
    expect(whole?.place.after).toBeUndefined();
    const rest = await service.subscriptions.put(runId, "host", { ...fromStart, id: "two", fromStart: false });
    const seen = service.events(runId, "host", rest?.place.after);
    await service.cancel(runId, "host");
    expect((await seen.next()).value?.type).toBe("attempt");
    await seen.return?.();
    await untilStatus(service, runId, "cancelled");
    expect(await service.subscriptions.put(runId, "host", { ...fromStart, fromStart: false })).toBeUndefined();
    expect(await service.subscriptions.list(runId, "host")).toHaveLength(2);
  });
});
