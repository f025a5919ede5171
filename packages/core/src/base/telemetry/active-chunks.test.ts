import { AsyncLocalStorage } from "node:async_hooks";
import { describe, expect, it } from "vitest";
import { activeChunks } from "./active-chunks.ts";
import type { OngoingOperation } from "./telemetry.ts";
import type { Operations } from "./operations.ts";

const active = new AsyncLocalStorage<string>();

/** Chunks within an operation whose context is the text `span`, what their producer has seen, and how they ended. */
function chunksOf(produce: (see: () => void) => AsyncGenerator<number, string>) {
  const seen: (string | undefined)[] = [];
  const ends: unknown[] = [];
  const operation = {
    run: <Result>(work: () => Result): Result => active.run("span", work),
    note: () => undefined,
    context: () => undefined,
    end: () => undefined,
  } satisfies OngoingOperation<keyof Operations>;
  const chunks = activeChunks(
    operation,
    produce(() => void seen.push(active.getStore())),
    {
      onDone: (result) => void ends.push(["done", result]),
      onFailed: (error) => void ends.push(["failed", error]),
      onLeft: () => void ends.push("left"),
    },
  );
  return { chunks, seen, ends };
}

async function* two(see: () => void): AsyncGenerator<number, string> {
  try {
    see();
    await Promise.resolve();
    see();
    yield 1;
    see();
    yield 2;
    see();
    return "é";
  } finally {
    see();
  }
}

const failure = new Error("No.");

describe("chunks within an operation", () => {
  it("are produced in its context, and read in that of their reader", async () => {
    const { chunks, seen, ends } = chunksOf(two);
    const read = await active.run("reader", async () => {
      const stores: (string | undefined)[] = [];
      for await (const chunk of chunks) stores.push(`${chunk} ${active.getStore() ?? ""}`);
      return stores;
    });

    expect(read).toEqual(["1 reader", "2 reader"]);
    expect(seen).toEqual(Array(5).fill("span"));
    expect(ends).toEqual([["done", "é"]]);
  });

  it("return the result, and end once, however often they are read afterwards", async () => {
    const { chunks, ends } = chunksOf(two);
    const steps = [];
    for (let count = 0; count < 5; count++) steps.push(await chunks.next());
    await chunks.return("later");

    expect(steps.map(({ done, value }) => [done, value])).toEqual([
      [false, 1],
      [false, 2],
      [true, "é"],
      [true, undefined],
      [true, undefined],
    ]);
    expect(ends).toEqual([["done", "é"]]);
  });

  it.each([0, 1, 2])(
    "end when their reader leaves after %i chunks, with the producer's last work in the context",
    async (count) => {
      const { chunks, seen, ends } = chunksOf(two);
      for (let read = 0; read < count; read++) await chunks.next();
      expect(await chunks.return("left")).toEqual({ done: true, value: "left" });

      expect(ends).toEqual(["left"]);
      // A generator that has not begun does nothing at its end.
      expect(seen.at(-1)).toBe(count === 0 ? undefined : "span");
    },
  );

  it("end when the block that declared them with `using` is left", async () => {
    const { chunks, ends } = chunksOf(two);
    {
      await using read = chunks;
      await read.next();
    }

    expect(ends).toEqual(["left"]);
  });

  it("end even if their producer fails while it is left, which the reader learns", async () => {
    const { chunks, ends } = chunksOf(async function* stubborn() {
      try {
        yield 1;
        return "never";
      } finally {
        // eslint-disable-next-line no-unsafe-finally -- a producer whose cleanup fails
        throw failure;
      }
    });
    await chunks.next();

    await expect(chunks.return("left")).rejects.toBe(failure);
    expect(ends).toEqual(["left"]);
  });

  it("fail with the error of their producer", async () => {
    const { chunks, ends } = chunksOf(async function* failing(see) {
      yield 1;
      see();
      throw failure;
    });
    await chunks.next();

    await expect(chunks.next()).rejects.toBe(failure);
    expect(await chunks.next()).toEqual({ done: true, value: undefined });
    expect(ends).toEqual([["failed", failure]]);
  });

  it.each([true, false])("pass an error of their reader on to the producer, which handles it: %s", async (handles) => {
    const caught: unknown[] = [];
    const { chunks, ends } = chunksOf(async function* catching() {
      try {
        yield 1;
      } catch (error) {
        caught.push(error, active.getStore());
        if (!handles) throw error;
      }
      yield 2;
      return "done";
    });
    await chunks.next();
    const thrown = await chunks.throw(failure).catch((error: unknown) => error);

    expect(thrown).toEqual(handles ? { done: false, value: 2 } : failure);
    expect(caught).toEqual([failure, "span"]);
    expect(ends).toEqual(handles ? [] : [["failed", failure]]);
  });

  it("are their own iterator", () => {
    const { chunks } = chunksOf(two);

    expect(chunks[Symbol.asyncIterator]()).toBe(chunks);
  });
});
