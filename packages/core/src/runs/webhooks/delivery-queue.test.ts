import { describe, expect, it } from "vitest";
import { DeliveryQueue } from "./delivery-queue.ts";
import type { DueDelivery } from "./run-notices.ts";

let count = 0;

/** Makes a due delivery. */
function due(given: Partial<DueDelivery["entry"]> = {}): DueDelivery {
  const entry = { v: 1, kind: "webhook", delivery: "r/1", host: "h", owner: "-/ada", webhook: "service" } as const;
  return { key: `000000000000001/${count++}`, entry: { ...entry, ...given } };
}

/** Takes all that may be sent now. */
function takeAll(queue: DeliveryQueue): DueDelivery[] {
  const taken: DueDelivery[] = [];
  for (let next = queue.take(); next !== undefined; next = queue.take()) taken.push(next);
  return taken;
}

describe("the queue of due deliveries", () => {
  it("sends at most four to one host, and the next once one is done", () => {
    const queue = new DeliveryQueue();
    for (let index = 0; index < 6; index++) queue.add(due());

    const taken = takeAll(queue);
    expect(taken).toHaveLength(4);
    expect(taken[0] && queue.done(taken[0])).toBe(false);
    expect(takeAll(queue)).toHaveLength(1);
  });

  it("sends to other hosts while one host is slow", () => {
    const queue = new DeliveryQueue();
    for (let index = 0; index < 50; index++) queue.add(due({ host: "slow" }));
    takeAll(queue);
    const other = due({ host: "other" });
    queue.add(other);

    expect(takeAll(queue)).toEqual([other]);
  });

  it("sends for each kind of webhook apart, so that callers' webhooks cannot keep the service's own from a host", () => {
    const queue = new DeliveryQueue();
    for (let index = 0; index < 20; index++) queue.add(due({ webhook: "run", owner: `-/${index}` }));
    expect(takeAll(queue)).toHaveLength(4);
    const own = due({ webhook: "service" });
    queue.add(own);

    expect(takeAll(queue)).toEqual([own]);
  });

  it("lets the owners of deliveries to one host take turns", () => {
    const queue = new DeliveryQueue();
    for (let index = 0; index < 50; index++) queue.add(due());
    const late = due({ owner: "-/bob" });
    queue.add(late);

    expect(takeAll(queue).slice(0, 2)).toContain(late);
  });

  it("sends at most four to the webhooks of one owner's runs, whatever their hosts", () => {
    const queue = new DeliveryQueue();
    for (let index = 0; index < 10; index++) queue.add(due({ host: `h${index}`, webhook: "run" }));
    const bob = due({ owner: "-/bob", webhook: "run" });
    queue.add(bob);

    const taken = takeAll(queue);
    expect(taken).toHaveLength(5);
    expect(taken).toContain(bob);
  });

  it("never lets the webhooks of runs take the places of the service's", () => {
    const queue = new DeliveryQueue();
    for (let index = 0; index < 100; index++)
      queue.add(due({ owner: `-/u${index}`, host: `h${index}`, webhook: "run" }));

    expect(takeAll(queue)).toHaveLength(32);
    const service = due({ host: "h1" });
    queue.add(service);
    expect(takeAll(queue)).toEqual([service]);
  });

  it("knows a delivery that it has, and has room for fifty of one owner to one host", () => {
    const queue = new DeliveryQueue();
    const first = due();
    expect([queue.add(first), queue.add(first)]).toEqual([true, true]);
    for (let index = 1; index < 50; index++) expect(queue.add(due())).toBe(true);

    expect(queue.add(due())).toBe(false);
    expect(queue.add(due({ owner: "-/bob" }))).toBe(true);
  });

  it("has room for two thousand in all", () => {
    const queue = new DeliveryQueue();
    for (let index = 0; index < 2000; index++) expect(queue.add(due({ host: `h${index}` }))).toBe(true);

    expect(queue.add(due({ host: "ä" }))).toBe(false);
  });

  it.each<[of: string, most: number, hostOf: (index: number) => string]>([
    ["one owner to one host", 50, () => "h"],
    ["all", 2000, (index) => `h${index}`],
  ])("has room again for each delivery of %s that was taken, and forgets it once it is done", (_of, most, hostOf) => {
    const queue = new DeliveryQueue();
    let added = 0;
    const add = (): boolean => queue.add(due({ host: hostOf(added++) }));
    while (add());
    for (let round = 0; round < 3; round++) {
      const taken = takeAll(queue);
      expect(taken.length).toBeGreaterThan(0);
      expect(taken.map(add)).toEqual(taken.map(() => true));
      expect(add()).toBe(false);
      // A delivery in flight is known, and needs no room.
      expect(taken.map((each) => queue.add(each))).toEqual(taken.map(() => true));
      for (const each of taken) queue.done(each);
      expect(taken.map((each) => queue.add(each))).toEqual(taken.map(() => false));
    }
    expect(added).toBeGreaterThan(most);
  });
});
