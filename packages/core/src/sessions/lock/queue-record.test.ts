import fc from "fast-check";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { reconcile } from "./queue-record.ts";
import type { DesiredState, QueueRecord } from "./queue-record.ts";

const desire = (process: string, waiters: number[], more: Partial<DesiredState> = {}): DesiredState => ({
  heartbeat: { process, beat: 9, leaseMs: 1000 },
  waiters: waiters.map((number) => ({ number })),
  expired: new Set(),
  isDue: false,
  forgetsQueue: false,
  ...more,
});

/** A queue with positions like `a1`, and a heartbeat of each process. */
function queueOf(...positions: string[]): QueueRecord {
  const stored = positions.map(([process = "", ...number]) => ({ process, waiter: Number(number.join("")) }));
  const processes = [...new Set(stored.map(({ process }) => process))];
  return {
    v: 1,
    token: 7,
    positions: stored,
    processes: processes.map((process) => ({ process, beat: 1, leaseMs: 1000 })),
  };
}

const shown = (record: QueueRecord | null) =>
  record?.positions.map(({ process, waiter }) => process + waiter).join(" ");
const firstOf = (record: QueueRecord | null) => shown(record)?.split(" ")[0] ?? "";
const tokenOf = (record: QueueRecord | null) => record?.token ?? 0;
/** The places of a queue, each named by its run if that is durable. */
const idsOf = (record: QueueRecord | null) =>
  (record?.positions ?? []).map(({ process, waiter, run }) => run?.runId ?? process + waiter);
const attemptIn = (record: QueueRecord | null) =>
  record?.positions.find(({ run }) => run !== undefined)?.run?.attempt ?? 0;
const processesOf = (record: QueueRecord | null) => new Set(record?.positions.map(({ process }) => process));

describe("reconcile", () => {
  it.each([
    ["appends new waiters at the end", queueOf("a1", "b1"), desire("a", [1, 2, 3]), "a1 b1 a2 a3, 7"],
    [
      "removes a waiter that gave up, and counts the token up when the first position changes",
      queueOf("a1", "b1", "a2"),
      desire("a", [2]),
      "b1 a2, 8",
    ],
    [
      "removes all positions of an expired process",
      queueOf("b1", "a1", "b2"),
      desire("a", [1], { expired: new Set("b") }),
      "a1, 8",
    ],
    ["keeps the positions of live processes", queueOf("b1", "c1"), desire("a", [], { expired: new Set("c") }), "b1, 7"],
    ["counts the token up when the queue becomes empty", queueOf("a1"), desire("a", []), ", 8"],
  ])("%s", (...[, stored, desired, planned]) => {
    const next = reconcile(stored, desired);

    expect(`${shown(next)}, ${next?.token}`).toBe(planned);
  });

  it("begins a record with a token behind the time in microseconds, for a later one that the session may get", () => {
    vi.useFakeTimers({ toFake: ["Date"], now: 1_800_000_000_123 });
    onTestFinished(() => void vi.useRealTimers());

    expect(tokenOf(reconcile(null, desire("a", [1])))).toBe(1_800_000_000_123_001);
  });

  it("returns the stored record when nothing changes, unless a heartbeat is due", () => {
    const stored = queueOf("a1", "b1");

    expect(reconcile(stored, desire("a", [1]))).toBe(stored);
    expect(reconcile(stored, desire("a", [1], { isDue: true }))).toEqual({
      ...stored,
      processes: [
        { process: "a", beat: 9, leaseMs: 1000 },
        { process: "b", beat: 1, leaseMs: 1000 },
      ],
    });
    expect(reconcile(null, desire("a", []))).toBeNull();
  });

  const attempt = (number: number) => ({ runId: "r", attempt: number });

  it("gives no place of a later attempt at a durable run to an earlier one, which is stopped or will be [run-log.place]", () => {
    const stored = queueOf("a1", "b1");
    const [, ...others] = stored.positions;
    const durable = { ...stored, positions: [{ process: "a", waiter: 1, run: attempt(2) }, ...others] };
    const earlier = { ...desire("b", [1, 2]), waiters: [{ number: 1 }, { number: 2, run: attempt(1) }] };

    expect(reconcile(durable, earlier)).toBe(durable);
    expect(shown(reconcile(queueOf("c1", "b1"), earlier))).toBe("c1 b1 b2");
  });

  it("leaves the place of an earlier attempt that has come after the later one", () => {
    const stored = queueOf("a1");
    const positions = [
      ...stored.positions,
      { process: "b", waiter: 2, run: attempt(2) },
      { process: "c", waiter: 1, run: attempt(1) },
    ];
    const later = { ...desire("b", [2]), waiters: [{ number: 2, run: attempt(2) }] };
    const durable = { ...stored, positions };

    expect(reconcile(durable, later)).toBe(durable);
  });

  it("gives the next attempt at a durable run the place of the one before, whose process may be gone [run-log.place]", () => {
    const stored = queueOf("a1", "b1", "c1");
    const [, ...others] = stored.positions;
    const durable = { ...stored, positions: [{ process: "a", waiter: 1, run: attempt(1) }, ...others] };
    const desired = { ...desire("b", [1, 2]), waiters: [{ number: 1 }, { number: 2, run: attempt(2) }] };

    const next = reconcile(durable, desired);

    expect(shown(next)).toBe("b2 b1 c1");
    expect(next?.token).toBe(8);
  });

  it("deletes the record of a deleted session only when its queue is empty", () => {
    expect(reconcile(queueOf("a1"), desire("a", [], { forgetsQueue: true }))).toBeNull();
    expect(shown(reconcile(queueOf("a1", "b1"), desire("a", [], { forgetsQueue: true })))).toBe("b1");
  });

  it("counts the token up exactly when the first position changes, and keeps one heartbeat of each process in the queue", () => {
    const process = fc.constantFrom("a", "b", "c");
    const step = fc.record({ process, waiters: fc.uniqueArray(fc.nat(3)), expired: fc.uniqueArray(process) });
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        let stored: QueueRecord | null = null;
        for (const { process: own, waiters, expired } of steps) {
          const next = reconcile(stored, desire(own, waiters, { expired: new Set(expired) }));

          expect(tokenOf(next) > tokenOf(stored)).toBe(firstOf(next) !== firstOf(stored));
          expect(new Set(next?.processes.map((heartbeat) => heartbeat.process))).toEqual(processesOf(next));
          stored = next;
        }
      }),
    );
  });

  it("keeps one place for a durable run, in order and for its latest attempt, whatever its attempts do [run-log.place]", () => {
    const attempts = [
      { process: "a", run: attempt(1) },
      { process: "b", run: attempt(2) },
      { process: "c", run: attempt(3) },
    ] as const;
    // Waiter 9 of a process is the attempt; the others are of plain runs.
    const step = fc.record({
      who: fc.constantFrom(...attempts),
      plain: fc.uniqueArray(fc.nat(2)),
      isThere: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        let stored: QueueRecord | null = null;
        for (const { who, plain, isThere } of steps) {
          const waiters = [...plain.map((number) => ({ number })), ...(isThere ? [{ number: 9, run: who.run }] : [])];
          const next: QueueRecord | null = reconcile(stored, { ...desire(who.process, []), waiters });
          const [before, after] = [idsOf(stored), idsOf(next)];

          const kept = before.filter((id) => after.includes(id));
          expect(new Set(after).size).toBe(after.length);
          expect(after.slice(0, kept.length)).toEqual(kept);
          const latest = Math.max(attemptIn(stored), who.run.attempt);
          expect(attemptIn(next)).toBe(isThere && before.includes("r") ? latest : attemptIn(next));
          expect(tokenOf(next) > tokenOf(stored)).toBe(firstOf(next) !== firstOf(stored));
          stored = next;
        }
      }),
    );
  });
});
