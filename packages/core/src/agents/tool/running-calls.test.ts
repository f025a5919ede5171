import { describe, expect, it, vi } from "vitest";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { CallSlots, RunningCalls } from "./running-calls.ts";

const settle = () => new Promise((resolve) => setImmediate(resolve));

/** Takes a slot for a call by name, which notes when it has it. */
function taker(slots: CallSlots): { got: string[]; take: (name: string) => void } {
  const got: string[] = [];
  const take = (name: string) => {
    const waiting = slots.take();
    if (waiting === undefined) got.push(name);
    else void waiting.then(() => got.push(name));
  };
  return { got, take };
}

/** Counts the slots that are free, and gives them back. */
async function countFree(slots: CallSlots): Promise<number> {
  let free = 0;
  for (; free < 10 && slots.take() === undefined; free++);
  // The one that did not get a slot takes one of them.
  for (let given = 0; given <= free; given++) slots.give();
  await settle();
  return free;
}

describe("CallSlots", () => {
  it.each([1, 2, 5])("lets %d calls work at once, and the others in the order in which they ask", async (count) => {
    const slots = new CallSlots(count, () => false);
    const { got, take } = taker(slots);
    const names = Array.from({ length: count + 3 }, (_, index) => `call ${index}`);
    for (const name of names) take(name);
    await settle();
    expect(got).toEqual(names.slice(0, count));

    for (let given = 1; given <= 3; given++) {
      slots.give();
      await settle();
      expect(got).toEqual(names.slice(0, count + given));
    }
    for (let given = 0; given < count; given++) slots.give();
    expect(await countFree(slots)).toBe(count);
  });

  it("has no bound when the number of slots has none", async () => {
    const slots = new CallSlots(Infinity, () => false);
    for (let call = 0; call < 1000; call++) expect(slots.take()).toBe(undefined);
    slots.give();
    expect(slots.take()).toBe(undefined);
  });

  it("gives the slot of a call that waits to the next one, and has it wait behind those that asked before", async () => {
    const slots = new CallSlots(1, () => false);
    const { got, take } = taker(slots);
    const person = Promise.withResolvers<string>();
    take("asks");
    take("second");
    const asked = slots.leaveFor(() => person.promise).then((answer) => got.push(answer));
    take("third");
    await settle();
    expect(got).toEqual(["asks", "second"]);

    person.resolve("answered");
    await settle();
    expect(got).toEqual(["asks", "second"]);
    slots.give();
    await settle();
    expect(got).toEqual(["asks", "second", "third"]);
    slots.give();
    await asked;
    expect(got).toEqual(["asks", "second", "third", "answered"]);

    slots.give();
    expect(await countFree(slots)).toBe(1);
  });

  it.each<[string, () => Promise<unknown>]>([
    ["resolves", async () => "yes"],
    ["rejects", () => Promise.reject(new Error("of the wait"))],
    [
      "throws at once",
      () => {
        throw new Error("of the wait");
      },
    ],
  ])("has as many slots as before after a wait that %s", async (_how, wait) => {
    const slots = new CallSlots(2, () => false);
    for (let round = 0; round < 3; round++) {
      expect(slots.take()).toBe(undefined);
      await Promise.allSettled([slots.leaveFor(wait)]);
      // The call goes on with its slot, and gives it back at its end.
      expect(slots.take()).toBe(undefined);
      slots.give();
      slots.give();
      expect(await countFree(slots)).toBe(2);
    }
  });

  it("does not have a call wait for a slot once the batch is over", async () => {
    let isOver = false;
    const slots = new CallSlots(1, () => isOver);
    const person = Promise.withResolvers<string>();
    void slots.take();
    const asked = slots.leaveFor(() => person.promise);
    expect(slots.take()).toBe(undefined);
    isOver = true;
    person.resolve("late");

    expect(await asked).toBe("late");
  });
});

describe("RunningCalls", () => {
  const over = () => new TroupeError("cancelled", "The run was cancelled.");

  it("leaves each call that is not done when the batch ends, with an error of its own, and none that is done", async () => {
    const calls = new RunningCalls();
    const reason = vi.fn<() => TroupeError>(over);
    const leaves = [1, 2, 3].map(() => vi.fn<(error: TroupeError) => void>());
    const [done, failed, open, late] = [1, 2, 3, 4].map(() => Promise.withResolvers<number>());
    const works = [done, failed, open].map(async (work, index) => {
      return await calls.during(work?.promise ?? Promise.resolve(0), leaves[index] ?? over);
    });
    done?.resolve(1);
    failed?.reject(new Error("of the work"));
    expect(await works[0]).toBe(1);
    await expect(works[1]).rejects.toThrow("of the work");
    expect(calls.isOver).toBe(false);

    calls.end(reason);
    calls.end(() => expect.unreachable("The first reason counts."));
    expect(calls.isOver).toBe(true);
    expect(leaves.map(({ mock }) => mock.calls.length)).toEqual([0, 0, 1]);
    expect(reason).toHaveBeenCalledTimes(1);

    const leaveLate = vi.fn<(error: TroupeError) => void>();
    const lateWork = calls.during(late?.promise ?? Promise.resolve(0), leaveLate);
    expect(leaveLate).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ code: "cancelled" }));
    late?.resolve(4);
    open?.resolve(3);
    expect(await Promise.all([works[2], lateWork])).toEqual([3, 4]);
    expect(leaves[2]).toHaveBeenCalledTimes(1);
  });

  it("makes no error when there is no call to leave", () => {
    const calls = new RunningCalls();
    calls.end(() => expect.unreachable("Errors are expensive."));
    expect(calls.isOver).toBe(true);
  });
});
