import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { AppendQueue } from "./append-queue.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("AppendQueue", () => {
  it("runs work under one name in order, also after work that failed", async () => {
    const queue = new AppendQueue(1000);
    const done: number[] = [];
    const first = Promise.withResolvers<void>();
    const failed = queue.run("a", async () => {
      await first.promise;
      done.push(1);
      throw new Error("failed");
    });
    const second = queue.run("a", async () => done.push(2));
    const third = queue.run("a", async () => done.push(3));
    first.resolve();

    await expect(failed).rejects.toThrow("failed");
    await Promise.all([second, third]);
    expect(done).toEqual([1, 2, 3]);
  });

  it("lets work that comes later wait for all that is under way, whatever has ended before", async () => {
    const queue = new AppendQueue(1000);
    const works = ["first", "second", "third", "fourth"].map((name) => ({ name, end: Promise.withResolvers<void>() }));
    const begun: string[] = [];
    const run = ({ name, end }: (typeof works)[number]) =>
      queue.run("a", async () => {
        begun.push(name);
        await end.promise;
      });
    const ended = works.slice(0, 2).map(run);
    for (const [index, { end }] of works.entries()) {
      await vi.advanceTimersByTimeAsync(0);
      expect(begun).toEqual(works.slice(0, index + 1).map(({ name }) => name));
      end.resolve();
      await ended[index];
      ended.push(...works.slice(index + 2, index + 3).map(run));
    }
    await Promise.all(ended);
  });

  it("forgets a name once its work has ended, failed or waited too long", async () => {
    const queue = new AppendQueue(1000);
    const first = Promise.withResolvers<void>();
    const works = [
      queue.run("a", async () => await first.promise),
      queue.run("a", async () => "late"),
      queue.run("b", async () => await Promise.reject(new Error("failed"))),
    ];
    const settled = Promise.allSettled(works);
    await vi.advanceTimersByTimeAsync(1000);
    expect(queue.busyNames).toBe(1);
    first.resolve();
    await settled;
    await vi.advanceTimersByTimeAsync(0);
    expect(queue.busyNames).toBe(0);
  });

  it("does not make work under another name wait", async () => {
    const queue = new AppendQueue(1000);
    void queue.run("a", async () => await new Promise<never>(() => {}));

    expect(await queue.run("b", async () => "done")).toBe("done");
  });

  it("fails work that waits too long, and still runs later work only after the one that hangs", async () => {
    const queue = new AppendQueue(1000);
    const first = Promise.withResolvers<void>();
    const hanging = queue.run("a", async () => await first.promise);
    const late = queue.run("a", async () => "late").catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(1000);
    expect(await late).toMatchObject({ code: "storage_unavailable" });
    const done: string[] = [];
    const next = queue.run("a", async () => done.push("next"));
    await vi.advanceTimersByTimeAsync(500);
    expect(done).toEqual([]);
    first.resolve();

    await Promise.all([hanging, next]);
    expect(done).toEqual(["next"]);
  });
});
