import { beforeEach, describe, expect, it, vi } from "vitest";
import { hasty, join, leaseMs, pass, startProcesses, useFakeTime } from "./test/processes.ts";
import type { Process } from "./test/processes.ts";

beforeEach(useFakeTime);

describe("a storage that fails", () => {
  it("is heard of by whoever has just come", async () => {
    const { processes, storage } = startProcesses(1);
    const [one] = processes as [Process];
    await storage.close();

    await expect(join(one).granted).rejects.toMatchObject({ code: "storage_unavailable" });
    await pass();
    expect(one.lines.busySessions).toBe(0);
  });

  it("is heard of by those who wait when it does not recover, and rejects nothing unheard", async () => {
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
    expect(processes.map(({ lines }) => lines.busySessions)).toEqual([0, 0]);
  });

  it("does not keep a turn from being given back when it fails but once", async () => {
    const { processes, storage, readLine } = startProcesses(1);
    const [one] = processes as [Process];
    const place = join(one);
    await place.granted;
    await pass();
    vi.spyOn(storage, "compareAndSet").mockRejectedValueOnce(new Error("down"));
    place.leave();
    await pass();

    expect((await readLine())?.line).toEqual([]);
  });

  it("is not overwhelmed by a process that somebody is always faster than", async () => {
    const { processes, storage } = startProcesses(1);
    const [one] = processes as [Process];
    const slower = vi.spyOn(storage, "compareAndSet").mockResolvedValue(false);
    const place = join(one);
    await pass();

    expect(slower.mock.calls.length).toBeLessThan(300);
    slower.mockRestore();
    await pass();
    await place.granted;
    place.leave();
    await pass();
  });

  it("is left alone by whoever has the session, and is told of the end all the same", async () => {
    const { processes, storage } = startProcesses(1);
    const [one] = processes as [Process];
    const place = join(one);
    await place.granted;
    const failing = vi.spyOn(storage, "compareAndSet").mockRejectedValue(new Error("down"));
    await pass(2 * leaseMs);
    expect(failing.mock.calls.length).toBeLessThan(60);
    failing.mockRestore();
    place.leave();
    await pass();

    expect(await join(one, hasty).granted.then(() => "free")).toBe("free");
    one.storage.stop();
    vi.clearAllTimers();
  });

  it("makes nobody dead who cannot be heard because of it", async () => {
    const { processes, storage } = startProcesses(2);
    const [one, other] = processes as [Process, Process];
    const place = join(one);
    await place.granted;
    await expect(join(other, hasty).granted).rejects.toMatchObject({ code: "conflict" });
    const failing = [vi.spyOn(storage, "get"), vi.spyOn(storage, "compareAndSet")];
    for (const method of failing) method.mockRejectedValue(new Error("down"));
    await pass(2 * leaseMs);
    await expect(join(other, hasty).granted).rejects.toThrow("down");
    await pass(100);
    for (const method of failing) method.mockRestore();

    await expect(join(other, hasty).granted).rejects.toMatchObject({ code: "conflict" });
    place.leave();
    await pass();
  });

  it("does not close the session to this process when one call never ends", async () => {
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

  it("says of a damaged line where it stands, and of a newer release's what to do", async () => {
    const { processes, storage } = startProcesses(1);
    const [one] = processes as [Process];
    await storage.set("locks", "-/s", { v: 1, token: "x" });
    await expect(join(one).granted).rejects.toMatchObject({ code: "storage_corrupt", fields: { key: "-/s" } });
    await pass();
    await storage.set("locks", "-/s", { v: 2 });
    await expect(join(one).granted).rejects.toMatchObject({ message: expect.stringContaining("update") });
    await pass();
  });
});
