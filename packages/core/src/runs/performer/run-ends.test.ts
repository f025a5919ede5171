import { describe, expect, it, vi } from "vitest";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { Journal } from "../../agents/journal/journal.ts";
import { logRecord } from "../../agents/journal/log-entry.ts";
import type { LogEntry } from "../../agents/journal/log-entry.ts";
import type { Json } from "../../sessions/storage/json.ts";
import { SmallRecords } from "../../sessions/storage/test/small-records.ts";
import type { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { RunEnds } from "./run-ends.ts";
import type { RunServiceOptions } from "../processes/run-service-options.ts";
import { now, partsOf, record } from "../processes/test/parts.ts";

type Made = { options?: RunServiceOptions; storage?: InMemoryStorage };

/** A run with this log, and what ends it. */
async function runOf(entries: readonly (readonly LogEntry[])[] = [], { options, storage }: Made = {}) {
  const made = partsOf(options, storage && { storage });
  const { parts } = made;
  const run = record;
  await parts.store.insert(run);
  for (const [index, each] of entries.entries())
    await made.storage.set("run-log", `r/${String(index + 1).padStart(12, "0")}`, logRecord(each) as unknown as Json);
  const { store, writer, node } = parts;
  const open = () => Journal.open({ runId: "r", storage: store.storage, writer, node, print: "" });
  return { ...made, ends: new RunEnds(parts), run, open, read: () => store.read("r") };
}

const attempt = (n: number): LogEntry => ({ t: "attempt", n, id: `${n}`, node: "gone", print: "" });
const call = (step: string, tool: string): LogEntry => ({ t: "call", step, tool, args: {}, effect: "once", key: "k" });
const done = (step: string): LogEntry => ({ t: "done", step, value: null, ms: 1 });

describe("the end of a run that is not performed", () => {
  it("is in its log and its record, with its attempts and this process", async () => {
    const { ends, run, open, read, storage } = await runOf([[attempt(1)]]);
    await ends.end(run, (await open()).durable, new TroupeError("timeout", "Late.", { fields: { limit: 1 } }));
    const error = { code: "timeout", message: "Late.", limit: 1 };
    expect(await read()).toMatchObject({
      status: "error",
      error,
      output: null,
      attempts: 2,
      node: "here",
      endedAt: now,
    });
    const [last] = await storage.list("run-log", "r/", { reverse: true, limit: 1 });
    expect(last?.value).toMatchObject({ entries: expect.arrayContaining([{ t: "end", output: null, error }]) });
  });

  it.each([
    ["cancelled", "cancelled", { toolStates: [{ step: "t/0", toolName: "pay", state: "unsettled" }] }],
    ["timeout", "error", null],
  ] as const)(
    "a run that is not performed and ends with %s is %s, with the outcome of its calls if it was cancelled",
    async (code, status, output) => {
      const { ends, run, open, read } = await runOf([[attempt(1), call("t/0", "pay")]]);
      await ends.end(run, (await open()).durable, new TroupeError(code, "Why."));
      expect(await read()).toMatchObject({ status, output });
    },
  );

  it("lets its session take other runs if an attempt was there, before the end", async () => {
    for (const [entries, times] of [
      [[], 0],
      [[[attempt(1)]], 1],
    ] as const) {
      const lastEntries: unknown[] = [];
      const endWait = vi.fn<(...args: unknown[]) => Promise<void>>(async () => {
        lastEntries.push(JSON.stringify((await storage.list("run-log")).at(-1)?.value));
      });
      const agents = { a: { sessions: { endWait } } } as unknown as RunServiceOptions["agents"];
      const { ends, run, open, storage } = await runOf(entries, { options: { agents } });
      await ends.end(run, (await open()).durable, new TroupeError("timeout", "Late."));
      for (const entry of lastEntries) expect(entry).not.toContain('"t":"end"');
      expect(endWait.mock.calls).toEqual(Array.from({ length: times }, () => ["s", "r", { owner: { userId: "ada" } }]));
    }
  });
});

describe("the end that a log has", () => {
  it.each([
    [{ output: { text: "Hi." } }, { status: "completed", output: { text: "Hi." } }],
    [
      { output: null, error: { code: "cancelled" as const, message: "No." } },
      { status: "cancelled", output: null, error: { code: "cancelled", message: "No." } },
    ],
    [
      { output: 1, error: { code: "crashed" as const, message: "No." } },
      { status: "error", output: 1, error: { code: "crashed", message: "No." } },
    ],
  ])("%j is stored as %j, with the attempts there", async (end, stored) => {
    const { ends, run, read } = await runOf();
    await ends.finishLogged(run, { t: "end", ...end }, { attempts: 3, node: "gone", startedAt: 5 });
    expect(await read()).toMatchObject({ ...stored, attempts: 3, node: "gone", startedAt: 5 });
    await ends.finishLogged(run, { t: "end", output: "again" }, undefined);
    expect(await read()).toMatchObject(stored);
  });
});

describe("the end of a run in its record", () => {
  it("forgets what the process keeps for the run, before it is stored", async () => {
    const { ends, run, parts } = await runOf();
    parts.locals.set("r", {});
    parts.locals.set("q", {});
    const removed = parts.admission && vi.spyOn(parts.admission, "remove");
    const forgotten = vi.spyOn(parts.vault, "forget");
    const finish = vi.spyOn(parts.store, "finish");
    await ends.finish(run, { status: "completed", output: 1 }, run);
    expect(removed).toHaveBeenCalledExactlyOnceWith("r");
    expect(forgotten).toHaveBeenCalledExactlyOnceWith("r");
    expect([...parts.locals.keys()]).toEqual(["q"]);
    expect(finish).toHaveBeenCalledExactlyOnceWith("r", { status: "completed", output: 1 }, run);
    const [first = Infinity] = removed?.mock.invocationCallOrder ?? [];
    expect(first).toBeLessThan(finish.mock.invocationCallOrder[0] ?? 0);
  });

  it("has no output where that is too large, which the operator is told", async () => {
    const { ends, run, read, lines } = await runOf([], { storage: new SmallRecords(600) });
    await ends.finish(run, { status: "completed", output: "x".repeat(700), attempts: 1 });
    expect(await read()).toMatchObject({ status: "completed", output: null, attempts: 1 });
    expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
      { level: "error", error: { code: "invalid_value" } },
    ]);
  });

  it("fails with the storage, and is told to no one in memory before", async () => {
    const { ends, run, parts } = await runOf();
    const finish = vi.spyOn(parts.store, "finish").mockRejectedValue(new TroupeError("storage_unavailable", "down"));
    await expect(ends.finish(run, { status: "completed" })).rejects.toMatchObject({ code: "storage_unavailable" });
    expect(finish).toHaveBeenCalledOnce();
  });
});

describe("the session of a run that waits no longer", () => {
  const withSessions = (sessions: unknown): RunServiceOptions => ({ agents: { a: { sessions } as never } });

  it("the session of a run that waits no longer that fails to note it does not fail the run, and the operator is told", async () => {
    const endWait = async (): Promise<never> => await Promise.reject(new TroupeError("storage_unavailable", "down"));
    const { ends, run, lines } = await runOf([], { options: withSessions({ endWait }) });
    await ends.endSessionWait(run);
    expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
      { level: "warn", runId: "r", error: { code: "storage_unavailable" } },
    ]);
  });

  it.each([undefined, {}, { endWait: true }])("is none with the sessions %j", async (sessions) => {
    const { ends, run, lines } = await runOf([], { options: withSessions(sessions) });
    await expect(ends.endSessionWait(run)).resolves.toBeUndefined();
    await expect(ends.endSessionWait({ ...run, name: "gone" })).resolves.toBeUndefined();
    expect(lines).toEqual([]);
  });

  it("is told of its own run and owner, with its sessions as this", async () => {
    const seen: unknown[] = [];
    const sessions = {
      endWait(this: unknown, ...args: unknown[]) {
        seen.push(this === sessions, args);
      },
    };
    const { ends, run } = await runOf([], { options: withSessions(sessions) });
    await ends.endSessionWait({ ...run, owner: { userId: "bob", verified: false } });
    expect(seen).toEqual([true, ["s", "r", { owner: { userId: "bob", verified: false } }]]);
  });
});

describe("what became of the calls of a cancelled run", () => {
  const states = (...rows: [step: string, toolName: string, state: string][]) =>
    rows.map(([step, toolName, state]) => ({ step, toolName, state }));

  it.each([
    [{ text: "Half" }, { text: "Half" }],
    [null, {}],
    [[1], {}],
    ["text", {}],
  ])("is added to the output %j", async (output, kept) => {
    const { ends } = await runOf([
      [attempt(1), call("t/0", "send"), call("t/1", "pay")],
      [done("t/0"), done("m/1"), attempt(2), call("t/2", "look")],
      [done("t/2"), call("t/3", "send")],
    ]);
    expect(await ends.withToolStates("r", output)).toStrictEqual({
      ...kept,
      toolStates: states(
        ["t/0", "send", "settled"],
        ["t/1", "pay", "unsettled"],
        ["t/2", "look", "settled"],
        ["t/3", "send", "unsettled"],
      ),
    });
  });

  it("is the last of each call, and nothing without calls", async () => {
    const { ends } = await runOf([
      [attempt(1), call("t/0", "send")],
      [done("t/0"), attempt(2), call("t/0", "send")],
    ]);
    expect(await ends.withToolStates("r", null)).toStrictEqual({ toolStates: states(["t/0", "send", "unsettled"]) });
    const { ends: none } = await runOf([[attempt(1), done("m/0")]]);
    const output = { text: "Half" };
    expect(await none.withToolStates("r", output)).toBe(output);
    expect(await none.withToolStates("r", null)).toBeNull();
  });
});
