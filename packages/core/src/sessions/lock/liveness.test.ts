import { describe, expect, it } from "vitest";
import { LivenessTracker, ObservedCounters } from "./liveness.ts";

const at = (ms: number) => ({ askedAt: ms, answeredAt: ms });
const heartbeat = (process: string, beat: number) => ({ process, beat, leaseMs: 1000 });

describe("LivenessTracker", () => {
  it("reports a process as expired whose heartbeat stayed the same for its leaseMs", () => {
    const tracker = new LivenessTracker();
    tracker.observe("s", [heartbeat("a", 1), heartbeat("b", 1)], at(0));

    expect(tracker.observe("s", [heartbeat("a", 1), heartbeat("b", 2)], at(999))).toEqual(new Set());
    expect(tracker.observe("s", [heartbeat("a", 1), heartbeat("b", 2)], at(1000))).toEqual(new Set("a"));
    expect(tracker.observe("s", [heartbeat("b", 2)], at(1999))).toEqual(new Set("b"));
  });

  it("measures from the first answer to the last question, so that a slow storage lets no process expire", () => {
    const tracker = new LivenessTracker();
    tracker.observe("s", [heartbeat("a", 1)], { askedAt: 0, answeredAt: 500 });

    expect(tracker.observe("s", [heartbeat("a", 1)], { askedAt: 1499, answeredAt: 9000 })).toEqual(new Set());
    expect(tracker.observe("s", [heartbeat("a", 1)], { askedAt: 1500, answeredAt: 9000 })).toEqual(new Set("a"));
  });

  it("forgets a process that left the queue, and knows nothing of other queues", () => {
    const tracker = new LivenessTracker();
    tracker.observe("s", [heartbeat("a", 1)], at(0));
    tracker.observe("s", [], at(500));

    expect(tracker.observe("s", [heartbeat("a", 1)], at(2000))).toEqual(new Set());
    expect(tracker.observe("t", [heartbeat("a", 1)], at(4000))).toEqual(new Set());
  });

  it("remembers the thousand queues with other processes that were read last", () => {
    const tracker = new LivenessTracker();
    tracker.observe("empty", [], at(0));
    expect(tracker.size).toBe(0);
    for (let queue = 0; queue <= 1000; queue++) {
      tracker.observe(`${queue}`, [heartbeat("a", 1)], at(0));
      tracker.observe("0", [heartbeat("a", 1)], at(0));
    }

    expect(tracker.size).toBe(1000);
    expect(tracker.observe("0", [heartbeat("a", 1)], at(1000))).toEqual(new Set("a"));
    expect(tracker.observe("1", [heartbeat("a", 1)], at(1000))).toEqual(new Set());
    tracker.forget("0");
    expect(tracker.observe("0", [heartbeat("a", 1)], at(3000))).toEqual(new Set());
  });
});

describe("ObservedCounters", () => {
  it("measure how long a counter did not move, also a missing one, and forget a process without a counter", () => {
    const counters = new ObservedCounters();
    counters.observe(
      [
        ["still", 1],
        ["moving", 1],
        ["damaged", undefined],
        ["gone", 1],
      ],
      10,
    );
    counters.observe(
      [
        ["still", 1],
        ["moving", 0],
        ["damaged", undefined],
      ],
      20,
    );

    const still = ["still", "moving", "damaged", "gone", "unknown"].map((process) => counters.stillMs(process, 25));
    expect(still).toEqual([15, 5, 15, 0, 0]);
    counters.clear();
    expect(counters.stillMs("still", 25)).toBe(0);
  });

  it("take a counter as still for ever that was observed as a past one", () => {
    const counters = new ObservedCounters();
    counters.observe([["past", 1]], -Infinity);
    counters.observe([["past", 1]], 20);

    expect(counters.stillMs("past", 20)).toBe(Infinity);
  });
});
