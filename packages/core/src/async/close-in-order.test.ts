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
