import { describe, expect, it } from "vitest";
import { SendBudget } from "./send-budget.ts";

/** A connection that holds bytes, and knows when it was dropped. */
class Holder {
  readonly caller: string;
  readonly #budget: SendBudget;
  heldBytes = 0;
  lastDrain = 0;
  isDropped = false;

  constructor(budget: SendBudget, caller: string) {
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
    const holders = [new Holder(budget, "").hold(60), new Holder(budget, "").hold(40)];
    expect(droppedOf(holders)).toEqual([]);
    holders[1]?.hold(1);

    expect(droppedOf(holders)).toEqual([0]);
    expect(budget.heldBytes).toBe(41);
  });

  it("drops the connection that has drained the longest time ago [socket.stopped-reader]", () => {
    const budget = new SendBudget(100);
    const holders = Array.from({ length: 3 }, () => new Holder(budget, "").hold(30));
    const [first] = holders;
    if (first !== undefined) first.lastDrain = budget.nextDrain();
    holders[2]?.hold(20);

    expect(droppedOf(holders)).toEqual([1]);
  });

  it("drops connections of the caller who holds the most, and of no other [socket.stopped-reader]", () => {
    const budget = new SendBudget(1000);
    const ada = new Holder(budget, "ada").hold(200);
    const strangers = Array.from({ length: 50 }, () => new Holder(budget, "").hold(100));

    expect(ada.isDropped).toBe(false);
    expect(droppedOf(strangers)).toHaveLength(42);
    expect(budget.heldBytes).toBe(1000);
  });

  it("drops as many as it takes for one large event, its own connection too [socket.stopped-reader]", () => {
    const budget = new SendBudget(100);
    const holders = [new Holder(budget, "").hold(50), new Holder(budget, "").hold(50)];
    const large = new Holder(budget, "").hold(101);

    expect([...droppedOf(holders), large.isDropped]).toEqual([0, 1, true]);
    expect(budget.heldBytes).toBe(0);
  });

  it("lets runs wait for a turn of the event loop after each 4 MB, however many wait [socket.stopped-reader]", async () => {
    const budget = new SendBudget(100);
    budget.countSent(4_194_303);
    expect(budget.hasTurn).toBe(true);
    budget.countSent(1);
    expect(budget.hasTurn).toBe(false);

    let isTurned = false;
    setImmediate(() => (isTurned = true));
    await Promise.all([budget.untilTurn(), budget.untilTurn()]);

    expect(budget.hasTurn).toBe(true);
    expect(isTurned).toBe(true);
    budget.countSent(4_194_304);
    expect(budget.hasTurn).toBe(false);
  });
});
