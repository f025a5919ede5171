import { beforeEach, describe, expect, it, vi } from "vitest";
import { reject, join, leaseMs, pass, startProcesses, useFakeTime } from "./test/processes.ts";
import type { Process } from "./test/processes.ts";

beforeEach(useFakeTime);

describe("SessionQueue over a storage that fails", () => {
  it("refuses a run that has just joined with the storage's error", async () => {
    const { processes, storage } = startProcesses(1);
    const [one] = processes as [Process];
    await storage.close();

    await expect(join(one).granted).rejects.toMatchObject({ code: "storage_unavailable" });
    await pass();
    expect(one.queues.busyKeys).toBe(0);
  });

  it("refuses waiting runs when the storage does not recover, and leaves no rejection unhandled", async () => {
    const { processes, storage } = startProcesses(2);
    const [one, other] = processes as [Process, Process];
    const first = join(one);
    await first.granted;
    const second = join(other);
    await pass();
    first.leave();
    await storage.close();
    await pass();

    await expect(second.granted).rejects.toMatchObject({ code: "storage_unavailable" });
    expect(processes.map(({ queues }) => queues.busyKeys)).toEqual([0, 0]);
  });

  it("keeps waiting runs over failures that do not follow each other, however many there are", async () => {
    const { processes } = startProcesses(2);
    const [one, other] = processes as [Process, Process];
    const first = join(one, { onBusy: "enqueue", maxWaiting: 10, waitMs: 100 * leaseMs });
    await first.granted;
    const second = join(other, { onBusy: "enqueue", maxWaiting: 10, waitMs: 100 * leaseMs });
    await pass();
    for (let failures = 0; failures < 7; failures++) {
      const reads = vi.spyOn(other.storage, "get").mockRejectedValueOnce(new Error("down"));
      await pass(2000);
      expect(reads.mock.calls.length).toBeGreaterThan(2);
      reads.mockRestore();
    }
    first.leave();
    await pass();

    await expect(second.granted).resolves.toBeDefined();
    second.leave();
    await pass();
  });

  it("gives a lease back even if the storage fails once", async () => {
    const { processes, storage, readQueue } = startProcesses(1);
    const [one] = processes as [Process];
    const position = join(one);
    await position.granted;
    await pass();
    vi.spyOn(storage, "compareAndSet").mockRejectedValueOnce(new Error("down"));
    position.leave();
    await pass();

    expect((await readQueue())?.positions).toEqual([]);
  });

  it("pauses between compare-and-sets that it loses again and again", async () => {
    const { processes, storage } = startProcesses(1);
    const [one] = processes as [Process];
    const slower = vi.spyOn(storage, "compareAndSet").mockResolvedValue(false);
    const position = join(one);
    await pass();

    expect(slower.mock.calls.length).toBeLessThan(300);
    slower.mockRestore();
    await pass();
    await position.granted;
    position.leave();
    await pass();
  });

  it("pauses between heartbeats that fail, and still gives the lease back", async () => {
    const { processes, storage } = startProcesses(1);
    const [one] = processes as [Process];
    const position = join(one);
    await position.granted;
    const failing = vi.spyOn(storage, "compareAndSet").mockRejectedValue(new Error("down"));
    await pass(2 * leaseMs);
    expect(failing.mock.calls.length).toBeLessThan(60);
    failing.mockRestore();
    position.leave();
    await pass();

    expect(await join(one, reject).granted.then(() => "free")).toBe("free");
    one.storage.stop();
    vi.clearAllTimers();
  });

  it("lets no process expire whose heartbeats it could not read", async () => {
    const { processes, storage } = startProcesses(2);
    const [one, other] = processes as [Process, Process];
    const position = join(one);
    await position.granted;
    await expect(join(other, reject).granted).rejects.toMatchObject({ code: "conflict" });
    const failing = [vi.spyOn(storage, "get"), vi.spyOn(storage, "compareAndSet")];
    for (const method of failing) method.mockRejectedValue(new Error("down"));
    await pass(2 * leaseMs);
    await expect(join(other, reject).granted).rejects.toThrow("down");
    await pass(100);
    for (const method of failing) method.mockRestore();

    await expect(join(other, reject).granted).rejects.toMatchObject({ code: "conflict" });
    position.leave();
    await pass();
  });

  it("serves the next run of this process when one call never ends", async () => {
    const { processes, storage } = startProcesses(1);
    const [one] = processes as [Process];
    const hanging = vi.spyOn(storage, "get").mockReturnValueOnce(new Promise(() => {}));
    const first = join(one).granted.catch((error: unknown) => error);
    const second = join(one);
    await pass(leaseMs + 100);

    expect(await first).toMatchObject({ code: "storage_unavailable" });
    expect(hanging).toHaveBeenCalled();
    await second.granted;
    second.leave();
    await pass();
  });

  it("names the key of a damaged stored queue, and asks for an update when a newer release wrote it", async () => {
    const { processes, storage } = startProcesses(1);
    const [one] = processes as [Process];
    await storage.set("locks", "-/-/s", { v: 1, token: "x" });
    await expect(join(one).granted).rejects.toMatchObject({ code: "storage_corrupt", fields: { key: "-/-/s" } });
    await pass();
    await storage.set("locks", "-/-/s", { v: 2 });
    await expect(join(one).granted).rejects.toMatchObject({ message: expect.stringContaining("update") });
    await pass();
  });
});
