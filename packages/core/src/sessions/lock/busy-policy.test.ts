import { describe, expect, it } from "vitest";
import { busyRefusal, busyTooLong, checkBusyPolicy, onBusyOption } from "./busy-policy.ts";
import type { JoinOptions } from "./busy-policy.ts";

const enqueue: JoinOptions = { onBusy: "enqueue", maxWaiting: 2, waitMs: 1 };

describe("a run that joins the queue of a session", () => {
  it.each([0, 1, 2])("may join behind %i others, of which one holds the lease and two may wait", (length) => {
    expect(busyRefusal(length, enqueue)).toBeNull();
  });

  it("may not join behind more", () => {
    expect(busyRefusal(3, enqueue)).toMatchObject({
      code: "conflict",
      message: expect.stringContaining("2 runs wait"),
    });
  });

  it.each([0, 1])("may not wait at all where none may: %i before it", (length) => {
    expect(busyRefusal(length, { ...enqueue, maxWaiting: 0 }) === null).toBe(length === 0);
    expect(busyRefusal(length, { ...enqueue, onBusy: "reject" }) === null).toBe(length === 0);
  });

  it("a run that joins the queue of a session that was aborted joins no queue, not even an empty one", () => {
    const signal = AbortSignal.abort("gone");
    for (const length of [0, 1, 3])
      expect(busyRefusal(length, { ...enqueue, signal })).toMatchObject({ code: "cancelled" });
    expect(busyRefusal(0, { ...enqueue, signal: new AbortController().signal })).toBeNull();
  });

  it("is told for how long it has waited", () => {
    expect(busyTooLong(7)).toMatchObject({ code: "conflict", message: expect.stringContaining("7 ms") });
  });
});

describe("onBusy", () => {
  const where = { path: "agent" };

  it("is a word, or a policy with the defaults of what it leaves out", () => {
    expect(onBusyOption("reject", "onBusy", where)).toBe("reject");
    expect(onBusyOption("enqueue", "onBusy", where)).toBe("enqueue");
    const defaults = { onBusy: "enqueue", maxWaiting: 10, waitMs: 60_000 };
    expect(onBusyOption({}, "onBusy", where)).toEqual(defaults);
    expect(checkBusyPolicy({ maxWaiting: 0, waitMs: 0 }, where)).toEqual({ ...defaults, maxWaiting: 0, waitMs: 0 });
  });

  it.each([["wait"], [null], [true], [{ maxWaiting: -1 }], [{ waitMs: "1" }], [{ onBusy: "wait" }], [{ other: 1 }]])(
    "may not be %j",
    (value) => {
      expect(() => onBusyOption(value, "onBusy", where)).toThrow(
        expect.objectContaining({ code: "invalid_config", message: expect.stringContaining("onBusy") }),
      );
    },
  );
});
