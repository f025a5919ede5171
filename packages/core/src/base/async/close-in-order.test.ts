import { describe, expect, it } from "vitest";
import { closeInOrder, closeTogether } from "./close-in-order.ts";

/** Things to end: one that fails, one that is slow, and a last one, with a note of each that is over. */
function parts() {
  const over: string[] = [];
  const slow = Promise.withResolvers<void>();
  return {
    over,
    release: () => slow.resolve(),
    failing: () => {
      over.push("failing");
      throw new Error("It cannot be closed.");
    },
    rejecting: async () => await Promise.reject(new Error("Nor can this.")),
    slow: async () => {
      await slow.promise;
      over.push("slow");
    },
    last: () => void over.push("last"),
  };
}

describe.each([
  ["closeInOrder", closeInOrder],
  ["closeTogether", closeTogether],
])("%s", (_, close) => {
  it("ends all things, also after one that fails, and rejects with the first failure when the slow one is over", async () => {
    const { over, failing, rejecting, slow, last, release } = parts();
    let failure: unknown;
    const closed = close(failing, rejecting, slow, last).catch((error: unknown) => (failure = error));
    await new Promise(setImmediate);
    expect(failure).toBeUndefined();
    release();
    await closed;

    expect(failure).toMatchObject({ message: "It cannot be closed." });
    expect(over.toSorted()).toEqual(["failing", "last", "slow"]);
  });

  it("rejects with what the only one that failed has thrown, whatever it is", async () => {
    const { last, rejecting } = parts();

    await expect(close(last, rejecting, last)).rejects.toThrow("Nor can this.");
    await expect(close(last, async () => await Promise.reject(undefined as unknown as Error))).rejects.toBeUndefined();
  });

  it("has nothing to say when all have ended, or when there is nothing to end", async () => {
    const { over, last } = parts();

    expect(await Promise.all([close(last, last), close()])).toEqual([undefined, undefined]);
    expect(over).toEqual(["last", "last"]);
  });
});

it("closeInOrder begins with a thing when the one before is over", async () => {
  const { over, slow, last, release } = parts();
  const closed = closeInOrder(slow, last);
  await new Promise(setImmediate);
  expect(over).toEqual([]);
  release();
  await closed;

  expect(over).toEqual(["slow", "last"]);
});
