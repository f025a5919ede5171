import { setImmediate as nextTick } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { AsyncQueue } from "./async-queue.ts";

type Item = { n: number };

describe("AsyncQueue", () => {
  it("hands items out in the order they were pushed, and waits for more", async () => {
    const queue = new AsyncQueue<Item>();
    void queue.push({ n: 1 });
    void queue.push({ n: 2 });

    expect([await queue.next(), await queue.next()]).toEqual([{ n: 1 }, { n: 2 }]);
    const third = queue.next();
    void queue.push({ n: 3 });
    expect(await third).toEqual({ n: 3 });
  });

  it("lets a producer go on when its item was taken", async () => {
    const queue = new AsyncQueue<Item>();
    const taken: number[] = [];
    for (const n of [1, 2]) void queue.push({ n }).then(() => taken.push(n));
    await nextTick();
    expect(taken).toEqual([]);

    expect(await queue.next()).toEqual({ n: 1 });
    await nextTick();
    expect(taken).toEqual([1]);
    expect(await queue.next()).toEqual({ n: 2 });
  });

  it("serves waiting consumers first come, first served", async () => {
    const queue = new AsyncQueue<Item>();
    const consumers = [queue.next(), queue.next()];
    await Promise.all([queue.push({ n: 1 }), queue.push({ n: 2 })]);

    expect(await Promise.all(consumers)).toEqual([{ n: 1 }, { n: 2 }]);
  });

  it("releases producers when it is closed, and still hands out what was pushed before", async () => {
    const queue = new AsyncQueue<Item>();
    const pushed = queue.push({ n: 1 });
    queue.close();
    await pushed;
    await queue.push({ n: 2 });

    expect([await queue.next(), await queue.next()]).toEqual([{ n: 1 }, undefined]);
  });

  it("wakes a waiting consumer with undefined when it is closed", async () => {
    const queue = new AsyncQueue<Item>();
    const waiting = queue.next();
    queue.close();

    expect(await waiting).toBeUndefined();
  });

  it("hands out what was pushed before an error, then the first error for good", async () => {
    const queue = new AsyncQueue<Item>();
    void queue.push({ n: 1 });
    queue.close(new Error("first"));
    queue.close(new Error("second"));

    expect(await queue.next()).toEqual({ n: 1 });
    await expect(queue.next()).rejects.toThrow("first");
    await expect(queue.next()).rejects.toThrow("first");
  });

  it("wakes a waiting consumer with the error it is closed with", async () => {
    const queue = new AsyncQueue<Item>();
    const waiting = queue.next();
    queue.close(new Error("over"));

    await expect(waiting).rejects.toThrow("over");
  });
});
