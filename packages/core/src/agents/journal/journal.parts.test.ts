import { afterEach, describe, expect, it, vi } from "vitest";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import type { Journal } from "./journal.ts";
import { plainSteps } from "../run/run-steps.ts";
import type { StepQuestion } from "../run/run-wait.ts";
import { settle } from "./test/attempts.ts";
import { entriesIn, openJournal } from "./test/journals.ts";

const call = { tool: "send", args: {}, effect: "once", key: "k" } as const;
const approval: StepQuestion = { kind: "approval", about: null };

afterEach(() => void vi.useRealTimers());

/** A later attempt at a run whose parts `a`, `ab` and the first child of `a` have steps, calls and waits. */
async function later(): Promise<Journal> {
  const storage = new InMemoryStorage();
  const first = await openJournal(storage);
  const part = first.part("a");
  for (const [journal, value] of [
    [first, "run"],
    [part, "part"],
    [first.part("ab"), "other"],
    [part.child(), "child"],
  ] as const) {
    journal.begin("m/0").done(value);
  }
  part.begin("xm/0").done("no end");
  await part.call("t/0", call);
  await part.call("t/0", call);
  part.wait("t/1", approval).catch(() => undefined);
  await first.flush();
  return await openJournal(storage);
}

describe("the journal of a part of a run", () => {
  it("has the steps, calls and waits of the part alone", async () => {
    const run = await later();
    const [part, child] = [run.part("a"), run.part("a").child()];
    const journals = [run, part, child, run.part("ab"), run.part("b")];
    expect(journals.map((journal) => journal.stored("m/0")?.value)).toEqual([
      "run",
      "part",
      "child",
      "other",
      undefined,
    ]);
    expect(journals.map((journal) => journal.valuesOf("m/0"))).toEqual([
      ["run", "part", "other", "child"],
      ["part", "child"],
      ["child"],
      ["other"],
      [],
    ]);
    expect(journals.map((journal) => journal.callOf("t/0") !== undefined)).toEqual([false, true, false, false, false]);
    expect(part.callOf("t/0")).toMatchObject({ ...call, step: "a/t/0", times: 2 });
    expect(run.callOf("t/0")).toBeUndefined();
    expect(journals.map((journal) => journal.hasWait("t/1", "approval"))).toEqual([false, true, false, false, false]);
    expect(part.hasWait("t/1", "doubt")).toBe(false);
    expect(journals.map((journal) => journal.hasBegun("t"))).toEqual([false, true, false, false, false]);
    expect(journals.map((journal) => journal.durable.results.size > 0)).toEqual([true, true, true, true, true]);
  });

  it("counts its children, each part for itself", async () => {
    const run = await openJournal();
    const ids = (journal: Journal) => [journal.child(), journal.child()].map((child) => child.id("x"));
    const names = (journal: Journal) => ["c0", "c1"].map((name) => journal.part(name).id("x"));
    expect(ids(run)).toEqual(names(run));
    expect(ids(run.part("a"))).toEqual(names(run.part("a")));
    expect(new Set([...names(run), ...names(run.part("a"))]).size).toBe(4);
    expect(run.durable.results.size > 0).toBe(false);
  });
});

describe("a wait of a journal", () => {
  it("is logged with its facts and its time, under an id of its kind", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: 1000 });
    const storage = new InMemoryStorage();
    const part = (await openJournal(storage)).part("a");
    const request = { about: { at: "a\uD83D" }, until: 2000, toolCallId: "1", argsSchema: { type: "object" } };
    part.wait("t/0", { kind: "approval", ...request }).catch(() => undefined);
    part.wait("t/0", { kind: "doubt", about: null }).catch(() => undefined);
    await part.flush().catch(() => undefined);
    const waits = (await entriesIn(storage)).flatMap((entry) => (entry.t === "wait" ? [entry.wait] : []));
    expect(waits).toStrictEqual([
      { id: "a.t.0", kind: "approval", ...request, about: { at: "a\uFFFD" }, askedAt: 1000 },
      { id: "a.t.0.doubt", kind: "doubt", about: null, askedAt: 1000 },
    ]);
  });

  it("ends at its time: an approval as denied, others as timeout, by the time that was asked first", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: 1000 });
    const storage = new InMemoryStorage();
    const first = await openJournal(storage);
    for (const kind of ["approval", "input"] as const) {
      first.wait("t/0", { kind, about: null, until: 2000 }).catch(() => undefined);
    }
    await settle();
    expect(first.durable.stopped).toBe("suspended");
    vi.setSystemTime(2000);
    const next = await openJournal(storage);
    const until = 9000;
    expect(await next.wait("t/0", { ...approval, until })).toEqual({
      approved: false,
      reason: "Nobody answered in time.",
    });
    await expect(next.wait("t/0", { kind: "input", about: null, until })).rejects.toMatchObject({
      code: "timeout",
      message: "Nobody answered in time.",
    });
  });
});

describe("Journal.call", () => {
  it.each([
    ["at once", 0, 1],
    ["within 300 milliseconds", 299, 1],
    ["late", 300, 3],
  ])("logs a call that is stored %s as often as it has to", async (_how, ms, times) => {
    vi.useFakeTimers({ toFake: ["Date"], now: 1000 });
    const storage = new InMemoryStorage();
    const journal = await openJournal(storage);
    const insertAll = storage.insertAll.bind(storage);
    storage.insertAll = async (writes) => {
      vi.setSystemTime(Date.now() + ms);
      return await insertAll(writes);
    };
    await journal.part("a").call("t/0", { ...call, args: { n: Number.NaN } });
    const calls = (await entriesIn(storage)).filter(({ t }) => t === "call");
    expect(calls).toEqual(
      Array.from({ length: times }, (_, index) => ({
        t: "call",
        step: "a/t/0",
        ...call,
        args: { n: null },
        at: 1000 + index * ms,
      })),
    );
  });
});

describe("a step without options", () => {
  it("does the work without a journal, and once with one", async () => {
    const storage = new InMemoryStorage();
    const work = vi.fn<() => Promise<number>>(async () => 7);
    expect(await plainSteps.step("x", "check", work)).toBe(7);
    const first = await openJournal(storage);
    expect(await first.step("x", "check", work)).toBe(7);
    expect(await first.step("x", "check", work)).toBe(7);
    await first.flush();
    expect(await (await openJournal(storage)).step("x", "check", work)).toBe(7);
    expect(work).toHaveBeenCalledTimes(2);
  });

  it.each([[null], [0], [""], [false]])("keeps the value %j, and does not do the work again", async (value) => {
    const storage = new InMemoryStorage();
    const first = await openJournal(storage);
    expect(await first.step("x", "check", async () => await Promise.resolve(value))).toBe(value);
    await first.flush();
    const again = vi.fn<() => Promise<unknown>>(async () => "again");

    expect(await (await openJournal(storage)).step("x", "check", again)).toBe(value);
    expect(again).not.toHaveBeenCalled();
  });

  it("keeps no failure, and leaves the step", async () => {
    const journal = await openJournal();
    await expect(journal.step("x", "check", () => Promise.reject(new Error("boom")))).rejects.toThrow("boom");
    expect(journal.stored("x")).toBeUndefined();
    journal.wait("t/0", approval).catch(() => undefined);
    await settle();
    expect(journal.durable.stopped).toBe("suspended");
  });
});
