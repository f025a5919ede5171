import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { entriesIn, openJournal } from "../journal/test/journals.ts";
import { testRun } from "../run/test/test-run.ts";
import { UsageMeter } from "../run/usage-meter.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { TracedStep } from "./traced-step.ts";

const usage = { promptTokens: 1, completionTokens: 2, totalTokens: 3 };
const { signal } = new AbortController();
const limited = async () => await Promise.reject(new TroupeError("rate_limited", "Too fast."));
const done = async () => await Promise.resolve("done");
const never = vi.fn<() => Promise<never>>();

beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }));
afterEach(() => void vi.useRealTimers());

/** The journal of a step, with its entry in the trace, in a new attempt at the run that the storage holds. */
async function stepIn(
  storage = new InMemoryStorage(),
  { name = "a", storedMs }: { name?: string; storedMs?: number } = {},
) {
  const journal = await openJournal(storage);
  const entry = { name, durationMs: 7, storedMs, isLive: false };
  const logged = async () => {
    await journal.flush();
    return (await entriesIn(storage)).flatMap((fact) => (fact.t === "done" ? [[fact.step, fact.value]] : []));
  };
  return { journal, entry, step: new TracedStep(journal, entry), logged };
}

type End = readonly [ms: number, work: () => Promise<string>, isRepeated?: boolean];
type Ends = readonly End[];
const again = (ms: number): End => [ms, limited, true];

/** Storage of a run whose attempts at the step took this long, and ended like this. Each used some tokens. */
async function storageWith(ends: Ends): Promise<InMemoryStorage> {
  const storage = new InMemoryStorage();
  const { step, journal } = await stepIn(storage);
  for (const [made, [ms, end, isRepeated]] of ends.entries()) {
    const meter = new UsageMeter();
    const work: typeof end = async () => {
      meter.add(usage);
      vi.advanceTimersByTime(ms);
      return await end();
    };
    const repeats = () => isRepeated === true;
    await step.attempt(made, work, { signal, meter, repeats }).catch(() => undefined);
  }
  await journal.flush();
  return storage;
}

describe("TracedStep.repeatedFailures", () => {
  it.each<[title: string, ends: Ends, made: number, storedMs: number | undefined, repeats: number]>([
    ["nothing is stored", [], 0, undefined, 0],
    ["the first attempt was done", [[5, done]], 0, undefined, 0],
    ["the first failed for good", [[5, limited]], 0, undefined, 0],
    ["the first was to be repeated", [again(5)], 1, 5, 0],
    ["the second was done", [again(5), [7, done]], 1, 5, 0],
    ["the second failed for good", [again(5), [7, limited]], 1, 5, 0],
    ["three were to be repeated", [again(5), again(7), again(0)], 3, 12, 2],
  ])("counts what came before when %s", async (...[, ends, made, storedMs, repeated]) => {
    const { step, entry } = await stepIn(await storageWith(ends));
    const run = testRun();
    const onRepeat = vi.fn<() => Promise<void>>(async () => await Promise.resolve());

    expect(await step.repeatedFailures(run, onRepeat)).toBe(made);
    expect(entry).toEqual({ name: "a", durationMs: 7, storedMs, isLive: false });
    expect(onRepeat).toHaveBeenCalledTimes(repeated);
    expect(run.meter.total).toEqual({ promptTokens: made, completionTokens: 2 * made, totalTokens: 3 * made });
  });

  it("adds to the time that was stored, and waits for each repeat", async () => {
    const ends: Ends = [again(5), again(7), again(9)];
    const { step, entry } = await stepIn(await storageWith(ends), { storedMs: 100 });
    const seen: unknown[] = [];
    const made = await step.repeatedFailures(testRun(), async () => {
      seen.push("begins");
      await new Promise((resolve) => setImmediate(resolve));
      seen.push(entry.storedMs);
    });

    expect([made, seen, entry.storedMs]).toEqual([3, ["begins", 112, "begins", 121], 121]);
  });

  it("fails when a repeat cannot be told", async () => {
    const { step } = await stepIn(await storageWith([again(5), again(7)]));

    await expect(step.repeatedFailures(testRun(), () => Promise.reject(new Error("gone")))).rejects.toThrow("gone");
  });
});

describe("TracedStep.attempt", () => {
  it.each([
    ["a", 0, "w/a"],
    ["a", 1, "w/a/r1"],
    ["a", 2, "w/a/r2"],
    ["a.b.c", 0, "w/a%2Eb%2Ec"],
    ["a/r1", 0, "w/a%2Fr1"],
    ["Größe 1", 1, "w/Gr%C3%B6%C3%9Fe%201/r1"],
  ])("TracedStep.attempt of the step %j is stored, with %i before it, as %s", async (name, made, key) => {
    const { step, entry, logged } = await stepIn(undefined, { name });

    expect(await step.attempt(made, done, { signal })).toBe("done");
    expect(await logged()).toEqual([[key, { value: "done" }]]);
    expect(entry).toEqual({ name, durationMs: 7, storedMs: undefined, isLive: true });
  });

  it.each([
    [undefined, 5],
    [0, 5],
    [100, 105],
  ])("is not made again when it is stored, after %s ms", async (storedMs, expected) => {
    const { step, entry } = await stepIn(await storageWith([[5, done]]), storedMs === undefined ? {} : { storedMs });
    const meter = new UsageMeter();

    expect(await step.attempt(0, never, { signal, meter })).toBe("done");
    expect(never).not.toHaveBeenCalled();
    expect(meter.total).toEqual(usage);
    expect(entry).toEqual({ name: "a", durationMs: 7, storedMs: expected, isLive: false });
  });

  it("throws the failure that is stored, and counts its time", async () => {
    const { step, entry } = await stepIn(await storageWith([[5, limited]]));

    await expect(step.attempt(0, never, { signal })).rejects.toMatchObject({ code: "rate_limited" });
    expect([entry.storedMs, entry.isLive]).toEqual([5, false]);
  });

  it("is live when the one before it is stored alone", async () => {
    const { step, entry } = await stepIn(await storageWith([again(5)]));

    expect(await step.attempt(1, done, { signal })).toBe("done");
    expect([entry.storedMs, entry.isLive]).toEqual([undefined, true]);
  });

  it("is made again when an answer says so, and once only", async () => {
    const storage = new InMemoryStorage();
    const call = { tool: "a", args: {}, effect: "once", key: "k" } as const;
    await (await openJournal(storage)).call("w/a", call);
    const journal = await openJournal(storage, new Map([["w.a.doubt", { choice: "again" }]]));
    const entry = { name: "a", durationMs: 7, storedMs: undefined, isLive: false };
    const work = async () => {
      vi.advanceTimersByTime(5);
      return await done();
    };
    expect(await new TracedStep(journal, entry).attempt(0, work, { signal, call })).toBe("done");
    expect([entry.storedMs, entry.isLive]).toEqual([undefined, true]);
    await journal.flush();

    const later = await stepIn(storage);
    expect(await later.step.attempt(0, never, { signal, call })).toBe("done");
    expect([later.entry.storedMs, later.entry.isLive]).toEqual([5, false]);
  });

  it("names the step in the message of an exception", async () => {
    const { step } = await stepIn(undefined, { name: 'the "big" one' });
    const work = async () => await Promise.reject(new Error("Out of paper."));
    await step.attempt(0, work, { signal }).catch(() => undefined);

    await expect(step.attempt(0, never, { signal })).rejects.toThrow(
      'The step "the \\"big\\" one" failed: Out of paper.',
    );
  });
});

describe("TracedStep.partOf", () => {
  it("has a part of the run for each attempt", async () => {
    const { step, journal } = await stepIn(undefined, { name: "a.b" });
    for (const made of [0, 2]) await step.partOf(made).step("m", "check", () => ({ value: made }));

    expect(["w/a%2Eb/m", "w/a%2Eb/r2/m"].map((key) => journal.stored(key)?.value)).toEqual([
      { value: 0 },
      { value: 2 },
    ]);
  });
});

describe("TracedStep.end", () => {
  it("stores how long the step took, which a later attempt takes from there", async () => {
    const storage = new InMemoryStorage();
    const { step, entry, logged } = await stepIn(storage, { storedMs: 100 });
    await step.end();
    expect(entry).toEqual({ name: "a", durationMs: 7, storedMs: 100, isLive: true });
    expect(await logged()).toEqual([["w/a/end", { value: 7 }]]);

    const later = await stepIn(storage, { storedMs: 100 });
    later.entry.durationMs = 50;
    await later.step.end();
    expect(later.entry).toEqual({ name: "a", durationMs: 50, storedMs: 7, isLive: false });
    expect(await later.logged()).toEqual([["w/a/end", { value: 7 }]]);
  });
});
