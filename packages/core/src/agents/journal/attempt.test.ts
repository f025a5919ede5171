import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import type { Json } from "../../sessions/storage/json.ts";
import { Attempt } from "./attempt.ts";
import { logKey, logRecord } from "./log-entry.ts";
import type { LogEntry } from "./log-entry.ts";
import type { RunWait } from "../run/run-wait.ts";
import { LogWriter } from "./log-writer.ts";
import { entriesIn, journaledRunId as runId } from "./test/journals.ts";

const attempt = (n: number, more: object = {}): LogEntry => ({
  t: "attempt",
  n,
  id: `i${n}`,
  node: `n${n}`,
  print: "",
  ...more,
});
const chunks = (step: string, ...types: string[]): LogEntry => ({
  t: "chunks",
  step,
  chunks: types.map((type) => ({ type })),
});
const done = (step: string, value: Json = null): LogEntry => ({ t: "done", step, at: 5, value, ms: 1 });
const left = (why: "released" | "failed" | "suspended"): LogEntry => ({ t: "left", why });
const wait = (id: string): RunWait => ({ id, kind: "approval", about: null });
const waited = (id: string, performedMs = 0): LogEntry => ({ t: "wait", wait: wait(id), performedMs });
const call = { tool: "send", args: {}, effect: "once", key: "k" } as const;
const called = (step: string, at = 1): LogEntry => ({ t: "call", step, at, ...call });
const end: LogEntry = { t: "end", output: "Over." };

/** Begins an attempt at a run whose log has these records. */
async function begin(...records: LogEntry[][]): Promise<{ made: Attempt; storage: InMemoryStorage }> {
  const storage = new InMemoryStorage();
  for (const [index, entries] of records.entries()) {
    await storage.set("run-log", logKey(runId, index + 1), logRecord(entries) as unknown as Json);
  }
  const writer = new LogWriter(storage);
  const init = { runId, storage, writer, node: "here", print: "p" };
  const made = await Attempt.read(init);
  await made.start(init);
  return { made, storage };
}

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date", "performance"], now: 1000 }));
afterEach(() => void vi.useRealTimers());

describe("Attempt.start", () => {
  it("logs the first attempt at a run behind nothing", async () => {
    const { made, storage } = await begin();
    expect(await entriesIn(storage)).toEqual([
      { t: "attempt", n: 1, id: expect.stringMatching(/^[\da-f-]{36}$/), at: 1000, node: "here", print: "p" },
    ]);
    expect(made).toMatchObject({ attempt: 1, fruitlessAttempts: 1, storageFailures: 0, runId });
    expect([made.logged, made.ended, made.stopped, made.steps.waits, made.results.size]).toEqual([
      undefined,
      undefined,
      undefined,
      [],
      0,
    ]);
  });

  it("logs the next attempt behind all records, those of a second page too", async () => {
    const records = Array.from({ length: 300 }, (_, index) => [index === 0 ? attempt(1) : done(`s${index}`)]);
    const { made, storage } = await begin(...records);
    expect([made.attempt, made.results.size]).toEqual([2, 299]);
    expect((await storage.list("run-log")).at(-1)?.key).toBe(logKey(runId, 301));
    expect((await entriesIn(storage)).at(-1)).toMatchObject({ t: "attempt", n: 2, at: 1000 });
  });

  it("logs nothing for a run that is over", async () => {
    const { made, storage } = await begin([attempt(1)], [done("m/0", "kept"), end]);
    expect(made.ended).toEqual(end);
    expect(made.results.get("m/0")).toEqual({ value: "kept", ms: 1 });
    expect(await storage.list("run-log")).toHaveLength(2);
  });

  it.each<[what: string, log: LogEntry[], logged: object]>([
    ["of one attempt", [attempt(1, { at: 7 })], { attempts: 1, node: "n1", startedAt: 7 }],
    ["of three attempts", [1, 2, 3].map((n) => attempt(n, { at: n })), { attempts: 3, node: "n3", startedAt: 1 }],
    ["of an earlier release", [attempt(1)], { attempts: 1, node: "n1" }],
    ["begun by an earlier release", [attempt(1), attempt(2, { at: 8 })], { attempts: 2, node: "n2", startedAt: 8 }],
    ["begun at 0", [attempt(1, { at: 0 }), attempt(2, { at: 8 })], { attempts: 2, node: "n2", startedAt: 0 }],
  ])("tells the attempts before it by a log %s", async (_what, log, logged) => {
    const { made } = await begin(log);
    expect(made.logged).toStrictEqual(logged);
  });

  it.each<[what: string, log: LogEntry[], counts: [fruitless: number, failures: number]]>([
    ["crashed", [attempt(1)], [2, 0]],
    ["crashed three times", [attempt(1), attempt(2), attempt(3)], [4, 0]],
    ["left", [attempt(1), left("released")], [1, 0]],
    ["failed", [attempt(1), left("failed")], [1, 1]],
    ["failed twice", [attempt(1), left("failed"), attempt(2), left("failed")], [1, 2]],
    ["crashed after a failure", [attempt(1), left("failed"), attempt(2)], [2, 1]],
    ["did a step and crashed", [attempt(1), attempt(2), done("a")], [1, 0]],
    ["did a step after two failures", [attempt(1), left("failed"), attempt(2), done("a"), attempt(3)], [2, 0]],
    ["did a step and left", [attempt(1), attempt(2), done("a"), left("failed")], [1, 0]],
    ["waited", [attempt(1), left("failed"), attempt(2), waited("a"), left("released")], [1, 0]],
    ["came to known waits only", [attempt(1), waited("a"), attempt(2), left("suspended")], [1, 0]],
    ["crashed at known waits", [attempt(1), waited("a"), attempt(2), left("suspended"), attempt(3)], [2, 0]],
    ["called and crashed", [attempt(1), called("a")], [2, 0]],
    ["yielded and crashed", [attempt(1), chunks("a", "x")], [2, 0]],
  ])("counts attempts in a row that did nothing: the last one %s", async (_what, log, counts) => {
    const { made } = await begin(log);
    expect([made.fruitlessAttempts, made.storageFailures]).toEqual(counts);
  });

  it.each<[what: string, log: LogEntry[], unfinished: string[] | undefined]>([
    ["of steps without a result", [chunks("a", "x"), chunks("b", "x"), chunks("a", "x")], ["a", "b"]],
    ["of steps that are done", [chunks("a", "x"), done("a")], undefined],
    ["of no step", [chunks("", "x")], undefined],
    ["that an earlier attempt has named", [chunks("a", "x"), attempt(2, { void: ["a"] })], undefined],
  ])("names the chunks that count no longer: those %s", async (_what, log, unfinished) => {
    const { storage } = await begin([attempt(1), ...log]);
    const entry = (await entriesIn(storage)).findLast(({ t }) => t === "attempt");
    expect(entry).toStrictEqual({
      ...attempt(log.length === 2 && log[1]?.t === "attempt" ? 3 : 2, { id: expect.any(String), at: 1000 }),
      node: "here",
      print: "p",
      ...(unfinished && { void: unfinished }),
    });
  });

  it("has the results of steps, and calls without one with the number of times that they were made", async () => {
    const usage = { promptTokens: 1, completionTokens: 2, totalTokens: 3 };
    const log: LogEntry[] = [called("a"), called("b", 2), attempt(2), called("b", 3), called("c"), done("c", "C")];
    const { made } = await begin([attempt(1), ...log, { t: "done", step: "d", value: "D", ms: 4, usage }]);

    expect([...made.results]).toEqual([
      ["c", { value: "C", ms: 1 }],
      ["d", { value: "D", ms: 4, usage }],
    ]);
    expect([...made.calls]).toEqual([
      ["a", { ...called("a"), times: 1 }],
      ["b", { ...called("b", 3), times: 2 }],
    ]);
  });

  it("goes on with the time that was worked until the last wait, and knows all waits but comes to none", async () => {
    const { made } = await begin([attempt(1), waited("a", 4000), attempt(2), waited("b", 6500), attempt(3)]);
    vi.advanceTimersByTime(250);
    expect(made.performedMs).toBe(6750);
    expect([made.knownWait("a"), made.knownWait("b"), made.knownWait("c")]).toEqual([wait("a"), wait("b"), undefined]);
    expect(made.steps.waits).toEqual([]);
  });
});

describe("Attempt.hasBegun", () => {
  const log = [attempt(1), done("t/0"), called("t/1/0"), waited("w.a.t.2"), chunks("m/9", "x")];
  it.each([
    ["t/0", true],
    ["t/1", true],
    ["t/1/0", true],
    ["t/1/0/0", false],
    ["t", true],
    ["t/", false],
    ["t/0x", false],
    ["0", false],
    ["w/a", true],
    ["w/a/t/2", true],
    ["w/a/t/20", false],
    ["m/9", false],
  ])("Attempt.hasBegun of %j is %s", async (step, hasBegun) => {
    const { made } = await begin(log);
    expect(made.hasBegun(step)).toBe(hasBegun);
  });

  it("is false in a first attempt, whatever that has done", async () => {
    const { made } = await begin();
    made.beginStep("t/0").done(1);
    expect(made.hasBegun("t/0")).toBe(false);
  });
});

describe("a first attempt whose record is stored with its run", () => {
  it("goes on behind that record, and logs it not again", async () => {
    const record = Attempt.firstRecord({ node: "here", print: "p" });
    const first = {
      t: "attempt",
      n: 1,
      id: expect.stringMatching(/^[\da-f-]{36}$/),
      at: 1000,
      node: "here",
      print: "p",
    };
    expect(record).toEqual({ v: 1, entries: [first] });
    const storage = new InMemoryStorage();
    await storage.set("run-log", logKey(runId, 1), record as unknown as Json);
    const writer = new LogWriter(storage);
    const made = Attempt.afterFirstRecord({ runId, storage, writer, node: "here", print: "p" });
    await made.add({ t: "end", output: null });

    expect((await storage.list("run-log")).map(({ key }) => key)).toEqual([logKey(runId, 1), logKey(runId, 2)]);
    expect([made.attempt, made.fruitlessAttempts, made.logged]).toEqual([1, 1, undefined]);
  });

  it("has another id each time", () => {
    const [one, other] = [1, 2].map(() => Attempt.firstRecord({ node: "n", print: "" }).entries[0]);
    expect(one).not.toEqual(other);
  });
});
