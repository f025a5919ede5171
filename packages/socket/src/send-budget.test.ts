import { countedCaller, ownerKey } from "@troupe/core/transport";
import type { CallerKey } from "@troupe/core/transport";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { SendBudget } from "./send-budget.ts";

const [nobody, ada] = [countedCaller({}).key, ownerKey({ userId: "ada" })];

/** A connection that holds bytes, and knows when it was dropped. */
class Holder {
  readonly caller: CallerKey;
  readonly #budget: SendBudget;
  heldBytes = 0;
  lastDrain = 0;
  leftBytes = 0;
  isDropped = false;

  constructor(budget: SendBudget, caller: CallerKey) {
    this.#budget = budget;
    this.caller = caller;
    this.lastDrain = budget.nextDrain();
  }

  hold(bytes: number): this {
    this.heldBytes += bytes;
    this.#budget.change(this, bytes);
    return this;
  }

  drop(): void {
    this.isDropped = true;
    this.hold(-this.heldBytes);
  }
}

function droppedOf(holders: readonly Holder[]): number[] {
  return holders.flatMap(({ isDropped }, index) => (isDropped ? [index] : []));
}

describe("SendBudget", () => {
  it("drops nothing at its limit, and one connection at the next byte [socket.stopped-reader]", () => {
    const budget = new SendBudget(100);
    const holders = [new Holder(budget, nobody).hold(60), new Holder(budget, nobody).hold(40)];
    expect(droppedOf(holders)).toEqual([]);
    holders[1]?.hold(1);

    expect(droppedOf(holders)).toEqual([0]);
    expect(budget.heldBytes).toBe(41);
  });

  it("drops the connection that has drained the longest time ago [socket.stopped-reader]", () => {
    const budget = new SendBudget(100);
    const holders = Array.from({ length: 3 }, () => new Holder(budget, nobody).hold(30));
    const [first] = holders;
    if (first !== undefined) first.lastDrain = budget.nextDrain();
    holders[2]?.hold(20);

    expect(droppedOf(holders)).toEqual([1]);
  });

  it("drops connections of the caller who holds the most, and of no other [socket.stopped-reader]", () => {
    const budget = new SendBudget(1000);
    const adas = new Holder(budget, ada).hold(200);
    const strangers = Array.from({ length: 50 }, () => new Holder(budget, nobody).hold(100));

    expect(adas.isDropped).toBe(false);
    expect(droppedOf(strangers)).toHaveLength(42);
    expect(budget.heldBytes).toBe(1000);
  });

  it("drops as many as it takes for one large event, its own connection too [socket.stopped-reader]", () => {
    const budget = new SendBudget(100);
    const holders = [new Holder(budget, nobody).hold(50), new Holder(budget, nobody).hold(50)];
    const large = new Holder(budget, nobody).hold(101);

    expect([...droppedOf(holders), large.isDropped]).toEqual([0, 1, true]);
    expect(budget.heldBytes).toBe(0);
  });

  it("lets runs wait for a turn of the event loop after each 4 MB, however many wait [socket.stopped-reader]", async () => {
    const budget = new SendBudget(100);
    budget.countSent(4_194_303);
    expect(budget.hasRoom(nobody)).toBe(true);
    budget.countSent(1);
    expect(budget.hasRoom(nobody)).toBe(false);

    let isTurned = false;
    setImmediate(() => (isTurned = true));
    await Promise.all([budget.untilRoom(nobody), budget.untilRoom(nobody)]);

    expect(budget.hasRoom(nobody)).toBe(true);
    expect(isTurned).toBe(true);
    budget.countSent(4_194_304);
    expect(budget.hasRoom(nobody)).toBe(false);
  });

  it("lets runs of a caller who holds a share wait beyond half of its limit, until a client reads [socket.stopped-reader]", async () => {
    const budget = new SendBudget(100);
    const holder = new Holder(budget, nobody).hold(50);
    expect(budget.hasRoom(nobody)).toBe(true);
    holder.hold(1);
    expect([budget.hasRoom(nobody), budget.hasRoom(ada)]).toEqual([false, true]);

    let isFree = false;
    const waiting = budget.untilRoom(nobody).then(() => (isFree = true));
    await new Promise(setImmediate);
    expect(isFree).toBe(false);
    holder.hold(-1);
    await waiting;

    expect(budget.hasRoom(nobody)).toBe(true);
  });
});

describe("SendBudget beyond half of its limit", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] }));
  afterEach(() => void vi.useRealTimers());

  it("drops clients that have stopped reading, and none that reads [socket.stopped-reader]", () => {
    const budget = new SendBudget(100);
    const [stopped, reading] = [new Holder(budget, nobody).hold(40), new Holder(budget, nobody).hold(40)];
    for (let look = 0; look < 5; look++) {
      vi.advanceTimersByTime(500);
      reading.leftBytes = 40 - look;
    }

    expect(droppedOf([stopped, reading])).toEqual([0]);
    expect(budget.heldBytes).toBe(40);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("drops a client that comes to no end of what it was sent within half a minute [socket.stopped-reader]", () => {
    const budget = new SendBudget(100);
    const [slow, reading] = [new Holder(budget, nobody).hold(40), new Holder(budget, nobody).hold(40)];
    for (let look = 0; look < 62; look++) {
      slow.leftBytes = 40 - look / 100;
      reading.lastDrain = budget.nextDrain();
      expect(slow.isDropped).toBe(look > 60);
      vi.advanceTimersByTime(500);
    }

    expect(droppedOf([slow, reading])).toEqual([0]);
  });

  it("drops those that have stopped down to a quarter of its limit, so that a crowd goes in few looks [socket.stopped-reader]", () => {
    const budget = new SendBudget(100);
    const holders = Array.from({ length: 6 }, () => new Holder(budget, nobody).hold(10));
    vi.advanceTimersByTime(2000);

    expect(droppedOf(holders)).toEqual([0, 1, 2, 3]);
    expect(budget.heldBytes).toBe(20);
  });

  it("drops nothing at half of its limit, whoever reads [socket.stopped-reader]", () => {
    const holder = new Holder(new SendBudget(100), nobody).hold(50);
    vi.advanceTimersByTime(60_000);

    expect(holder.isDropped).toBe(false);
  });

  it("drops a client that has read nothing for four looks, and not before", () => {
    const holder = new Holder(new SendBudget(100), nobody).hold(60);
    // The first look only notes what is there.
    vi.advanceTimersByTime(4 * 500 - 1);
    expect(holder.isDropped).toBe(false);
    vi.advanceTimersByTime(1);
    expect(holder.isDropped).toBe(true);
  });

  it("keeps one of those that stopped where a quarter is held exactly", () => {
    const budget = new SendBudget(100);
    const holders = [new Holder(budget, nobody).hold(30), new Holder(budget, nobody).hold(25)];
    vi.advanceTimersByTime(2000);

    expect(droppedOf(holders)).toEqual([0]);
    expect(budget.heldBytes).toBe(25);
  });

  it("counts the looks at a client anew after it has read", () => {
    const holder = new Holder(new SendBudget(100), nobody).hold(60);
    vi.advanceTimersByTime(3 * 500);
    holder.leftBytes = -1;
    vi.advanceTimersByTime(3 * 500);
    expect(holder.isDropped).toBe(false);
    vi.advanceTimersByTime(500);
    expect(holder.isDropped).toBe(true);
  });

  it("looks no more once half of its limit is left, and again when more is held", () => {
    const budget = new SendBudget(100);
    const holder = new Holder(budget, nobody).hold(51);
    vi.advanceTimersByTime(500);
    holder.hold(-1);
    vi.advanceTimersByTime(500);
    expect(vi.getTimerCount()).toBe(0);
    holder.hold(1);
    vi.advanceTimersByTime(3 * 500);
    expect(holder.isDropped).toBe(false);
    vi.advanceTimersByTime(500);
    expect(holder.isDropped).toBe(true);
  });

  it("drops of two callers who hold as much the one that came first", () => {
    const budget = new SendBudget(100);
    const holders = [new Holder(budget, ada).hold(50), new Holder(budget, nobody).hold(50)];
    new Holder(budget, countedCaller({ userId: "bob" }).key).hold(1);

    expect(droppedOf(holders)).toEqual([0]);
  });
});
